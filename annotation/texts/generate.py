"""Sample texts for a study from a model, each with its settings and its log-probability."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from annotation.exceptions import StateError
from annotation.models import AuditEvent, Study
from annotation.readers.records import LikelihoodRecord, TextRecord
from annotation.texts import store
from metrics.generation import Generated, Settings, overlap

Check = Callable[[str, str], bool]
# (prompts, settings, check): one text for every prompt, as `metrics.generation.generate.generate` makes them.
Sample = Callable[[Sequence[str], Settings, Check], Sequence[Generated]]


@dataclass(frozen=True, slots=True)
class TextsSampled:
    """texts: added. again: sampled more than once. overlapping: kept although the last attempt overlapped, too.

    empty: not added, as only blanks were sampled. cut: stopped at the maximum of tokens, without an end of text.
    """

    generator: str
    texts: int
    again: int
    overlapping: int
    empty: int
    cut: int


@dataclass(frozen=True, slots=True)
class Wish:
    """What to write: `each` texts behind every context of the study; `count` texts behind `prompt` where it has none.

    max_overlap: share of a text's words that may be in an 8-gram of a priming text, too; above it is sampled again.
    """

    each: int = 1
    count: int = 0
    prompt: str = ""
    max_overlap: float = 0.8


def sample_texts(
    study: Study, *, generator: str, sample: Sample, settings: Settings, wish: Wish, actor: str, now: datetime
) -> TextsSampled:
    """Sample texts and add them under a new generator: all or none.

    The log p stored with a text is that of the pass that sampled it, priming included. Raises StateError where the
    study is no draft, has the generator's texts already, or none are requested; the errors of `sample`.
    """
    check_may_write(study, generator)
    places = _places_to_fill(study, wish)
    prompts = [body for _, body in places]
    examples = settings.priming.examples

    def fine(prompt: str, text: str) -> bool:
        return bool(text.strip()) and all(overlap(text, example) <= wish.max_overlap for example in examples)

    samples = list(zip(places, sample(prompts, settings, fine), strict=True))
    records = [
        _text_record(generator, key, generated, wish) for (key, _), generated in samples if generated.text.strip()
    ]
    if not records:
        raise StateError(f"Nothing but blanks was sampled for {study}; nothing was added.")
    texts = [generated for _, generated in samples]
    done = TextsSampled(
        generator=generator,
        texts=len(records),
        again=sum(generated.attempt > 1 for generated in texts),
        overlapping=sum(not generated.accepted and bool(generated.text.strip()) for generated in texts),
        empty=len(texts) - len(records),
        cut=sum(generated.stopped == "length" for generated in texts),
    )
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        check_may_write(study, generator)
        store.store_texts(study, records)
        facts = {"generator": generator, "texts": done.texts, "again": done.again, "decoding": str(settings.decoding)}
        AuditEvent.objects.record(study, "sample_texts", actor=actor, now=now, **facts)
    return done


def check_may_write(study: Study, generator: str) -> None:
    """Raise StateError where texts of a new generator cannot be added."""
    study.refresh_from_db(fields=["status"])
    if study.status != Study.Status.DRAFT:
        raise StateError(f"The study {study} is {study.status}; texts are added to a draft only.")
    if study.texts.filter(generator__name=generator).exists():
        raise StateError(f"The study {study} has texts of {generator} already; nothing was added. Name another one.")


def _places_to_fill(study: Study, wish: Wish) -> list[tuple[str | None, str]]:
    """(context, prompt) of every text to sample."""
    contexts = list(study.contexts.order_by("pk").values_list("key", "body"))
    if contexts and (wish.count or wish.prompt):
        raise StateError(
            f"The study {study} has {len(contexts)} contexts; texts are written for these, not for a prompt."
        )
    places: list[tuple[str | None, str]] = [(key, body) for key, body in contexts for _ in range(wish.each)]
    places = places or [(None, wish.prompt)] * wish.count
    if not places:
        raise StateError(
            f"The study {study} has no contexts, so say how many texts to write (and behind which prompt)."
        )
    return places


def _text_record(generator: str, context: str | None, generated: Generated, wish: Wish) -> TextRecord:
    generation = dict(generated.record) | {
        "prompt": generated.prompt,
        "stopped": generated.stopped,
        "accepted": generated.accepted,
        "most_overlap": wish.max_overlap,
    }
    number = int(str(generated.record["number"]))
    decoding = str(generated.record["decoding"])
    return TextRecord(
        id=f"{generator}-{number + 1:04d}",
        body=generated.text,
        source="model",
        generator=generator,
        decoding=decoding,
        context=context,
        generation=generation,
        likelihoods=(LikelihoodRecord(generator, generated.log_prob, generated.tokens, "model_token", decoding),),
    )
