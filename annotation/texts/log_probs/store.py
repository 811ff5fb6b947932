"""Write the log-probabilities of a study's texts that a local model computes, for the verbs that score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from django.db import transaction
from django.db.models import Q, QuerySet

from annotation.exceptions import DesignError, StateError
from annotation.models import Generator, Likelihood, Scoring, ScoringChunk, Study, Text
from metrics.likelihood import LogProbs, ModelCard, Pair, Scored, content_key, decoding_from, score_all
from metrics.likelihood.scoring import chunks

CHUNK = 256
Keep = Callable[[Mapping[Text, Scored]], None]


def generator_of(study: Study, name: str | None) -> Generator:
    """The generator of that name, or the study's only one. Raises DesignError."""
    names = {generator.name: generator for generator in study.generators.order_by("pk")}
    if name is None and len(names) == 1:
        return next(iter(names.values()))
    if name in names:
        return names[name]
    known = ", ".join(names) or "none"
    if name is None:
        raise DesignError(f"The study {study} has these generators: {known}; say under which one to score.")
    raise DesignError(f"The study {study} has no generator called {name!r}; it has {known}.")


def texts_to_score(study: Study, generator: Generator) -> QuerySet[Text]:
    """Return every reference and the generator's texts without gold texts. Raises StateError where there are none."""
    texts = study.texts.judged().filter(Q(source=Text.Source.REFERENCE) | Q(generator=generator), known_label="")
    if not texts.exists():
        raise StateError(f"The study {study} has no texts yet, so there is nothing to score.")
    return texts.select_related("context").order_by("pk")


def pair_of(text: Text) -> Pair:
    """(context, text) as a model takes them."""
    return (text.context.body if text.context else "", text.body)


def check_unmixed(generator: Generator, signature: str | None) -> None:
    """Raise StateError where the generator has log-probabilities of another kind; None: where a file gave some."""
    mine = Likelihood.objects.filter(generator=generator)
    others = (mine.filter(scoring=None) if signature is None else mine.exclude(scoring__signature=signature)).count()
    if others:
        raise StateError(
            f"{others} texts have log-probabilities under {generator} that were made otherwise; "
            "two kinds cannot share a scale. Replace them, or score under another generator."
        )


def ensure_scoring(generator: Generator, card: ModelCard, *, now: datetime) -> Scoring:
    """Return the record of the model behind the scores, stored once."""
    # One setting spelt in two ways ("t=0.7", "sample t=0.7") is one setting; the generator's spelling is kept.
    same = decoding_from(generator.decoding) == card.decoding
    scoring, _ = Scoring.objects.get_or_create(
        generator=generator,
        signature=card.signature,
        defaults={
            "study": generator.study,
            "model": card.model,
            "revision": card.revision,
            "tokenizer": card.tokenizer,
            "dtype": card.dtype,
            "decoding": generator.decoding if same else str(card.decoding),
            "include_eos": card.layout.include_eos,
            "created_at": now,
        },
    )
    return scoring


def scored_already(texts: Sequence[Text], scoring: Scoring) -> set[int]:
    """Those of the texts (primary keys) that have this scoring."""
    numbers = [text.pk for text in texts]
    scored: set[int] = set()
    for start in range(0, len(numbers), CHUNK):
        mine = Likelihood.objects.filter(scoring=scoring, text__in=numbers[start : start + CHUNK])
        scored |= set(mine.values_list("text_id", flat=True))
    return scored


def known_content(texts: Sequence[Text], scoring: Scoring) -> dict[Text, Scored]:
    """Scores of texts whose content was scored before, in any study."""
    hashes = {text: content_key(scoring.signature, pair_of(text)) for text in texts}
    known: dict[str, Scored] = {}
    unique_hashes = list(set(hashes.values()))
    for start in range(0, len(unique_hashes), CHUNK):
        rows = Likelihood.objects.filter(content_hash__in=unique_hashes[start : start + CHUNK])
        known |= {likelihood.content_hash: Scored(likelihood.log_prob, likelihood.length) for likelihood in rows}
    return {text: known[key] for text, key in hashes.items() if key in known}


def score_in_parts(texts: Sequence[Text], backend: LogProbs, *, size: int, keep: Keep) -> int:
    """Score texts, equal content once, `size` pairs at a time; `keep` is given each part as it comes."""
    by_pair: dict[Pair, list[Text]] = {}
    for text in texts:
        by_pair.setdefault(pair_of(text), []).append(text)
    for part in chunks(list(by_pair), size):
        scores = score_all(backend, part)
        keep({text: score for pair, score in zip(part, scores, strict=True) for text in by_pair[pair]})
    return len(texts)


def write_scores(scores: Mapping[Text, Scored], scoring: Scoring) -> None:
    """Write scores, in place of earlier ones under the generator."""
    rows = [
        Likelihood(
            text=text,
            generator=scoring.generator,
            log_prob=score.log_prob,
            log_prob_text="",
            length=score.tokens,
            length_unit=Likelihood.Unit.MODEL_TOKEN,
            decoding=scoring.decoding,
            scoring=scoring,
            content_hash=content_key(scoring.signature, pair_of(text)),
        )
        for text, score in scores.items()
    ]
    changed = ["log_prob", "log_prob_text", "length", "length_unit", "decoding", "scoring", "content_hash"]
    with transaction.atomic():
        Likelihood.objects.bulk_create(
            rows, update_conflicts=True, unique_fields=["text", "generator"], update_fields=changed
        )


@dataclass(frozen=True, slots=True)
class ScoringProgress:
    """A scoring on the queue: its texts by where their score comes from, its chunks by state.

    sentences: what went wrong (given up, or to be tried again), and in how many chunks.
    """

    generator: str
    model: str
    started: datetime
    texts: int
    scored: int
    reused: int
    already_scored: int
    waiting: int
    in_work: int
    done: int
    failed: int
    sentences: Mapping[str, int]


def scoring_progress(study: Study) -> list[ScoringProgress]:
    """Every scoring of the study that was put on the queue, oldest first."""
    jobs = study.scoring_jobs.select_related("generator").prefetch_related("chunks").order_by("pk")
    scorings = []
    for job in jobs:
        chunks = list(job.chunks.all())
        states = Counter(chunk.state for chunk in chunks)
        scorings.append(
            ScoringProgress(
                generator=job.generator.name,
                model=_model_name(str(job.opening.get("model", ""))),
                started=job.created_at,
                texts=sum(len(chunk.texts) for chunk in chunks),
                scored=sum(chunk.scored for chunk in chunks),
                reused=sum(chunk.reused for chunk in chunks),
                already_scored=sum(chunk.kept for chunk in chunks),
                waiting=states[ScoringChunk.State.WAITING],
                in_work=states[ScoringChunk.State.CLAIMED],
                done=states[ScoringChunk.State.DONE],
                failed=states[ScoringChunk.State.FAILED],
                sentences=Counter(chunk.outcome for chunk in chunks if chunk.outcome),
            )
        )
    return scorings


def _model_name(model: str) -> str:
    """A folder by its last name only."""
    return Path(model).name if Path(model).is_absolute() else model
