"""The figures of a report beyond the scatter: ratings by label, and the trade-off of several generators."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from metrics.report.build import build_report
from metrics.report.formats.figures import charts, headline
from metrics.report.records import ReportInput
from metrics.report.sections.scores import count_scores, list_labels
from metrics.types import MODEL, REFERENCE
from tests.metrics.report.samples import LABELS, STUDY, study

LACKS = {"t=1.0": (1.1, 0.1), "t=0.7": (0.2, 1.4)}


@pytest.fixture(scope="module")
def given() -> ReportInput:
    return study(LACKS, texts=20, raters=6)


def names(given: ReportInput) -> list[str]:
    return [chart.name for chart in charts(build_report(given))]


def test_labels_stand_in_the_order_of_the_scale(given: ReportInput) -> None:
    assert list_labels(given) == LABELS


def test_ratings_are_counted_by_label_for_the_references_and_one_generator(given: ReportInput) -> None:
    reference, model = count_scores(given, "t=0.7", 0.95)
    own = Counter(one.label for one in given.ratings if one.text.startswith("t=0.7"))
    assert model.counts == tuple(own[label] for label in LABELS)
    assert (model.source, model.n, reference.source, reference.n) == (MODEL, 120, REFERENCE, 120)
    assert model.raters == len({one.rater for one in given.ratings if one.text.startswith("t=0.7")})


def test_each_share_lies_in_its_interval_over_raters(given: ReportInput) -> None:
    for one in count_scores(given, "t=1.0", 0.9):
        for share, span in zip(one.shares, one.intervals, strict=True):
            assert span is not None
            assert 0 <= span.low <= share <= span.high <= 1
            assert span.level == 0.9
            assert "for new raters" in span.method


def test_judgments_left_out_of_the_analysis_are_not_counted(given: ReportInput) -> None:
    less = replace(given, ratings=(replace(given.ratings[0], kept=False), *given.ratings[1:]))
    assert (
        sum(one.n for name in LACKS for one in count_scores(less, name, 0.95)[1:])
        + count_scores(less, "t=0.7", 0.95)[0].n
        == 359
    )


def test_one_rater_alone_gives_shares_without_intervals(given: ReportInput) -> None:
    alone = replace(given, ratings=tuple(replace(one, rater="w") for one in given.ratings))
    assert set(count_scores(alone, "t=0.7", 0.95)[0].intervals) == {None}


def test_every_generator_has_its_pictures_and_two_have_their_trade_off(given: ReportInput) -> None:
    whole = ["hj-by-source", "scatter-1", "scatter-2", "ratings-1", "ratings-2", "tradeoff"]
    assert [one.name for one in headline(build_report(given))] == whole
    assert names(replace(given, generators=given.generators[:1])) == [
        *("hj-by-source", "scatter-1", "ratings-1"),
        "huse-by-raters-1",
    ]


def test_without_ratings_there_is_no_picture_of_them(given: ReportInput) -> None:
    assert "ratings-1" not in names(ReportInput(given.study, given.generators, given.texts))


def test_a_scale_of_many_places_is_no_set_of_labels(given: ReportInput) -> None:
    slider = tuple(replace(one, label=f"{at % 101}", value=at % 101) for at, one in enumerate(given.ratings))
    wide = replace(given, ratings=slider, study=replace(STUDY, scale=()))
    assert list_labels(wide) == ()


def test_labels_come_from_the_ratings_where_the_scale_is_not_recorded(given: ReportInput) -> None:
    bare = replace(given, study=replace(STUDY, scale=()))
    assert list_labels(bare) == tuple(label for label in LABELS if label in {one.label for one in given.ratings})
