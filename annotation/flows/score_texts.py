"""The verb that gives a study's texts their log-probabilities under a model, so that HUSE needs no hand-made column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Q

from annotation.exceptions import DesignError, StateError
from annotation.models import AuditEvent, Generator, Likelihood, Scoring, Study, Text
from metrics.likelihood import LogProbs, Pair, Scored, content_key, decoding_from, score_all
from metrics.likelihood.scoring import Progress, chunks

CHUNK = 256


@dataclass(frozen=True, slots=True)
class TextsScored:
    """scored: by the model, now. reused: of equal content, scored before. kept: had this scoring already."""

    generator: str
    scored: int
    reused: int
    kept: int
    signature: str


def score_texts(
    study: Study,
    *,
    backend: LogProbs,
    generator: str | None = None,
    replace: bool = False,
    actor: str,
    now: datetime,
    progress: Progress | None = None,
) -> TextsScored:
    """Write log p, given its context, of every reference and of the generator's own texts.

    generator: may be left out where the study has one. replace: overwrite log-probabilities made otherwise.
    Each chunk is kept as it comes: a run that breaks off goes on where it was. Equal content is scored once.
    Raises StateError where there is nothing to score or log-probabilities made otherwise would be mixed in,
    DesignError where the generator cannot be told, and the named errors of `metrics.likelihood`.
    """
    found = generator_of(study, generator)
    texts = _wanted(study, found)
    if not texts:
        raise StateError(f"The study {study} has no texts yet, so there is nothing to score.")
    mine = Likelihood.objects.filter(generator=found)
    others = mine.exclude(scoring__signature=backend.card.signature).count()
    if others and not replace:
        raise StateError(
            f"{others} texts have log-probabilities under {found} that were made otherwise; "
            "two kinds are no one scale. Ask for them to be replaced, or score under another generator."
        )
    scoring = _scoring(study, found, backend, now)
    kept = set(mine.filter(scoring=scoring).values_list("text_id", flat=True))
    todo = [text for text in texts if text.pk not in kept]
    reused, rest = _reuse(todo, scoring)
    scored = _score(rest, scoring, backend, progress)
    result = TextsScored(found.name, scored, reused, len(texts) - len(todo), scoring.signature)
    if scored or reused:
        told = {"generator": found.name, "scored": scored, "reused": reused, "signature": scoring.signature}
        AuditEvent.objects.record(study, "score_texts", actor=actor, now=now, **told)
    return result


def generator_of(study: Study, name: str | None) -> Generator:
    """The generator of that name, or the study's only one. Raises DesignError."""
    names = {one.name: one for one in study.generators.order_by("pk")}
    if name is None and len(names) == 1:
        return next(iter(names.values()))
    if name in names:
        return names[name]
    known = ", ".join(names) or "none"
    if name is None:
        raise DesignError(f"The study {study} has these generators: {known}; say under which one to score.")
    raise DesignError(f"The study {study} has no generator called {name!r}; it has {known}.")


def _wanted(study: Study, generator: Generator) -> list[Text]:
    wanted = Q(source=Text.Source.REFERENCE) | Q(generator=generator)
    return list(study.texts.judged().filter(wanted).select_related("context").order_by("pk"))


def _scoring(study: Study, generator: Generator, backend: LogProbs, now: datetime) -> Scoring:
    card = backend.card
    # One setting spelt in two ways ("t=0.7", "sample t=0.7") is one setting; the generator's spelling is kept.
    same = decoding_from(generator.decoding) == card.decoding
    found, _ = Scoring.objects.get_or_create(
        generator=generator,
        signature=card.signature,
        defaults={
            "study": study,
            "model": card.model,
            "revision": card.revision,
            "tokenizer": card.tokenizer,
            "dtype": card.dtype,
            "decoding": generator.decoding if same else str(card.decoding),
            "include_eos": card.layout.include_eos,
            "created_at": now,
        },
    )
    return found


def _pair(text: Text) -> Pair:
    return (text.context.body if text.context else "", text.body)


def _reuse(texts: Sequence[Text], scoring: Scoring) -> tuple[int, list[Text]]:
    """Give texts whose content was scored before that score; how many, and the texts left."""
    hashes = {text.pk: content_key(scoring.signature, _pair(text)) for text in texts}
    known: dict[str, Scored] = {}
    wanted = list(set(hashes.values()))
    for start in range(0, len(wanted), CHUNK):
        rows = Likelihood.objects.filter(content_hash__in=wanted[start : start + CHUNK])
        known |= {one.content_hash: Scored(one.log_prob, one.length) for one in rows}
    ready = {text: known[hashes[text.pk]] for text in texts if hashes[text.pk] in known}
    _store(ready, scoring)
    return len(ready), [text for text in texts if text not in ready]


def _score(texts: Sequence[Text], scoring: Scoring, backend: LogProbs, progress: Progress | None) -> int:
    by_pair: dict[Pair, list[Text]] = {}
    for text in texts:
        by_pair.setdefault(_pair(text), []).append(text)
    done = 0
    for part in chunks(list(by_pair), CHUNK):
        scores = score_all(backend, part)
        _store({text: one for pair, one in zip(part, scores, strict=True) for text in by_pair[pair]}, scoring)
        done += sum(len(by_pair[pair]) for pair in part)
        if progress:
            progress(done, len(texts))
    return done


def _store(scores: dict[Text, Scored], scoring: Scoring) -> None:
    rows = [
        Likelihood(
            text=text,
            generator=scoring.generator,
            log_prob=one.log_prob,
            log_prob_text="",
            length=one.tokens,
            length_unit=Likelihood.Unit.MODEL_TOKEN,
            decoding=scoring.decoding,
            scoring=scoring,
            content_hash=content_key(scoring.signature, _pair(text)),
        )
        for text, one in scores.items()
    ]
    changed = ["log_prob", "log_prob_text", "length", "length_unit", "decoding", "scoring", "content_hash"]
    with transaction.atomic():
        Likelihood.objects.bulk_create(
            rows, update_conflicts=True, unique_fields=["text", "generator"], update_fields=changed
        )
