"""What a report computes and warns of."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from fractions import Fraction
from pathlib import Path

import pytest

from metrics.errors import BadInput
from metrics.figures import huse_scatter
from metrics.huse.estimate import evaluate
from metrics.report.build import build_report
from metrics.report.formats.csv import main_table
from metrics.report.formats.plain_text import table
from metrics.report.records import ReportInput
from metrics.report.result import Report
from metrics.types import MODEL
from tests.metrics.report.huse_data import huse_study
from tests.metrics.report.samples import study, with_truth

LACKS = {"t=1.0": (1.1, 0.1), "t=0.7": (0.2, 1.4)}


@pytest.fixture(scope="module")
def given() -> ReportInput:
    return study(LACKS)


@pytest.fixture(scope="module")
def report(given: ReportInput) -> Report:
    return build_report(given, seed=7)


def kinds(given: ReportInput) -> set[str]:
    return {warn.kind for warn in build_report(given).warnings}


def sentence(given: ReportInput, kind: str) -> str:
    return next(warn.sentence for warn in build_report(given).warnings if warn.kind == kind)


def one(given: ReportInput, **changed: object) -> ReportInput:
    """The study with its first generator changed, and no other."""
    return replace(given, generators=(replace(given.generators[0], **changed),))  # type: ignore[arg-type]


def test_every_number_is_that_of_evaluate(given: ReportInput, report: Report) -> None:
    for facts, generator in zip(given.generators, report.generators, strict=True):
        assert generator.modes == evaluate(facts.items, k=16, seed=7, level=0.95)


@pytest.mark.parametrize(
    ("table", "target"),
    [
        ("icc-typicality", "for new texts with raters of their own"),
        ("mixed-typicality", "for new texts and new raters"),
        ("huse-differences", "for new contexts with these raters"),
    ],
)
def test_intervals_of_one_target_name_it_where_the_others_can_be_chosen(
    report: Report, table: str, target: str
) -> None:
    (notes,) = (each.notes for section in report.sections for each in section.tables if each.name == table)
    assert any(target in note and "whichever raters the other intervals are for" in note for note in notes)


def test_references_are_counted_once_in_hj_by_source(report: Report) -> None:
    assert [(row.name, row.mean.n) for row in report.sources] == [("reference", 30), ("t=1.0", 30), ("t=0.7", 30)]
    assert report.ratings_per_text == ((20, 90),)


def test_mean_hj_has_the_t_interval_over_texts(report: Report) -> None:
    from scipy import stats

    row = report.sources[1]
    values = [hj for _, hj, _ in row.texts]
    low, high = stats.t.interval(0.95, len(values) - 1, loc=sum(values) / len(values), scale=stats.sem(values))
    assert row.mean.interval is not None
    assert (row.mean.interval.low, row.mean.interval.high) == pytest.approx((low, high))


def test_panels_share_their_axes_and_shade_by_share_of_references(report: Report) -> None:
    first, second = (generator.panel for generator in report.generators)
    assert first.hj_range == second.hj_range
    assert first.rate_range == second.rate_range
    assert first.shade is not None
    cells = [cell for row in first.shade.share for cell in row]
    assert all(0 <= cell <= 1 for cell in cells if cell is not None)
    assert first.shade.share[20][-1] > 0.5 > first.shade.share[20][0]  # type: ignore[operator]


def test_verdict_says_told_apart_with_the_interval_when_it_lies_below_one() -> None:
    report = build_report(study({"poor": (2.5, 0.0)}))
    huse = report.generators[0].modes["exact"].huse
    assert huse.interval is not None
    assert huse.interval.high < 1
    assert report.verdicts[0].startswith("poor is worse than the references on typicality: ")
    assert report.verdicts[1].startswith("poor differs from the references: HUSE ")
    assert f"{huse.interval.high:.2f}] at 60 texts" in report.verdicts[1]


def test_verdict_of_a_generator_like_the_references_claims_no_equality() -> None:
    answer, verdict = build_report(study({"same": (0.0, 0.0)}, seed=3)).verdicts
    assert answer.startswith("Undecided between same and the references on typicality: ")
    assert verdict.startswith("HUSE detected no difference between same and the references")


def test_interleaved_hits_raise_no_warning_about_sources(given: ReportInput) -> None:
    assert not kinds(given) & {"one_source_hits"}


def test_hits_of_one_source_warn_and_limit_the_conclusion() -> None:
    report = build_report(study({"t=1.0": (1.0, 0.0)}, mixed=False))
    assert "In every HIT with ratings they are of one source only (2 HITs)" in next(
        w.sentence for w in report.warnings if w.kind == "one_source_hits"
    )
    assert any("cannot be separated from a difference between HITs" in limit for limit in report.limits)


def test_some_hits_of_one_source_are_counted(given: ReportInput) -> None:
    moved = tuple(replace(r, hit="alone" if r.text == "ref-0" else "mixed") for r in given.ratings)
    facts = replace(given.study, texts_per_hit=len(given.texts) - 1)
    assert sentence(replace(given, study=facts, ratings=moved), "some_one_source_hits").startswith("1 of 2 HITs")


def test_ratings_of_unknown_hits_say_nothing_about_hits(given: ReportInput) -> None:
    bare = tuple(replace(rating, hit=None) for rating in given.ratings)
    assert not kinds(replace(given, ratings=bare)) & {"one_source_hits", "some_one_source_hits"}


def test_fewer_than_ten_raters_warn() -> None:
    assert "few_raters" in kinds(study({"a": (1.0, 0.0)}, raters=9))
    assert "few_raters" not in kinds(study({"a": (1.0, 0.0)}, raters=10))


def test_unequal_raters_warn_with_the_range(given: ReportInput) -> None:
    cut = next(rating for rating in given.ratings if rating.text == "t=1.0-0")
    kept = tuple(replace(r, kept=False) if r is cut else r for r in given.ratings)
    values = [rating.value for rating in kept if rating.text == cut.text and rating.kept]
    items = tuple(
        replace(i, hj=Fraction(sum(values), 19), ratings=19) if i.id == cut.text else i
        for i in given.generators[0].items
    )
    changed = one(replace(given, ratings=kept), items=items)
    assert "between 19 and 20 ratings" in sentence(changed, "unequal_raters")


def test_outputs_and_log_probs_of_different_decodings_warn(given: ReportInput) -> None:
    told = sentence(one(given, log_prob_decoding="sampling, t=1.0 untruncated"), "decoding_mismatch")
    assert "'sampling, t=1.0'" in told
    assert "untruncated" in told
    assert "decoding_mismatch" not in kinds(given)


def test_duplicate_contexts_warn_by_source(given: ReportInput) -> None:
    items = tuple(replace(i, context="c1") if i.id == "t=1.0-0" else i for i in given.generators[0].items)
    assert "1 context with more than one model text" in sentence(one(given, items=items), "duplicate_contexts")


def test_probability_zero_is_counted(given: ReportInput) -> None:
    items = tuple(replace(i, log_prob=float("-inf")) if i.id == "ref-0" else i for i in given.generators[0].items)
    assert "1 text with probability zero" in sentence(one(given, items=items), "zero_probability")


def test_huse_above_one_is_shown_and_explained() -> None:
    studies = (study({"same": (0.0, 0.0)}, texts=20, seed=seed) for seed in range(40))
    report = next(r for r in map(build_report, studies) if (r.generators[0].modes["exact"].huse.value or 0) > 1)
    value = report.generators[0].modes["exact"].huse.value
    told = next(warn.sentence for warn in report.warnings if warn.kind == "above_one")
    assert f"HUSE is {value:.2f}, above 1" in told


def test_rehearsals_say_that_their_raters_are_simulated(given: ReportInput) -> None:
    assert "rehearsal" in kinds(given)
    assert "rehearsal" not in kinds(replace(given, study=replace(given.study, mode="live")))


def test_a_launch_of_one_day_warns_for_people_only(given: ReportInput) -> None:
    first = given.study.collected_from
    assert first is not None
    short = replace(given.study, collected_to=first + timedelta(hours=3))
    assert "one_day" in kinds(replace(given, study=replace(short, mode="live")))
    assert "one_day" not in kinds(replace(given, study=short))


def test_the_callers_warnings_come_first_and_each_is_said_once(given: ReportInput) -> None:
    warn = build_report(given).warnings[-1]
    report = build_report(replace(given, warnings=(warn, warn)))
    assert report.warnings[0] == warn
    assert len(set(report.warnings)) == len(report.warnings)


def test_an_hj_that_is_not_the_mean_of_its_ratings_is_refused(given: ReportInput) -> None:
    items = tuple(replace(i, hj=Fraction(1)) if i.id == "t=1.0-3" else i for i in given.generators[0].items)
    with pytest.raises(BadInput, match=r"item t=1\.0-3, column hj: HJ is 1, but the mean of its 20 ratings is"):
        build_report(one(given, items=items))


def test_records_that_contradict_each_other_are_refused(given: ReportInput) -> None:
    with pytest.raises(BadInput, match="no text of its id"):
        build_report(replace(given, texts=given.texts[1:]))
    with pytest.raises(BadInput, match="name of its own"):
        build_report(replace(given, generators=(given.generators[0], given.generators[0])))
    with pytest.raises(BadInput, match="id of its own"):
        build_report(replace(given, texts=(*given.texts, given.texts[0])))
    with pytest.raises(BadInput, match="rating of nobody's text"):
        build_report(replace(given, ratings=(replace(given.ratings[0], text="nobody's text"),)))


def test_mean_ratings_without_ratings_make_a_report_that_says_so(given: ReportInput) -> None:
    items = tuple(replace(item, ratings=0) for item in given.generators[0].items)
    report = build_report(one(replace(given, ratings=()), items=items))
    assert report.generators[0].judged[0].interval is None
    assert any(warn.kind == "unknown_raters" for warn in report.warnings)


def test_progress_is_told_each_generator_and_the_end(given: ReportInput) -> None:
    told: list[tuple[str, int, int]] = []
    build_report(given, progress=lambda *step: told.append(step))
    assert [step for step, _, _ in told if step.startswith("HUSE")] == ["HUSE of t=1.0", "HUSE of t=0.7"]
    assert [(done, of) for _, done, of in told] == [(at, 8) for at in range(8)]


def test_the_console_table_shows_estimates_truths_and_money_within_100_columns(given: ReportInput) -> None:
    report = build_report(with_truth(given))
    text = table(report)
    huse = report.generators[0].modes["exact"].huse
    assert huse.interval is not None
    assert f"{huse.value:.2f} [{huse.interval.low:.2f}, {huse.interval.high:.2f}]" in text
    assert "E[estimator]    0.72" in text.replace("  E[estimator]  ", "E[estimator]    ")
    assert "224.00 USD" in text
    assert "4.48 USD per hour" in text
    assert max(map(len, text.splitlines())) <= 100
    assert text.isascii()


def test_the_console_table_says_not_recorded(given: ReportInput) -> None:
    bare = ReportInput(given.study, given.generators, given.texts)
    assert "cost     not recorded" in table(build_report(bare))


@pytest.mark.needs_data
def test_the_released_study_gives_the_published_and_the_exact_values_and_warns(data_dir: Path) -> None:
    report = build_report(huse_study(data_dir / "huse" / "summarization_batch_results.csv"))
    exact, paper = (report.generators[0].modes[mode] for mode in ("exact", "paper"))
    assert (paper.huse.value, paper.huse_q.value, paper.huse_d.value) == (0.53, 0.5800000000000001, 0.95)
    assert (exact.huse.value, exact.huse_q.value, exact.huse_d.value) == pytest.approx((0.53, 0.60, 0.93), abs=1e-12)
    found = {warn.kind for warn in report.warnings}
    assert {"one_source_hits", "duplicate_contexts", "modes_differ"} <= found
    assert report.sources[1].source == MODEL
    assert report.sources[1].mean.value == pytest.approx(3.6585)
    assert report.raters == 93


def test_without_any_finite_log_prob_the_plane_stays_white_and_the_support_is_told(given: ReportInput) -> None:
    items = tuple(replace(item, log_prob=float("-inf")) for item in given.generators[0].items)
    report = build_report(one(given, items=items))
    assert report.generators[0].panel.shade is None
    assert "−∞" in chart_alt(report)


def test_flags_of_the_estimate_become_sentences(given: ReportInput) -> None:
    facts = given.generators[0]
    flat = one(replace(given, ratings=()), items=tuple(replace(item, hj=Fraction(3)) for item in facts.items))
    assert "all texts have the same HJ" in sentence(flat, "zero_variance_hj")
    fewer = one(given, items=facts.items[:-5])
    assert "the same weight" in sentence(fewer, "unbalanced")
    zero = tuple(replace(i, log_prob=float("-inf")) if i.source == MODEL else i for i in facts.items)
    assert "HUSE is 0 by construction" in sentence(one(given, items=zero), "disjoint_support")


def test_too_few_texts_of_one_source_get_no_verdict(given: ReportInput) -> None:
    facts = given.generators[0]
    models = [item for item in facts.items if item.source == MODEL]
    references = [item for item in facts.items if item.source != MODEL]
    few = build_report(one(given, items=(*references[:10], *models)))
    _, said = few.verdicts
    assert "10 references are too few for 16 neighbours, so no verdict is given." in said
    assert "differs from" not in said
    assert "No difference" not in said
    assert {"few_of_one_source", "vote_unbalanced"} <= {warn.kind for warn in few.warnings}
    assert "modes_differ" not in {warn.kind for warn in few.warnings}


def test_nothing_is_said_of_which_way_huse_goes_with_raters(report: Report) -> None:
    """Its own curve may rise: the figure says which way it goes in this study."""
    sentences = [*report.limits, *(warn.sentence for warn in report.warnings), *main_table(report).notes]
    assert any("depends on the number of ratings" in one for one in report.limits)
    assert not [one for one in sentences if "HUSE falls" in one or "raise HUSE" in one]


def test_a_band_of_draws_without_spread_stands_nowhere_as_an_interval(report: Report) -> None:
    (curve,) = (one for part in report.sections for one in part.tables if one.name == "huse-by-texts")
    full = max(row[1] for row in curve.rows)
    drawn = {cell.interval.method for row in curve.rows if row[1] < full for cell in row[2:4]}
    assert drawn == {"band of the draws, no interval"}
    # Every text is drawn, once.
    assert {cell.interval for row in curve.rows if row[1] == full for cell in row[2:4]} == {None}
    assert not re.search(r"\[(\S+), \1\]", " ".join(chart.alt for part in report.sections for chart in part.charts))


def test_the_terminal_says_what_the_intervals_are_for(report: Report) -> None:
    words = " ".join(table(report).split())
    assert "interval of HUSE, for the expectation of the estimator at this number of texts and ratings" in words
    assert "over new texts" in words
    assert max(map(len, table(report).splitlines())) <= 100


def chart_alt(report: Report) -> str:
    return huse_scatter.alt(report.generators[0].panel)


def test_the_methods_say_what_was_done_and_nothing_else(given: ReportInput) -> None:
    first = given.study.collected_from
    assert first is not None
    one_day = replace(given.study, collected_to=first, mode="imported")
    told = " ".join(build_report(replace(given, study=one_day)).methods)
    assert "Ratings were collected on 3 November 2026." in told
    unrated = build_report(replace(given, study=replace(given.study, mode="imported"), ratings=()))
    assert "Ratings were collected" not in " ".join(unrated.methods)
    assert "Exclusions before the import are not known" in told
    assert "by half-samples of contexts." in told
    apart = study({"t=1.0": (1.0, 0.0)}, mixed=False)
    moved = tuple(
        replace(one, rater=f"{one.rater}-{'m' if one.text.startswith('t=') else 'r'}") for one in apart.ratings
    )
    crowd = replace(apart.crowd, workers=186)
    both = build_report(replace(apart, ratings=moved, crowd=crowd))
    assert "by half-samples of texts and of raters." in " ".join(both.methods)


def test_where_all_texts_are_rated_alike_the_interval_of_huse_is_not_said_to_be_missing() -> None:
    """HJ is dropped, so that HUSE-Q has no interval, and HUSE, by log p alone, has one."""
    base = study({"t=0.7": (0.4, 0.6)}, raters=4)
    alike = [
        replace(generator, items=tuple(replace(item, hj=Fraction(3)) for item in generator.items))
        for generator in base.generators
    ]
    ratings = tuple(replace(rating, label="Average", value=3) for rating in base.ratings)
    report = build_report(replace(base, generators=tuple(alike), ratings=ratings), k=5)
    exact = report.generators[0].modes["exact"]
    assert (exact.huse_q.interval is None, exact.huse.interval is None) == (True, False)
    methods = " ".join(report.methods)
    assert "Intervals are at 95%, by half-samples of " in methods
    assert "too few here" not in methods
