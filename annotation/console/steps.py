"""The steps of a study and how far each is."""

from __future__ import annotations

from dataclasses import dataclass

from annotation.models import Study, Submission


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a draft on its way out: the key of its place, and whether it is done."""

    key: str
    done: bool


def steps(study: Study) -> list[Step]:
    """The way from texts to results, and how far the study is."""
    texts, hits = study.texts.exists(), study.hits.exists()
    out = study.status != Study.Status.DRAFT
    work = Submission.objects.filter(hit__study=study).exists()
    reported = study.results.exists()
    done = (
        ("texts", texts),
        ("design", hits),
        ("preview", out),
        ("publish", out),
        ("progress", work),
        ("results", reported),
    )
    return [Step(key, so) for key, so in done]
