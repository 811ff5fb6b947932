"""Reads of the console: what its pages show of studies, each in as few queries as it takes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Q, QuerySet, Sum

from annotation import ledger as books
from annotation.common.queries import counted
from annotation.design.wording import from_json
from annotation.models import AuditEvent, Decision, Hit, Intent, Job, Result, Study, Submission, Text


def with_counts(studies: QuerySet[Study]) -> QuerySet[Study]:
    """Newest first, each with text_count, wanted (assignments) and submitted, from running sums of the HITs."""
    return studies.annotate(
        text_count=counted(Text.objects.filter(left_out=""), "study"),
        wanted=counted(Hit.objects.all(), "study", what=Sum("max_assignments")),
        submitted=counted(Hit.objects.all(), "study", what=Sum("collected")),
    ).order_by("-created_at", "-pk")


@dataclass(frozen=True, slots=True)
class Counts:
    """How far a study is: texts, HITs, places for workers, work handed in, cents spent."""

    texts: int
    generators: int
    hits: int
    wanted: int
    submitted: int
    spent_cents: int


def counts(study: Study) -> Counts:
    """One row of counts."""
    row = with_counts(Study.objects.filter(pk=study.pk)).get()
    return Counts(
        texts=row.text_count,  # type: ignore[attr-defined]
        generators=study.generators.count(),
        hits=study.hits.count(),
        wanted=row.wanted,  # type: ignore[attr-defined]
        submitted=row.submitted,  # type: ignore[attr-defined]
        spent_cents=row.spent_cents,
    )


def deeds(study: Study) -> QuerySet[AuditEvent]:
    """What was done to the study, newest first."""
    return AuditEvent.objects.filter(study=study).order_by("-number")


def average_words(study: Study, *, of: int = 200) -> float:
    """Words of a text with its context, over the first `of` texts that are judged; 0 without texts."""
    rows = study.texts.judged().order_by("pk").values_list("body", "context__body")[:of]
    counts = [len(body.split()) + len((context or "").split()) for body, context in rows]
    return sum(counts) / len(counts) if counts else 0.0


@dataclass(frozen=True, slots=True)
class Version:
    """A version of a study's words. hits: that hold it. differs: parts in which it is not like the words in use."""

    number: int
    made_at: datetime
    hits: int
    in_use: bool
    differs: tuple[str, ...]


def versions(study: Study) -> list[Version]:
    """The study's words, version by version, the latest first: that one is in use."""
    stored = list(study.wordings.order_by("-version").annotate(held=Count("hits")))
    now = stored[0].body if stored else {}
    return [
        Version(
            one.version, one.created_at, one.held, at == 0,
            tuple(name for name in {**now, **one.body} if now.get(name) != one.body.get(name)),
        )
        for at, one in enumerate(stored)
    ]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Pile:
    """The study's judged texts: how many of the references, by domain; of each generator, by domain."""

    references: dict[str, int]
    generators: dict[str, dict[str, int]]

    @property
    def domains(self) -> tuple[str, ...]:
        named = {domain for counts in (self.references, *self.generators.values()) for domain in counts}
        return tuple(sorted(named - {""}))

    @property
    def total(self) -> int:
        return sum(self.references.values()) + sum(sum(one.values()) for one in self.generators.values())

    def of_cell(self, domain: str = "", generator: str = "") -> int:
        """How many texts a cell shows: the references, and those of its generator or of all."""
        chosen = [self.generators.get(generator, {})] if generator else list(self.generators.values())
        counts = [self.references, *chosen]
        return sum(sum(one.values()) if not domain else one.get(domain, 0) for one in counts)


def pile(study: Study) -> Pile:
    """The texts in numbers; gold texts, which are not evaluated, apart."""
    rows = study.texts.judged().filter(known_label="").values_list("generator__name", "domain").annotate(n=Count("pk"))
    references: dict[str, int] = {}
    generators: dict[str, dict[str, int]] = {}
    for generator, domain, n in rows.order_by("generator__name", "domain"):
        (generators.setdefault(generator, {}) if generator else references)[domain] = n
    return Pile(references, generators)


def found_texts(study: Study, *, words: str = "", side: str = "", state: str = "") -> QuerySet[Text]:
    """The study's texts, in the order they came. side: `reference` or a generator's name; state: judged or left_out."""
    rows = study.texts.select_related("context", "generator").order_by("pk")
    if words:
        rows = rows.filter(Q(body__icontains=words) | Q(key__icontains=words) | Q(context__key__icontains=words))
    if side == Text.Source.REFERENCE:
        rows = rows.filter(source=side)
    elif side:
        rows = rows.filter(generator__name=side)
    if state:
        rows = rows.filter(left_out="") if state == "judged" else rows.exclude(left_out="")
    return rows


@dataclass(frozen=True, slots=True)
class CellLine:
    """A cell as laid out: its HITs, its places, and what they cost at most."""

    name: str
    hits: int
    assignments: int
    reward_cents: int
    cents: int


def laid_out(study: Study) -> list[CellLine]:
    """The study's cells with the HITs they have."""
    found: dict[int, list[Hit]] = {}
    for hit in study.hits.select_related("cell__arm__study", "cell__generator").order_by("slot"):
        found.setdefault(hit.cell_id, []).append(hit)
    lines = []
    for hits in found.values():
        cell = hits[0].cell
        cents = sum(hit.max_assignments * books.place_cost(hit).total for hit in hits)
        places = sum(hit.max_assignments for hit in hits)
        lines.append(CellLine(str(cell), len(hits), places, cell.reward_cents, cents))
    return lines


@dataclass(frozen=True, slots=True)
class Work:
    """What was decided about the work of a study, by whom it was done, and between which times it is offered."""

    submitted: int
    approved: int
    rejected: int
    unread: int
    workers: int
    problem: str
    published_at: datetime | None
    expires_at: datetime | None

    @property
    def to_review(self) -> int:
        return self.submitted - self.approved - self.rejected


def work(study: Study) -> Work:
    """Aggregates over assignments, never over judgments."""
    paid = Decision.objects.filter(submission__hit__study=study, matter=Decision.Matter.PAYMENT)
    verdicts = dict(paid.order_by().values_list("verdict").annotate(n=Count("pk")))
    found = Submission.objects.filter(hit__study=study).aggregate(
        submitted=Count("pk"),
        unread=Count("pk", filter=Q(parse=None, raw_format="mturk-xml")),
        workers=Count("worker", distinct=True),
    )
    failed = study.intents.filter(state=Intent.State.FAILED).order_by("-pk").first()
    made = AuditEvent.objects.filter(study=study, verb="publish").order_by("number").first()
    return Work(
        **found,
        approved=verdicts.get("approve", 0),
        rejected=verdicts.get("reject", 0),
        problem=failed.outcome if failed else "",
        published_at=made.at if made else None,
        expires_at=made.at + timedelta(seconds=study.lifetime_seconds) if made else None,
    )


def everywhere(studies: QuerySet[Study]) -> QuerySet[AuditEvent]:
    """What was done to any of these studies, newest first."""
    return AuditEvent.objects.filter(study__in=studies.values("pk")).select_related("study").order_by("-at", "-pk")


@dataclass(frozen=True, slots=True)
class Order:
    """What publishing asks a marketplace for, in numbers and words. history: whether accounts are asked for one."""

    hits: int
    assignments: int
    rewards: tuple[int, ...]
    title: str
    requirements: tuple[str, ...]
    history: bool = False


def plan_of(study: Study) -> Order:
    """The order of the whole study."""
    hits = list(study.hits.select_related("cell__arm__study"))
    version = study.wordings.last()
    words = from_json(version.body) if version else None
    wanted = []
    if study.minimum_approved_hits:
        wanted.append(f"more than {study.minimum_approved_hits} approved HITs")
    if study.minimum_percent_approved:
        wanted.append(f"an approval rate above {study.minimum_percent_approved} %")
    if study.country:
        wanted.append(f"from {study.country}")
    if study.once:
        wanted.append("each person once, in one cell")
    return Order(
        hits=len(hits), assignments=sum(hit.max_assignments for hit in hits),
        rewards=tuple(sorted({hit.cell.reward_cents for hit in hits})), title=words.said(words.title) if words else "",
        requirements=tuple(wanted),
        history=bool(study.minimum_approved_hits or study.minimum_percent_approved or study.country),
    )  # fmt: skip


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


@dataclass(frozen=True, slots=True)
class Told:
    """One measure of one generator, as a table shows it."""

    generator: str
    measure: str
    value: float | None
    low: float | None
    high: float | None
    n: int | None
    signature: str
    target: str = ""  # what the interval is for, in words; "" where it is not recorded


MEASURES = {"huse": "HUSE", "huse_q": "HUSE-Q", "huse_d": "HUSE-D"}


ACCURACY, EVERYBODY = "Accuracy", "all"


def stand_side_by_side(measures: Sequence[Told]) -> bool:
    """Whether they tell of several cells of one study, which a reader will compare."""
    return len({one.generator for one in measures if one.measure == ACCURACY and one.generator != EVERYBODY}) > 1


def told(job: Job) -> list[Told]:
    """The measures of a report that was made, with interval, n and signature."""
    result = Result.objects.filter(pk=job.outcome.get("result"), study=job.study_id).first()
    return told_of(result) if result else []


def told_of(result: Result) -> list[Told]:
    """The measures of a stored result: HUSE by generator; of people who told human from machine texts, by cell."""
    generators = result.numbers.get("generators", {})
    huse = [
        _told(name, label, one["modes"]["exact"].get(measure) or {})
        for name, one in sorted(generators.items())
        for measure, label in MEASURES.items()
    ]
    return huse + [_told(_cell(row), ACCURACY, row["accuracy"]) for row in _evaluators(result)]


def _evaluators(result: Result) -> list[dict[str, Any]]:
    tables = [table for part in result.numbers.get("results", ()) for table in part["tables"]]
    return next((table["rows"] for table in tables if table["name"] == "evaluators"), [])


def _cell(row: dict[str, Any]) -> str:
    """Training, domain and model of a row of the evaluators' table, in the order of a cell's name."""
    parts = [row[name] for name in ("training", "domain", "model") if row.get(name)]
    return EVERYBODY if set(parts) == {"all"} else " × ".join(parts)


def _told(generator: str, measure: str, found: dict[str, Any]) -> Told:
    interval = found.get("interval") or {}
    return Told(
        generator, measure, found.get("value"), interval.get("low"), interval.get("high"), found.get("n"),
        found.get("signature", ""), interval.get("target", ""),
    )  # fmt: skip


def interval_targets(found: Iterable[Told]) -> list[tuple[str, str]]:
    """What intervals are for, each with the measures that have it: ("HUSE, HUSE-Q", "expectation of ...")."""
    measures: dict[str, dict[str, None]] = {}
    for one in found:
        if one.target and one.low is not None:
            measures.setdefault(one.target, {})[one.measure] = None
    return [(", ".join(names), target) for target, names in measures.items()]
