"""Made-up studies of every design that a report can tell, each drawn by a seed."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction

from metrics.report.records import (
    FlagFacts,
    GeneratorFacts,
    RatingRow,
    ReportInput,
    ScaleLabel,
    SelectionStep,
    TextRow,
    Warn,
)
from metrics.report.row_records import (
    AssignmentRow,
    Attached,
    CodeRow,
    CommentRow,
    ConditionFacts,
    PageFacts,
    PlanFacts,
    RuleFacts,
)
from tests.metrics.report.evaluators_study import LABELS, PAGE
from tests.metrics.report.samples import CROWD, MONEY, STUDY, study, with_truth

LIKED = ("bad", "fair", "good")
SIDES = (("first", 1), ("second", -1))
WHO = tuple(ScaleLabel(name, code) for code, name in enumerate(LABELS, 1))
NOW = datetime(2026, 11, 20, tzinfo=UTC)
# A plan, and what `printf '{"a": 1}' | sha256sum` gives.
PLAN, PLAN_SHA256 = '{"a": 1}', "f9d86028c6e0d64e225186f96acb69338b2c59764df79162107f5c4bb34d1310"
ESTIMATE = {"value": 0.5, "n": 2, "interval": None, "settings": {}, "flags": [], "signature": "h|n:2"}
SCORES = {"thresholds": {"low": 0.4, "high": 0.4, "calibrated": False}, "backend": {"model": "zeta", "a": 1}}


def typicality(seed: int) -> ReportInput:
    """Two generators, one with a text of probability zero, work left out, rules, flags, truths, an attached file."""
    rng = random.Random(seed)
    given = with_truth(study({"zulu": (0.4, 0.2), "alpha": (0.1, 0.9)}, texts=12, raters=6, seed=seed))
    first, *others = given.generators
    items = (replace(first.items[0], log_prob=float("-inf")), *first.items[1:])
    given = replace(given, generators=(replace(first, items=items, generation=("t = 0.7",)), *others))
    pairs = sorted({(str(one.hit), one.rater) for one in given.ratings})
    paid = {"payment": "approved"}
    rows = [
        AssignmentRow(f"A{at:05d}", rater, hit, seconds=60 + at, **paid) for at, (hit, rater) in enumerate(pairs, 1)
    ]
    rows.append(replace(rows[-1], id=f"A{len(rows) + 1:05d}", rater="w99", seconds=9))  # nothing of it could be read
    for at in rng.sample(range(len(rows) - 1), 4):
        rows[at] = replace(rows[at], kept=False, reason="too quick", flags=("fast", "one_device"))
    rules = (RuleFacts("Too fast", tuple(one.id for one in rows[::9])), RuleFacts("Alone", (rows[2].id,), alone=True))
    flags = (
        FlagFacts("fast", "Under 3 seconds a text.", 4, len(rows), 4),
        FlagFacts("one_device", "R.", 4, len(rows), 4),
    )
    attached = (
        Attached("automatic", "h.json", "0" * 64, {**SCORES, **dict.fromkeys(("h", "u", "m", "mean_fp"), ESTIMATE)}),
    )
    return left_out(
        replace(
            given,
            assignments=tuple(rows),
            rules=rules,
            flags=(*flags, FlagFacts("incomplete", "Lacks an answer.", 0, len(rows), 0)),
            attached=attached,
            crowd=replace(
                CROWD, workers=len({one.rater for one in rows}), submitted=len(rows), approved=len(rows), excluded=4
            ),
            quality=("Of many, 4 were excluded.",),
            study=replace(given.study, selection=(SelectionStep("at least 3 words", 30, 6, 24),)),
            warnings=(Warn("running", "The study is not over: 3 of 9 assignments are in."),),
            plan=PlanFacts(("Two are compared.",), NOW, None, PLAN_SHA256, ("One day more.",), "d = .3", None, PLAN),
            settings=(("task", "typicality"), ("mode", "rehearsal"), ("seed", 7)),
        )
    )


def left_out(given: ReportInput) -> ReportInput:
    """With the ratings of the assignments that are left out left out, and every HJ without them."""
    gone = {(one.hit, one.rater) for one in given.assignments if not one.kept}
    ratings = tuple(replace(one, kept=(one.hit, one.rater) not in gone) for one in given.ratings)
    values: dict[str, list[Fraction]] = {}
    for one in ratings:
        if one.kept:
            values.setdefault(one.text, []).append(Fraction(one.value))
    generators = []
    for facts in given.generators:
        items = (
            replace(item, hj=sum(own) / len(own) if own else None, ratings=len(own))
            for item in facts.items
            for own in [values.get(item.id, [])]
        )
        generators.append(replace(facts, items=tuple(items)))
    return replace(given, ratings=ratings, generators=tuple(generators))


def evaluators(seed: int) -> ReportInput:
    """Four trainings by two generators, comments with codes, one assignment left out, pages, a plan that was stated."""
    rng = random.Random(seed)
    sources = [None, "gpt", None, "tiny"] * 5
    texts = [TextRow(f"t{i}", "model" if name else "reference", name, f"Text {i}.") for i, name in enumerate(sources)]
    trainings = ("none", "instructions", "examples", "comparison")
    conditions = [
        ConditionFacts(f"{training} × {name}", training, "", name, 4, reward_cents=100 + 25 * at)
        for at, training in enumerate(trainings)
        for name in ("gpt", "tiny")
    ]
    ratings, rows, comments = [], [], []
    for at, one in enumerate(conditions):
        own = [text for text in texts if text.generator in (None, one.generator)]
        for person in range(4):
            rater, hit = f"w{at}{person}", f"HIT {at + 1}"
            rows.append(AssignmentRow(f"A{len(rows) + 1:05d}", rater, hit, one.name, None, 60 + person, "approved"))
            for place, text in enumerate(rng.sample(own, 5), 1):
                code = rng.randint(1, 4)
                more = (hit, place, True, "human_or_machine", one.name)
                ratings.append(RatingRow(text.id, rater, LABELS[code - 1], code, *more))
                comments.append(CommentRow(text.id, rater, "why", f"Because of {code} 読む."))
    gone = rows[5]
    rows[5] = replace(gone, kept=False, reason="copied")
    mine = {(one.text, one.rater) for one in ratings if one.rater == gone.rater}
    comments = sorted(
        (replace(one, kept=(one.text, one.rater) not in mine) for one in comments), key=lambda c: (c.text, c.rater)
    )
    codes = [CodeRow(one.text, one.rater, "why", f"coder {n}", ("grammar",)) for n in (1, 2) for one in comments[:9]]
    return left_out(
        ReportInput(
            study=replace(
                STUDY,
                task="human or machine",
                scale=tuple(ScaleLabel(n, i) for i, n in enumerate(LABELS, 1)),
                coding="1 to 4",
            ),
            generators=(),
            texts=tuple(texts),
            ratings=tuple(ratings),
            money=MONEY,
            crowd=replace(CROWD, workers=32, submitted=32, approved=32, excluded=1),
            conditions=tuple(_counted(one, rows) for one in conditions),
            assignments=tuple(rows),
            unscored=tuple(GeneratorFacts(name, ()) for name in ("gpt", "tiny")),
            comments=tuple(comments),
            codes=tuple(codes),
            codebook=(("form", ("grammar", "style")),),
            pages=(PageFacts("page-none", "The task", PAGE),),
            plan=PlanFacts(("Trainings are compared.",), registered_where="osf.example/1"),
            quality=("Of 32 submissions, 1 (3.1%) was excluded.",),
            licence="CC BY 4.0",
            language="English",
            statements=(("contact", "us"), ("demographics", "Not asked.")),
            settings=(("task", "human_or_machine"), ("mode", "live")),
        )
    )


def _counted(one: ConditionFacts, rows: list[AssignmentRow]) -> ConditionFacts:
    own = [row for row in rows if row.condition == one.name]
    gone = sum(not row.kept for row in own)
    return replace(one, workers=len(own), submitted=len(own), excluded=gone, median_seconds=61.5)


def one_condition(seed: int) -> ReportInput:
    """Evaluators without any training: a study that has one condition, without a name."""
    given = evaluators(seed)
    bare = {"condition": ""}
    return replace(
        given,
        conditions=(),
        ratings=tuple(replace(one, **bare) for one in given.ratings),
        assignments=tuple(replace(one, **bare) for one in given.assignments),
        settings=(),
    )


def scales(seed: int) -> ReportInput:
    """Two criteria on scales of their own, and error labels, of which a text may have several."""
    rng = random.Random(seed)
    texts = [TextRow(f"t{i}", "model" if i % 2 else "reference", "gpt" if i % 2 else None, f"T {i}") for i in range(8)]
    ratings, rows = [], []
    for person in range(5):
        rows.append(AssignmentRow(f"A{person + 1:05d}", f"w{person}", "HIT 1", seconds=30 + person, payment="approved"))
        for place, text in enumerate(texts, 1):
            for criterion in ("clarity", "fun"):
                code = rng.randrange(3)
                told = Fraction(code, 4) if criterion == "fun" else code
                ratings.append(RatingRow(text.id, f"w{person}", LIKED[code], told, "HIT 1", place, True, criterion))
            for code, label in enumerate(("none", "grammar", "facts")):
                if rng.random() < 0.5:
                    ratings.append(RatingRow(text.id, f"w{person}", label, code, "HIT 1", place, True, "errors"))
    return replace(
        one_condition(seed),
        study=replace(
            STUDY, task="labelled scales", scale=(ScaleLabel("bad", 0), ScaleLabel("fair", 1), ScaleLabel("good", 2))
        ),
        texts=tuple(texts),
        unscored=(GeneratorFacts("gpt", ()),),
        ratings=tuple(ratings),
        assignments=tuple(rows),
        comments=(),
        codes=(),
        quality=None,
        flags=None,
        crowd=replace(CROWD, workers=5, submitted=5, approved=5, excluded=0),
    )


def pairs(seed: int) -> ReportInput:
    """Two texts side by side, of which one is preferred."""
    rng = random.Random(seed)
    texts = [TextRow(f"{side}{i}", "model", side, f"T {i}") for i in range(6) for side in ("ann", "bob")]
    ratings = [
        RatingRow(
            f"ann{i}",
            f"w{person}",
            ("first", "second")[code],
            1 - 2 * code,
            "HIT 1",
            i + 1,
            True,
            "better",
            "",
            f"bob{i}",
        )
        for person in range(5)
        for i in range(6)
        for code in [rng.randrange(2)]
    ]
    base = scales(seed)
    labels = tuple(ScaleLabel(*one) for one in SIDES)
    study = replace(base.study, task="pairwise preference", scale=labels)
    sides = tuple(GeneratorFacts(name, ()) for name in ("ann", "bob"))
    return replace(base, study=study, texts=tuple(texts), ratings=tuple(ratings), unscored=sides)


def bare(seed: int) -> ReportInput:
    """Ratings alone: no assignments, no HITs, nothing stated."""
    given = typicality(seed)
    ratings = tuple(replace(one, hit=None, position=None, kept=True) for one in given.ratings)
    alone = ReportInput(study=STUDY, generators=given.generators, texts=given.texts, ratings=ratings)
    return left_out(alone)


def drawn(kind: str, seed: int) -> ReportInput:
    """A study of that kind, its ratings in the order of a database: draws go by the order of what they draw from."""
    given = KINDS[kind](seed)
    hits = {hit: at for at, hit in enumerate(dict.fromkeys(one.hit for one in given.assignments))}
    ordered = sorted(given.ratings, key=lambda one: (hits.get(one.hit, 0), one.rater, one.position or 0, one.criterion))
    return replace(given, ratings=tuple(ordered))


KINDS: dict[str, Callable[[int], ReportInput]] = {
    "typicality": typicality,
    "evaluators": evaluators,
    "one condition": one_condition,
    "scales": scales,
    "pairs": pairs,
    "bare": bare,
}
