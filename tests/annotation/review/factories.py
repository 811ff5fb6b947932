"""A study with work handed in, written straight into the tables: small for tests, ten thousand for benchmarks."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import numpy as np

from annotation.accounts.models import User
from annotation.models import (
    Arm,
    Cell,
    Generator,
    Hit,
    HitItem,
    Judgment,
    Membership,
    Parse,
    Participation,
    Presentation,
    Remark,
    Scale,
    Study,
    Submission,
    Text,
    Worker,
    WorkerIdentity,
)
from annotation.quality.assess import assess

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
LABELS = [(str(code), str(code), "") for code in range(6)]
SECRET = "A9REALID{}"
BATCH = 5000


def make(
    workers: int = 8,
    hits: int = 2,
    texts: int = 10,
    *,
    name: str = "judged",
    mode: str = "rehearsal",
    straight: int = 1,
    reasons: bool = False,
    hits_each: int = 0,
    ages: Callable[[int], timedelta] = lambda at: timedelta(hours=at),
    now: datetime = NOW,
) -> Study:
    """Every worker does every HIT of `texts` texts, one source each in turn; the first `straight` workers give one
    label throughout. hits_each: how many HITs a worker does, where not all; others do the next. Submission i was handed
    in `ages(i)` before `now`; the market approves after 3 days."""
    rng = np.random.default_rng(1)
    scale = Scale.objects.ensure(f"review {name}", LABELS)
    study = Study.objects.create(name=name, mode=mode, status="published", scale=scale, texts_per_hit=texts)
    cell = Cell.objects.create(arm=Arm.objects.create(study=study))
    generator = Generator.objects.create(study=study, name="tiny")
    made = Text.objects.bulk_create(
        Text(study=study, key=f"t{i}", body=f"The mayor opened bridge number {i} over the river on a fine day",
             source="model" if i % 2 else "reference", generator=generator if i % 2 else None)
        for i in range(hits * texts)
    )  # fmt: skip
    sheets = Hit.objects.bulk_create(
        Hit(study=study, cell=cell, slot=i, max_assignments=workers, market_id=f"3HIT{name}{i}", collected=workers,
            judged=workers * texts)
        for i in range(hits)
    )  # fmt: skip
    HitItem.objects.bulk_create(
        HitItem(hit=sheet, text=made[i * texts + at], position=at)
        for i, sheet in enumerate(sheets)
        for at in range(texts)
    )
    shifts = -(-hits // hits_each) if hits_each else 1
    people = Worker.objects.bulk_create(Worker(pseudonym=f"w{name}{i:05d}") for i in range(workers * shifts))
    WorkerIdentity.objects.bulk_create(
        WorkerIdentity.of(one, "test", SECRET.format(f"{name}{i:05d}")) for i, one in enumerate(people)
    )
    Participation.objects.bulk_create(Participation(study=study, worker=one, arm=cell.arm, since=NOW) for one in people)
    # By HIT: where its workers begin.
    shift = [i // hits_each * workers if hits_each else 0 for i in range(hits)]
    work = Submission.objects.bulk_create(
        (
            Submission(hit=sheet, worker=people[shift[i] + w], market_id=f"3ASG{name}{i}X{w}", raw="<x/>",
                       raw_format="mturk-xml", accepted_at=now - ages(i * workers + w) - timedelta(minutes=10),
                       submitted_at=now - ages(i * workers + w), work_seconds=600, received_at=NOW)
            for i, sheet in enumerate(sheets) for w in range(workers)
        ),
        batch_size=BATCH,
    )  # fmt: skip
    Parse.objects.bulk_create(
        (Parse(submission=one, parsed_at=NOW, active_ms=9000 * texts) for one in work), batch_size=BATCH
    )
    centre = rng.uniform(0.5, 4.5, hits * texts)
    _judge(study, work, made, centre, workers=workers, texts=texts, straight=straight, rng=rng, reasons=reasons)
    return study


def _judge(
    study: Study,
    work: list[Submission],
    made: list[Text],
    centre: np.ndarray,
    *,
    workers: int,
    texts: int,
    straight: int,
    rng: np.random.Generator,
    reasons: bool,
) -> None:
    labels = list(study.scale.labels.order_by("code"))
    for begin in range(0, len(work), 500):
        cells = [(begin + a, one, at) for a, one in enumerate(work[begin : begin + 500]) for at in range(texts)]
        text = [place // workers * texts + at for place, _, at in cells]
        shown = Presentation.objects.bulk_create(
            Presentation(submission=one, text=made[t], position=at, shown_at=at, active_ms=9000)
            for (_, one, at), t in zip(cells, text, strict=True)
        )
        noisy = np.clip(np.rint(centre[text] + rng.normal(0, 1, len(cells))), 0, 5).astype(int).tolist()
        given = [3 if place % workers < straight else code for (place, _, _), code in zip(cells, noisy, strict=True)]
        Judgment.objects.bulk_create(
            Judgment(presentation=one, label=labels[code], text_id=one.text_id)
            for one, code in zip(shown, given, strict=True)
        )
        if reasons:
            Remark.objects.bulk_create(
                Remark(presentation=one, question="why", body=f"I think it is true because of word {i % 7}")
                for i, one in enumerate(shown)
            )


def judged(**settings: object) -> Study:
    """The same with its evidence measured."""
    study = make(**settings)
    assess(study, now=NOW)
    return study


def member(study: Study, role: str, name: str = "", **more: object) -> User:
    user = User.objects.create_user(name or f"{role}-of-{study.name}", password="a long password 1", **more)
    Membership.objects.create(study=study, user=user, role=role)
    return user
