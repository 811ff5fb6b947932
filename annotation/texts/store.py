"""Writing texts with their contexts, generators and likelihoods, a stretch at a time, in the caller's transaction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from annotation.exceptions import DesignError, StateError
from annotation.models import Context, Generator, Likelihood, Selection, Study, Text
from annotation.readers.problem_codes import Code
from annotation.readers.problems import Findings
from annotation.readers.records import TextRecord

CHUNK = 2000
ASKED = 500  # ids asked for at once; SQLite takes 999 values in older versions


def stored_texts(study: Study, records: Iterable[TextRecord]) -> dict[str, Text]:
    """Write texts; text by id. For piles of a few thousand; a large one goes through `stored_in_chunks`."""
    return {text.key: text for texts in stored_in_chunks(study, records) for text in texts}


def stored_in_chunks(study: Study, records: Iterable[TextRecord]) -> Iterator[list[Text]]:
    """Write texts with contexts, generators and likelihoods, and hand over each stretch when it is written.

    Raises StateError for an id that the study has, DesignError for a generator or context that contradicts it.
    """
    writer = _Writer(study)
    for chunk in _chunks(records, CHUNK):
        yield writer.stored(chunk)


def _chunks(records: Iterable[TextRecord], size: int) -> Iterator[list[TextRecord]]:
    rest = iter(records)
    while chunk := list(islice(rest, size)):
        yield chunk


class _Writer:
    """Remembers what the study has of ids, generators and contexts between stretches.

    What it has is read once: asked for anew with each stretch, PostgreSQL would go on looking through the whole of a
    table that was empty when it first thought about the question.
    """

    def __init__(self, study: Study) -> None:
        self.study = study
        self.generators = {one.name: one for one in Generator.objects.filter(study=study)}
        self.known = set(self.generators)  # those that were there before
        last = Selection.objects.filter(study=study).order_by("-number").first()
        # A selection says which texts are judged; those that come later wait for the next one.
        self.left_out = f"added after selection {last.number}; select again" if last else ""
        self.keys = _keys(study)
        self.stored_contexts = set(Context.objects.filter(study=study).values_list("key", flat=True))
        self.contexts: dict[str, int] = {}
        self.blank: set[str] = set()  # contexts without a wording as yet

    def stored(self, records: Sequence[TextRecord]) -> list[Text]:
        self._refuse_known(records)
        self._store_generators(records)
        self._store_contexts(records)
        texts = Text.objects.bulk_create(self._text(record) for record in records)
        Likelihood.objects.bulk_create(
            Likelihood(
                text=text,
                generator=self.generators[one.generator],
                log_prob=one.log_prob,
                log_prob_text=one.written[:60],
                length=one.length,
                length_unit=one.unit,
                decoding=one.decoding,
            )
            for text, record in zip(texts, records, strict=True)
            for one in record.likelihoods
        )
        self.keys.update(record.id for record in records)
        return texts

    def _text(self, record: TextRecord) -> Text:
        return Text(
            study=self.study,
            key=record.id,
            source=record.source,
            generator=self.generators[record.generator] if record.generator else None,
            context_id=self.contexts[record.context] if record.context else None,
            domain=record.domain,
            body=record.body,
            generation=dict(record.generation),
            corpus_count=record.corpus_count,
            corpus_name=record.corpus_name,
            corpus_size=record.corpus_size,
            known_label=record.known_label,
            left_out=self.left_out,
        )

    def _refuse_known(self, records: Sequence[TextRecord]) -> None:
        known = self.keys & {record.id for record in records}
        if known:
            row = next(record.row for record in records if record.id in known)
            place = f" (row {row})" if row else ""
            first = min(known)
            raise StateError(
                f"The study {self.study} has a text with the id {first!r} already{place}; nothing was added."
            )

    def _store_generators(self, records: Sequence[TextRecord]) -> None:
        wanted: dict[str, str] = {}
        for record in records:
            if record.generator:
                wanted.setdefault(record.generator, record.decoding)
        for name, decoding in wanted.items():
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
            for one in record.likelihoods:
                wanted.setdefault(one.generator, "")
        new = [Generator(study=self.study, name=name, decoding=how) for name, how in wanted.items()]
        fresh = [one for one in new if one.name not in self.generators]
        self.generators |= {one.name: one for one in Generator.objects.bulk_create(fresh)}

    def _store_contexts(self, records: Sequence[TextRecord]) -> None:
        wanted: dict[str, str] = {}
        for record in records:
            if record.context:
                wanted[record.context] = wanted.get(record.context) or record.context_body
        unseen = [key for key in wanted if key not in self.contexts]
        earlier = [key for key in unseen if key in self.stored_contexts]
        for one in _found(Context.objects.filter(study=self.study), "key", earlier):
            if wanted[one.key] and one.body != wanted[one.key]:
                raise DesignError(
                    f"The context {one.key!r} has another text in the study {self.study}; nothing was added."
                )
            self.contexts[one.key] = one.pk
        new = [Context(study=self.study, key=key, body=wanted[key]) for key in unseen if key not in self.contexts]
        for one in Context.objects.bulk_create(new):
            self.contexts[one.key] = one.pk
            if not one.body:
                self.blank.add(one.key)
        for key in [key for key in wanted if wanted[key] and key in self.blank]:
            Context.objects.filter(pk=self.contexts[key]).update(body=wanted[key])
            self.blank.discard(key)


def _found(rows: object, field: str, values: Sequence[str]) -> Iterator[Context]:
    for start in range(0, len(values), ASKED):
        yield from rows.filter(**{f"{field}__in": values[start : start + ASKED]})  # type: ignore[attr-defined]


def _keys(study: Study) -> set[str]:
    return set(Text.objects.filter(study=study).values_list("key", flat=True))


def contradictions(study: Study, records: Iterable[TextRecord], findings: Findings) -> None:
    """Note every text that the study cannot take: an id it has, another decoding, another wording of a context."""
    decodings = dict(Generator.objects.filter(study=study).values_list("name", "decoding"))
    known = _keys(study)
    for chunk in _chunks(records, ASKED):
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
