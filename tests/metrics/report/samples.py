"""Small made-up studies for the tests of the report: seeded, nothing measured."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction

import numpy as np

from metrics.report.records import (
    CrowdFacts,
    GeneratorFacts,
    KnownValue,
    MoneyFacts,
    RatingRow,
    ReportInput,
    ScaleLabel,
    StudyFacts,
    TextRow,
    Truth,
)
from metrics.report.row_records import AssignmentRow, RuleFacts
from metrics.types import MODEL, REFERENCE, Item, Source

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
LABELS = ("Invalid", "Rare", "Specific", "Average", "Typical", "Very Typical")
WORDS = ("council", "river", "budget", "storm", "minister", "school", "market", "vote", "police", "harbour", "strike")

SCALE = tuple(ScaleLabel(name, code, f"Gloss of {name.lower()}.") for code, name in reversed(list(enumerate(LABELS))))
STUDY = StudyFacts(
    name="headlines",
    task="huse-2019, summarisation",
    question='Given a news article: "{context}" How typical is the exact title: "{output}"?',
    noun="title",
    scale=SCALE,
    coding="0 to 5, 0 = Invalid",
    mode="rehearsal",
    instructions="Read the article, then the title.",
    created_at=datetime(2026, 11, 2, 9, tzinfo=UTC),
    collected_from=datetime(2026, 11, 3, 9, tzinfo=UTC),
    collected_to=datetime(2026, 11, 4, 17, tzinfo=UTC),
    hits=8,
    texts_per_hit=25,
    raters_per_text=20,
    interleaving="Sources are mixed within every HIT; the order is drawn once for each HIT.",
    seed=7,
    provenance=("made up for a test",),
)
MONEY = MoneyFacts(100, 16000, 6400, 0, 22400, 610.0, 804.0, 1500.0, 448)
CROWD = CrowdFacts("rehearsal crowd", ("simulated",), 93, 160, 160, 0, 0, 2, "not needed", "not needed")


def headline(rng: random.Random) -> str:
    return " ".join(rng.choices(WORDS, k=rng.randint(5, 9)))


def study(
    lacks: dict[str, tuple[float, float]], *, texts: int = 30, raters: int = 20, mixed: bool = True, seed: int = 1
) -> ReportInput:
    """A study of generators that lack quality and diversity: {name: (points of HJ lost, nats a word gained)}."""
    rng = random.Random(seed)
    sources: list[tuple[Source, str | None]] = [(REFERENCE, None), *((MODEL, name) for name in lacks)]
    rows: list[TextRow] = []
    for source, name in sources:
        for at in range(texts):
            context = f"c{at}"
            rows.append(TextRow(f"{name or 'ref'}-{at}", source, name, headline(rng), context, f"Article {at}."))
    ratings = _ratings(rows, lacks, raters, mixed, rng)
    generators = tuple(_generator(name, gain, rows, ratings, rng) for name, (_, gain) in lacks.items())
    held = Counter(hit for hit, _ in {(rating.hit, rating.text) for rating in ratings})
    return ReportInput(
        study=replace(STUDY, hits=len(held), texts_per_hit=max(held.values()), raters_per_text=raters),
        generators=generators,
        texts=tuple(rows),
        ratings=tuple(ratings),
        money=MONEY,
        crowd=CROWD,
        versions=(("assay", "0.1.0"), ("numpy", "2.4.6")),
        commit="0" * 40,
        settings=(("raters", raters), ("texts", texts)),
        command="manage.py report headlines --out var/reports/headlines",
    )


def _ratings(
    rows: list[TextRow], lacks: dict[str, tuple[float, float]], raters: int, mixed: bool, rng: random.Random
) -> list[RatingRow]:
    order = rng.sample(rows, len(rows)) if mixed else rows
    out = []
    for place, text in enumerate(order):
        worth = rng.gauss(3.9, 0.55) - (lacks[text.generator][0] if text.generator else 0)
        for rater in rng.sample(range(93), raters):
            code = min(5, max(0, round(rng.gauss(worth, 1.1))))
            hit = f"hit-{place // 10:02}" if mixed else f"hit-{text.generator or 'ref'}"
            out.append(RatingRow(text.id, f"w{rater:02}", LABELS[code], code, hit, place % 10 + 1))
    return out


def _generator(
    name: str, gain: float, rows: list[TextRow], ratings: list[RatingRow], rng: random.Random
) -> GeneratorFacts:
    values: dict[str, list[int]] = {}
    for rating in ratings:
        values.setdefault(rating.text, []).append(rating.value)
    items = []
    for row in rows:
        if row.generator in (None, name):
            length = len(row.body.split())
            per_word = min(-0.2, rng.gauss(-3.6 + (gain if row.generator else 0), 0.9))
            own = values[row.id]
            mean = Fraction(sum(own), len(own))
            log_prob = round(per_word * length, 4)
            items.append(Item(row.id, row.source, mean, log_prob, length, row.context_id, len(own)))
    decoding = f"sampling, {name}"
    return GeneratorFacts(name, tuple(items), decoding, decoding, "whitespace", None)


def with_assignments(given: ReportInput, rows: tuple[AssignmentRow, ...]) -> ReportInput:
    """The same study with these assignments, all of them approved, and counts that agree with them."""
    rows = tuple(replace(row, payment="approved") for row in rows)
    crowd = replace(
        given.crowd,
        workers=len({one.rater for one in (*rows, *given.ratings)}),
        submitted=len(rows),
        approved=len(rows),
        excluded=sum(not one.kept for one in rows),
    )
    return replace(given, assignments=rows, crowd=crowd)


def with_rules(given: ReportInput) -> ReportInput:
    """The same study with its assignments and three rules: two of the study's own, a default beside them, one idle."""
    pairs = sorted({(one.hit, one.rater) for one in given.ratings})
    rows = tuple(AssignmentRow(f"A{at:05d}", rater, hit) for at, (hit, rater) in enumerate(pairs, 1))
    rules = (
        RuleFacts("Too fast", tuple(one.id for one in rows[::17])),
        RuleFacts("One answer (20)", tuple(one.id for one in rows[3::11])),
        RuleFacts("Straight lines", tuple(one.id for one in rows[5::23]), alone=True),
        RuleFacts("Incomplete", ()),
    )
    return replace(with_assignments(given, rows), rules=rules)


def with_truth(given: ReportInput) -> ReportInput:
    """The same study, with truths as a rehearsal knows them."""
    truth = Truth(
        0.9,
        KnownValue(0.61),
        KnownValue(0.7, 0.002),
        KnownValue(0.8, 0.002),
        KnownValue(0.72, 0.004),
        KnownValue(0.83, 0.004),
        KnownValue(0.89, 0.005),
        4000,
        20,
        30,
    )
    return replace(given, generators=tuple(replace(one, truth=truth) for one in given.generators))


HEIGHTS = {"long-name-of-a-generator": 1.0, "small": 0.0, "tiny": -0.5}


def rated(heights=HEIGHTS, *, contexts: int = 30, raters: int = 8, task: str = "ratings", plan=None) -> ReportInput:
    """Every rater rates every text on one scale; each source lies so far above 2.5."""
    rng = np.random.default_rng(5)
    texts, ratings = [], []
    for context in range(contexts):
        for name, height in heights.items():
            text = f"{name}-{context}"
            generator = None if name == "references" else name
            texts.append(TextRow(text, "model" if generator else "reference", generator, "A text.", f"c{context}"))
            for rater in range(raters):
                value = int(np.clip(np.rint(2.5 + height + rng.normal()), 0, 5))
                ratings.append(RatingRow(text, f"w{rater}", str(value), value, criterion="clarity"))
    study = StudyFacts("plain", task, "How clear?", "text", (), "0 to 5", "imported")
    return ReportInput(study, (), tuple(texts), tuple(ratings), plan=plan)
