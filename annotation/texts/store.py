"""Writing texts with their contexts, generators and likelihoods, a stretch at a time, in the caller's transaction."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from annotation.common import bulk_insert
from annotation.exceptions import DesignError, StateError
from annotation.models import Context, Generator, Likelihood, Selection, Study, Text
from annotation.readers.problem_codes import Code
from annotation.readers.problems import Findings
from annotation.readers.records import TextRecord

CHUNK = 2000
WRITTEN = (
    "id",
    "study",
    "key",
    "source",
    "generator",
    "context",
    "domain",
    "body",
    "generation",
    "known_label",
    "corpus_count",
    "corpus_name",
    "corpus_size",
    "original",
    "left_out",
    "split",
)
MAX_KEYS = 500  # ids in one query; SQLite takes 999 values in older versions


def store_texts(study: Study, records: Iterable[TextRecord]) -> dict[str, int]:
    """Write texts; key of the row by id. For a few thousand; more go through `store_in_chunks`."""
    return {key: pk for texts in store_in_chunks(study, records) for key, pk in texts.items()}


def store_in_chunks(study: Study, records: Iterable[TextRecord]) -> Iterator[dict[str, int]]:
    """Write texts with contexts, generators and likelihoods; yield each stretch when it is written, key of the row by
    id.

    Raises StateError for an id that the study has, DesignError for a generator or context that contradicts it.
    """
    writer = _Writer(study)
    for chunk in _in_chunks(records, CHUNK):
        yield writer.write(chunk)


def _in_chunks(records: Iterable[TextRecord], size: int) -> Iterator[list[TextRecord]]:
    rest = iter(records)
    while chunk := list(islice(rest, size)):
        yield chunk


class _Writer:
    """Remembers what the study has of ids, generators and contexts between stretches.

    That is read once. Queried again with each stretch, PostgreSQL would keep the plan it made while the tables were
    empty, and read them in full each time.
    """

    def __init__(self, study: Study) -> None:
        self.study = study
        self.generators = {generator.name: generator for generator in Generator.objects.filter(study=study)}
        self.known = set(self.generators)  # those that were there before
        last = Selection.objects.filter(study=study).order_by("-number").first()
        # A selection says which texts are judged; those that come later wait for the next one.
        self.left_out = f"added after selection {last.number}; select again" if last else ""
        self.keys = _text_keys(study)
        self.stored_contexts = set(Context.objects.filter(study=study).values_list("key", flat=True))
        self.contexts: dict[str, int] = {}
        self.blank: set[str] = set()  # contexts without a wording as yet

    def write(self, records: Sequence[TextRecord]) -> dict[str, int]:
        self._require_new_ids(records)
        self._store_generators(records)
        self._store_contexts(records)
        keys = bulk_insert.new_keys(Text, len(records))
        bulk_insert.insert(Text, WRITTEN, (self._text(key, record) for key, record in zip(keys, records, strict=True)))
        Likelihood.objects.bulk_create(
            Likelihood(
                text_id=key,
                generator=self.generators[likelihood.generator],
                log_prob=likelihood.log_prob,
                log_prob_text=likelihood.written[:60],
                length=likelihood.length,
                length_unit=likelihood.unit,
                decoding=likelihood.decoding,
            )
            for key, record in zip(keys, records, strict=True)
            for likelihood in record.likelihoods
        )
        self.keys.update(record.id for record in records)
        return {record.id: key for key, record in zip(keys, records, strict=True)}

    def _text(self, key: int, record: TextRecord) -> bulk_insert.Row:
        """The values of `WRITTEN`."""
        return (
            key,
            self.study.pk,
            record.id,
            record.source,
            self.generators[record.generator].pk if record.generator else None,
            self.contexts[record.context] if record.context else None,
            record.domain,
            record.body,
            json.dumps(dict(record.generation)),
            record.known_label,
            record.corpus_count,
            record.corpus_name,
            record.corpus_size,
            "",
            self.left_out,
            "",
        )

    def _require_new_ids(self, records: Sequence[TextRecord]) -> None:
        known = self.keys & {record.id for record in records}
        if known:
            row = next(record.row for record in records if record.id in known)
            place = f" (row {row})" if row else ""
            first = min(known)
            raise StateError(
                f"The study {self.study} has a text with the id {first!r} already{place}; nothing was added."
            )

    def _store_generators(self, records: Sequence[TextRecord]) -> None:
        decodings: dict[str, str] = {}
        for record in records:
            if record.generator:
                decodings.setdefault(record.generator, record.decoding)
        for name, decoding in decodings.items():
            if name in self.known and decoding and self.generators[name].decoding != decoding:
                before = self.generators[name].decoding
                raise DesignError(
                    f"The generator {name!r} is decoded by {before!r} in this study, not by {decoding!r}."
                )
            if name in self.generators and name not in self.known and not self.generators[name].decoding and decoding:
                # A reference's log p named it before any text of it came.
                self.generators[name].decoding = decoding
                self.generators[name].save(update_fields=["decoding"])
        for record in records:
            for likelihood in record.likelihoods:
                decodings.setdefault(likelihood.generator, "")
        new = [Generator(study=self.study, name=name, decoding=how) for name, how in decodings.items()]
        fresh = [generator for generator in new if generator.name not in self.generators]
        self.generators |= {generator.name: generator for generator in Generator.objects.bulk_create(fresh)}

    def _store_contexts(self, records: Sequence[TextRecord]) -> None:
        bodies: dict[str, str] = {}
        for record in records:
            if record.context:
                bodies[record.context] = bodies.get(record.context) or record.context_body
        unseen = [key for key in bodies if key not in self.contexts]
        earlier = [key for key in unseen if key in self.stored_contexts]
        for context in _rows_with(Context.objects.filter(study=self.study), "key", earlier):
            if bodies[context.key] and context.body != bodies[context.key]:
                raise DesignError(
                    f"The context {context.key!r} has another text in the study {self.study}; nothing was added."
                )
            self.contexts[context.key] = context.pk
        new = [Context(study=self.study, key=key, body=bodies[key]) for key in unseen if key not in self.contexts]
        for context in Context.objects.bulk_create(new):
            self.contexts[context.key] = context.pk
            if not context.body:
                self.blank.add(context.key)
        for key in [key for key in bodies if bodies[key] and key in self.blank]:
            Context.objects.filter(pk=self.contexts[key]).update(body=bodies[key])
            self.blank.discard(key)


def _rows_with(rows: object, field: str, values: Sequence[str]) -> Iterator[Context]:
    for start in range(0, len(values), MAX_KEYS):
        yield from rows.filter(**{f"{field}__in": values[start : start + MAX_KEYS]})  # type: ignore[attr-defined]


def _text_keys(study: Study) -> set[str]:
    return set(Text.objects.filter(study=study).values_list("key", flat=True))


def note_contradictions(study: Study, records: Iterable[TextRecord], findings: Findings) -> None:
    """Note every text that the study cannot take: an id it has, another decoding, another wording of a context."""
    decodings = dict(Generator.objects.filter(study=study).values_list("name", "decoding"))
    known = _text_keys(study)
    for chunk in _in_chunks(records, MAX_KEYS):
        keys = list({record.context for record in chunk if record.context})
        bodies = dict(Context.objects.filter(study=study, key__in=keys).values_list("key", "body"))
        for record in chunk:
            if record.id in known:
                rule = f"the study has a text with the id {record.id!r} already"
                findings.problem(record.row, "id", rule, Code.ID_IN_STUDY)
            if (
                record.generator
                and record.decoding
                and decodings.get(record.generator, record.decoding) != record.decoding
            ):
                rule = f"{record.generator!r} is decoded by {decodings[record.generator]!r} in the study"
                findings.problem(record.row, "decoding", rule, Code.DIFFERS_FROM_STUDY)
            if record.context_body and bodies.get(record.context or "", record.context_body) != record.context_body:
                rule = f"the context {record.context!r} has another text in the study"
                findings.problem(record.row, "context_text", rule, Code.DIFFERS_FROM_STUDY)
