"""HUSE and what belongs around it, as a section: tables and figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from metrics.data.sentence import plain
from metrics.figures import huse_curves
from metrics.figures.chart import Chart
from metrics.huse.curves import FULL_SIZE, Curve
from metrics.huse.examples import UNDECIDED, Example, Examples, Verdict
from metrics.huse.model_differences import Comparison
from metrics.huse.to_json import permutation_estimate
from metrics.report.result import TITLES, GeneratorReport
from metrics.report.section import Measured, Reference
from metrics.report.section_kind import SectionKind
from metrics.report.sections.huse_extras import HuseExtras
from metrics.report.sections.huse_results import HuseResults, compute, count_steps, gather
from metrics.report.wording import number
from metrics.tables.huse import TEST_NOTE
from metrics.tables.record import Cell, Column, Row, Table
from metrics.types import Estimate, HuseResult

FOUR = tuple(Column(key, title, "estimate", n="n") for key, title in TITLES.items())
HEADLINES = ("huse", "huse_q", "huse_d")
EXAMPLES = 5
BY_RATINGS = plain("HUSE by number of ratings per text, drawn without replacement.")
BY_RATINGS_WITH_BAND = plain(
    "HUSE by number of ratings per text, drawn without replacement; in brackets the middle band of the draws."
)
BY_TEXTS = plain("HUSE by number of texts, drawn without replacement.")
BY_TEXTS_WITH_BAND = plain(
    "HUSE by number of texts, drawn without replacement; in brackets the middle band of the draws."
)
CHOICES = plain("HUSE by other choices, one changed at a time.")
CHOICES_WITH_INTERVALS = plain("HUSE by other choices, one changed at a time; intervals in the row as reported only.")
AS_REPORTED = (
    "Intervals are as in the table of HUSE. Those under selections of rules, where there are any, are by half-samples "
    "of texts, with these raters: one value can have both."
)
# Lists of contexts, each with its words and the verdict on the contexts that fit these.
KINDS: tuple[tuple[str, str, Verdict], ...] = (
    ("quality_failures", "distinguished by quality", "distinguished"),
    ("diversity_failures", "distinguished by probability, rated alike", "distinguished"),
    ("correct", "distinguished", "distinguished"),
    ("incorrect", "mistaken for each other", "mistaken"),
    ("indistinguishable", "undecided", "undecided"),
)
VERDICT_WORDS: dict[Verdict, str] = {
    "distinguished": "distinguished",
    "mistaken": "mistaken for each other",
    "split": "one right, one wrong",
    "undecided": "undecided",
}
OF_VERDICTS = (
    f"Undecided: the absolute margins of both texts add up to {UNDECIDED} at most. Of the others, distinguished: "
    "neither text has more votes for the other source than for its own; mistaken for each other: neither has more for "
    "its own."
)


HASHIMOTO = Reference(
    "hashimoto2019huse",
    "inproceedings",
    (
        ("author", "Hashimoto, Tatsunori B. and Zhang, Hugh and Liang, Percy"),
        ("title", "Unifying Human and Statistical Evaluation for Natural Language Generation"),
        ("booktitle", "Proceedings of NAACL-HLT 2019"),
        ("pages", "1689--1701"),
        ("year", "2019"),
    ),
)


def tables(results: HuseResults) -> Iterator[Table]:
    """Of every generator, one kind after the other."""
    if not results.generators:
        return
    extras = results.all_extras
    for table in (
        _null(extras),
        _pairs(results.compared),
        _exclusions(extras, results.generators),
        _choices(extras),
        _verdicts(extras),
        _examples(extras),
        _curve(extras, "ratings"),
        _curve(extras, "texts"),
    ):
        if table is not None:
            yield table


def missing(results: HuseResults) -> tuple[tuple[str, str], ...]:
    """Generators without HUSE, and parts that could not be computed, each with the reason."""
    absent = [(f"HUSE of {name}", why) for name, why in results.too_little]
    absent += [(f"{part}, {extras.name}", why) for extras in results.all_extras for part, why in extras.why]
    if results.generators and results.compared is None:
        absent.append(("Differences between generators", results.why_not))
    return tuple(absent)


def measures(results: HuseResults) -> tuple[Measured, ...]:
    """HUSE, HUSE-Q and HUSE-D of each generator, exact ties."""
    return tuple(
        Measured(generator.facts.name, TITLES[measure], getattr(generator.modes["exact"], measure))
        for generator in sorted(results.generators, key=lambda generator: generator.facts.name)
        for measure in HEADLINES
    )


def _table(
    name: str, title: str, columns: Sequence[Column], rows: Sequence[Row], notes: Sequence[str] = ()
) -> Table | None:
    return Table(name, title, tuple(columns), tuple(rows), tuple(notes)) if rows else None


def _null(all_extras: Sequence[HuseExtras]) -> Table | None:
    rows: list[Row] = []
    for extras in all_extras:
        if extras.null is not None:
            null = extras.null
            drawn = (null.null_mean, null.null_sd, null.scheme, null.permutations, null.n)
            rows.append((extras.name, null.value, permutation_estimate(null), null.mid_p, *drawn))
    columns = (
        Column("generator", "Generator"),
        Column("huse", "HUSE", "number"),
        Column("p", "p", "estimate", n="n", digits=4),
        Column("mid_p", "mid-p", "p"),
        Column("null_mean", "Mean under the null", "number"),
        Column("null_sd", "its sd", "number", digits=3),
        Column("scheme", "Permuted labels"),
        Column("permutations", "Permutations", "count"),
        Column("n", "n", "count"),
    )
    title = plain("Test against equal sources, one-sided, by permutation of the labels of the texts.")
    notes = dict.fromkeys(extras.null.note for extras in all_extras if extras.null is not None and extras.null.note)
    return _table("huse-null", title, columns, rows, (TEST_NOTE, *notes))


def _pairs(compared: Comparison | None) -> Table | None:
    if compared is None:
        return None
    columns = (Column("first", "First"), Column("second", "less second"), *FOUR[:3])
    rows: list[Row] = [
        (difference.first, difference.second, difference.huse, difference.huse_q, difference.huse_d)
        for difference in compared.differences
    ]
    at = "its own number of ratings" if compared.ratings is None else f"{compared.ratings} ratings"
    title = plain("Differences between generators with the same references; contexts drawn once for all.")
    notes = (
        f"Each text at {at}.",
        "An interval of a difference that holds 0 does not show that two generators are alike.",
        "The intervals are for new contexts with these raters, whichever raters the other intervals are for: what "
        "other raters would change is not in them, and matters most where different people rated the generators.",
    )
    return _table("huse-differences", title, columns, rows, notes)


def _exclusions(all_extras: Sequence[HuseExtras], generators: Sequence[GeneratorReport]) -> Table | None:
    rows: list[Row] = []
    for extras, generator in zip(all_extras, generators, strict=True):
        if extras.everything is not None:
            reported = generator.modes["exact"]
            rows.append((extras.name, "as reported", *_three(reported), reported.huse_q.n))
            rows.append((extras.name, "with every judgment", *_three(extras.everything), extras.everything.huse_q.n))
    columns = (Column("generator", "Generator"), Column("judgments", "Judgments"), *FOUR[:3], Column("n", "n", "count"))
    title = plain("HUSE with and without the exclusions of the section Quality, exact ties.")
    return _table("huse-exclusions", title, columns, rows, (AS_REPORTED,))


def _three(result: HuseResult) -> tuple[Estimate, Estimate, Estimate]:
    return result.huse, result.huse_q, result.huse_d


def _choices(all_extras: Sequence[HuseExtras]) -> Table | None:
    rows: list[Row] = []
    for extras in all_extras:
        if extras.choices is not None:
            rows.append((extras.name, "as reported", *_four(extras.choices.default), extras.choices.n))
            rows += [(extras.name, row.choice, *_four(row.result), row.result.huse_q.n) for row in extras.choices.rows]
    columns = (Column("generator", "Generator"), Column("choice", "Choice"), *FOUR, Column("n", "n", "count"))
    bounded = any(extras.choices.default.huse.interval for extras in all_extras if extras.choices is not None)
    title = CHOICES_WITH_INTERVALS if bounded else CHOICES
    note = "These choices are the program's, alike for every study. Do not report a row chosen after the results."
    return _table("huse-choices", title, columns, rows, (note,))


def _four(result: HuseResult) -> tuple[Cell, ...]:
    return tuple(getattr(result, key) for key in TITLES)


def _verdicts(all_extras: Sequence[HuseExtras]) -> Table | None:
    """How many pairs have each verdict: all of them are in a row."""
    rows: list[Row] = []
    alone: list[str] = []
    for extras in all_extras:
        if (examples := extras.examples) is not None:
            rows += [(extras.name, VERDICT_WORDS[verdict], pairs) for verdict, pairs in examples.verdicts.items()]
            rows.append((extras.name, "all", examples.n))
            if texts := examples.settings["texts_left_out"]:
                alone.append(f"{extras.name} {texts}")
    columns = (Column("generator", "Generator"), Column("verdict", "Verdict"), Column("pairs", "Pairs", "count"))
    title = plain("Pairs of a reference and a model text of one context, by the verdict of the classifier.")
    notes = [OF_VERDICTS, *([f"Texts without a partner in their context: {', '.join(alone)}."] if alone else [])]
    return _table("huse-verdicts", title, columns, rows, notes)


def _examples(all_extras: Sequence[HuseExtras]) -> Table | None:
    rows: list[Row] = []
    for extras in all_extras:
        if extras.examples is not None:
            rows += [(extras.name, words, *_example(example)) for words, example in _kinds(extras.examples)]
    columns = (
        Column("generator", "Generator"),
        Column("kind", "Kind"),
        Column("context", "Context"),
        Column("reference", "Reference"),
        Column("reference_hj", "its HJ", "number"),
        Column("reference_rate", "its log p per unit", "number"),
        Column("model", "Model text"),
        Column("model_hj", "its HJ", "number"),
        Column("model_rate", "its log p per unit", "number"),
        Column("margin", "Margin", "number"),
    )
    title = plain("Contexts by the verdict of the classifier, with its margin.")
    note = (
        f"At most {EXAMPLES} contexts of a kind; each context once, in the kind where it ranks highest. Margin: from "
        "−2 (wrong) to 2 (right)."
    )
    impossible = any(cell is None for row in rows for cell in (row[5], row[8]))
    dash = ("A dash for log p: the model gives this text probability 0.",) if impossible else ()
    return _table("huse-examples", title, columns, rows, (note, *dash))


def _kinds(examples: Examples) -> Iterator[tuple[str, Example]]:
    """Contexts by kind, each once, in the kind where it ranks highest and its margin fits the words."""
    ranked = sorted(
        (rank, at, example)
        for at, (kind, _, verdict) in enumerate(KINDS)
        for rank, example in enumerate(getattr(examples, kind))
        if example.verdict == verdict
    )
    chosen: dict[int, list[Example]] = {at: [] for at in range(len(KINDS))}
    used: set[Example] = set()
    for _, at, example in ranked:
        if example not in used and len(chosen[at]) < EXAMPLES:
            chosen[at].append(example)
            used.add(example)
    for at, (_, words, _) in enumerate(KINDS):
        yield from ((words, example) for example in chosen[at])


def _example(example: Example) -> tuple[Cell, ...]:
    a, b = example.reference, example.model
    return (example.context, a.id, a.hj, _finite(a.q), b.id, b.hj, _finite(b.q), example.margin)


def _finite(value: float) -> float | None:
    return None if value == float("-inf") else value


def _curve(all_extras: Sequence[HuseExtras], over: str) -> Table | None:
    rows: list[Row] = []
    for extras in all_extras:
        curve: Curve | None = getattr(extras, over)
        # Of all texts alone it would be the table of HUSE again.
        if curve and over == "texts" and len(curve.points) == 1:
            continue
        for point in curve.points if curve else ():
            spreads: list[Estimate] = []
            for of_draws in (point.huse, point.huse_q):
                band = of_draws.band(curve.band)  # type: ignore[union-attr]
                spreads.append(Estimate(of_draws.mean, curve.n, band, curve.settings, (), curve.signature))  # type: ignore[union-attr]
            rows.append((extras.name, point.at, *spreads, point.accuracy.mean, curve.n))  # type: ignore[union-attr]
    noun = "ratings per text" if over == "ratings" else "texts"
    columns = (
        Column("generator", "Generator"),
        Column(over, noun.capitalize(), "count"),
        *FOUR[:2],
        Column("accuracy", "Accuracy", "share", digits=1),
        Column("n", "n", "count"),
    )
    fits = [
        (extras.name, extras.ratings.fit)
        for extras in all_extras
        if over == "ratings" and extras.ratings and extras.ratings.fit
    ]
    lines = [f"{name}: HUSE = {number(fit.a, 3)} {_signed(fit.b)} / r. {fit.note}" for name, fit in fits]
    curves = [curve for extras in all_extras if (curve := getattr(extras, over))]
    shares = " or ".join(dict.fromkeys(f"{curve.band:.0%}" for curve in curves))
    spread = f"The band holds the middle {shares} of the draws: it shows variation over subsamples, not uncertainty."
    if all(FULL_SIZE in curve.flags for curve in curves):
        spread += " Its width is 0 at full size."
    banded = any(isinstance(cell, Estimate) and cell.interval for row in rows for cell in row)
    plainly = BY_RATINGS if over == "ratings" else BY_TEXTS
    with_band = BY_RATINGS_WITH_BAND if over == "ratings" else BY_TEXTS_WITH_BAND
    title = with_band if banded else plainly
    return _table(f"huse-by-{over}", title, columns, rows, (*([spread] if banded else []), *lines))


def _signed(value: float) -> str:
    return f"{'+' if value >= 0 else '−'} {number(abs(value), 3)}"


def draw_curves(all_extras: Sequence[HuseExtras]) -> Iterator[Chart]:
    """Curves of all generators on one scale; sensitivity to k is the table of choices."""
    drawn = [
        (at, _drawn(extras.name, curve))
        for at, extras in enumerate(all_extras, 1)
        for curve in (extras.ratings, extras.texts)
        if curve and len(curve.points) > 1
    ]
    for (at, curve), chart in zip(drawn, huse_curves.charts([curve for _, curve in drawn]), strict=True):
        yield replace(chart, name=f"huse-by-{curve.over}-{at}")


def _drawn(name: str, curve: Curve) -> huse_curves.SizeCurve:
    places = tuple(
        huse_curves.Place(point.at, point.huse.mean, point.huse.low, point.huse.high, curve.draws)
        for point in curve.points
    )
    return huse_curves.SizeCurve(name, "texts" if curve.over == "texts" else "raters", places, curve.band)


SECTIONS = (
    SectionKind(
        key="huse",
        title="HUSE",
        order=10,
        gather=gather,
        compute=compute,
        tables=lambda results: tuple(tables(results)),
        figures=lambda results: tuple(draw_curves(results.all_extras)),
        missing=missing,
        measures=measures,
        references=lambda results: (HASHIMOTO,),
        steps=count_steps,
    ),
)
