"""Studies of every kind of task in the report: scales, labels, preferences, comments, frequency; each file of each."""

from __future__ import annotations

import csv
import io
import json
import random
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

from metrics.report.build import build_report
from metrics.report.formats.csv import csv_files
from metrics.report.formats.json import read
from metrics.report.formats.write import write_report
from metrics.report.records import RatingRow, ReportInput, ScaleLabel, TextRow
from metrics.report.result import Report
from metrics.report.row_records import CodeRow, CommentRow
from metrics.report.sections import frequency
from metrics.tables.record import Table
from metrics.types import Estimate
from tests.metrics.report.evaluators_study import evaluators
from tests.metrics.report.samples import MONEY, NOW, STUDY, study

AGREE = ("Strongly disagree", "Disagree", "Neither", "Agree", "Strongly agree")
ERRORS = ("No Error", "Disfluent", "Off Target")
PREFER = {1: "The first", 0: "No difference", -1: "The second"}


def texts(number: int = 12) -> tuple[TextRow, ...]:
    sides: tuple[tuple, ...] = (("r", "reference", None), ("m", "model", "gpt"))
    return tuple(
        TextRow(f"{prefix}{i}", source, name, f"Text {prefix} {i}.", f"c{i}", f"Context {i}")
        for prefix, source, name in sides
        for i in range(number)
    )


def given(ratings: list[RatingRow], scale: tuple[ScaleLabel, ...]) -> ReportInput:
    return ReportInput(replace(STUDY, scale=scale, coding="as shown"), (), texts(), tuple(ratings), MONEY)


def likert() -> ReportInput:
    rng = random.Random(4)
    scale = tuple(ScaleLabel(name, code) for code, name in enumerate(AGREE, 1))
    ratings = []
    for text in texts():
        for rater in range(5):
            for criterion in ("fluency", "relevance"):
                code = min(5, max(1, round(rng.gauss(4 if text.generator is None else 3, 1))))
                ratings.append(RatingRow(text.id, f"w{rater}", AGREE[code - 1], code, "HIT 1", 1, True, criterion))
    return given(ratings, scale)


def error_labels() -> ReportInput:
    """Raters 0 to 2 give each model text two labels at once; references have no error."""
    scale = tuple(ScaleLabel(name, code) for code, name in enumerate(ERRORS))
    ratings = []
    for text in texts():
        for rater in range(3):
            for code in (1, 2) if text.generator else (0,):
                ratings.append(RatingRow(text.id, f"w{rater}", ERRORS[code], code, "HIT 1", 1, True, "error"))
    return given(ratings, scale)


def pairwise() -> ReportInput:
    """Of 12 pairs judged by 4 raters, the reference is better in 30, neither in 6, the model's text in 12."""
    results = [1] * 30 + [0] * 6 + [-1] * 12
    random.Random(1).shuffle(results)
    scale = tuple(ScaleLabel(name, code) for code, name in PREFER.items())
    ratings = []
    for at, better in enumerate(results):
        pair, swapped = at % 12, at % 2
        first, second = (f"m{pair}", f"r{pair}") if swapped else (f"r{pair}", f"m{pair}")
        value = -better if swapped else better
        ratings.append(
            RatingRow(first, f"w{at // 12}", PREFER[value], value, "HIT 1", 1, True, "preference", "", second)
        )
    return given(ratings, scale)


def commented() -> ReportInput:
    """Six comments by training; two coders agree on four of them, and a third word settles the fifth."""
    base = evaluators()
    own = [one for one in base.ratings if one.kept][:6]
    codes = [("grammar",), ("grammar", "repetition"), ("repetition",), (), ("grammar",), ("coherence",)]
    rows = []
    for at, (rating, first) in enumerate(zip(own, codes, strict=True)):
        second = first if at < 4 else ("repetition",)
        for coder, given_codes in (("coder 1", first), ("coder 2", second)):
            rows.append(CodeRow(rating.text, rating.rater, "why", coder, given_codes or ("null",)))
    rows.append(CodeRow(own[4].text, own[4].rater, "why", "adjudicated", ("repetition",)))
    comments = tuple(CommentRow(one.text, one.rater, "why", f"Because {at}.") for at, one in enumerate(own))
    book = (("form", ("grammar",)), ("content", ("repetition", "coherence")))
    return replace(base, comments=comments, codes=tuple(rows), codebook=book)


LAYOUTS: dict[str, Callable[[], ReportInput]] = {
    "typicality": lambda: study({"t=0.7": (0.4, 0.6)}),
    "human_or_machine": evaluators,
    "likert": likert,
    "error_labels": error_labels,
    "pairwise": pairwise,
    "comments": commented,
}


def table(report: Report, name: str) -> Table:
    return next(one for section in report.sections for one in section.tables if one.name == name)


def methods_of(report: Report) -> list[str]:
    """The sentences of its methods."""
    return [str(sentence) for sentence in report.methods]


def cells(found: Table, *keys: str) -> list[tuple]:
    at = [[column.key for column in found.columns].index(key) for key in keys]
    return [tuple(row[i] for i in at) for row in found.rows]


# --- what is computed ---


@pytest.mark.parametrize("raters", ["new", "these"])
def test_means_of_a_scale_are_means_of_texts_for_whom_the_report_says(raters: str) -> None:
    from scipy import stats

    source = likert()
    rated = np.array(
        [
            [rating.value for rating in source.ratings if rating.criterion == "fluency" and rating.text == f"m{text}"]
            for text in range(12)
        ],
        dtype=float,
    )
    # 12 texts, each rated by the same five raters.
    texts, people = (stats.sem(rated.mean(axis=axis)) ** 2 for axis in (1, 0))
    single = 60 / 59 * ((rated - rated.mean()) ** 2).sum() / 60**2
    variance = texts if raters == "these" else max(texts, people, texts + people - single)
    low, high = stats.t.interval(0.95, 11 if raters == "these" else 4, loc=rated.mean(), scale=variance**0.5)
    report = build_report(source, raters=raters)
    found = next(row for row in table(report, "scales").rows if row[:2] == ("fluency", "gpt"))
    assert (found[2].value, found[2].n) == (pytest.approx(rated.mean()), 12)
    assert (found[2].interval.low, found[2].interval.high) == pytest.approx((low, high))
    over = "over new contexts, with these raters" if raters == "these" else "over new contexts and new raters"
    coded = "coded 1 to 5, 1 = Strongly disagree, 5 = Strongly agree"
    stated = table(report, "scales").title
    assert stated == f"Ratings by source, {coded}; 95% intervals of means and differences {over}."
    assert any(f"means of sources have 95% intervals {over}" in said for said in methods_of(report))


@pytest.mark.parametrize(("raters", "over"), [("new", " and new raters"), ("these", ", with these raters")])
def test_shares_and_preferences_say_whom_their_intervals_are_for(raters: str, over: str) -> None:
    labels, pairs = (build_report(make(), raters=raters) for make in (error_labels, pairwise))
    for report, name in ((labels, "labels"), (pairs, "preferences-preference")):
        assert table(report, name).title.endswith(f"; 95% intervals over new contexts{over}.")
        assert any(f"95% intervals over new contexts{over}." in said for said in methods_of(report))


@pytest.mark.parametrize(
    ("raters", "half", "over"),
    [("new", 4.302653 * 0.25, "contexts and new raters"), ("these", 3.182446 * 0.25, "contexts, with these raters")],
)
def test_the_difference_from_the_references_is_paired_by_context(raters: str, half: float, over: str) -> None:
    """Four contexts, three raters; se over contexts .25, over raters .144338, and the larger counts."""
    apart = ((1, 2, 0), (1, 1, 1), (-1, 0, 1), (2, 1, 0))
    ratings = [
        RatingRow(f"{prefix}{context}", f"w{rater}", "", 3 + (prefix == "m") * more, "HIT 1", 1, True, "fluency")
        for prefix in "rm"
        for context, row in enumerate(apart)
        for rater, more in enumerate(row)
    ]
    made = replace(likert(), ratings=tuple(ratings))
    found = table(build_report(made, raters=raters), "scales")
    difference = next(row for row in found.rows if row[1] == "gpt")[3]
    assert difference.value == pytest.approx(0.75)
    assert (difference.interval.low, difference.interval.high) == pytest.approx((0.75 - half, 0.75 + half), abs=1e-5)
    assert over in found.title


def test_labels_of_errors_are_shares_of_judgments_and_several_count_each() -> None:
    found = table(build_report(error_labels()), "labels")
    shown = {row[:2]: (row[2].value, *row[3:]) for row in cells(found, "source", "label", "share", "given", "n")}
    assert shown["gpt", "Disfluent"] == (1.0, 36, 36)
    assert shown["gpt", "Off Target"] == (1.0, 36, 36)
    assert shown["references", "No Error"] == (1.0, 36, 36)
    assert not any(one.name == "scales" for section in build_report(error_labels()).sections for one in section.tables)


def test_preferences_are_counted_whichever_side_a_text_stood_on() -> None:
    found = table(build_report(pairwise()), "preferences-preference")
    row = cells(found, "first", "second", "wins", "ties", "losses", "pairs", "n")[0]
    assert row == ("gpt", "references", 12, 6, 30, 12, 48)
    assert found.rows[0][2].value == pytest.approx((12 + 3) / 48)


def test_strengths_of_two_are_the_log_odds_of_their_wins() -> None:
    import math

    found = table(build_report(pairwise()), "strengths-preference")
    values = {row[0]: row[1].value for row in found.rows}
    assert values["references"] - values["gpt"] == pytest.approx(math.log(33 / 15))


@pytest.mark.parametrize(("mode", "drawn"), [("live", True), ("imported", False)])
def test_only_of_pairs_shown_here_it_is_said_that_sides_were_drawn(mode: Any, drawn: bool) -> None:
    source = pairwise()
    report = build_report(replace(source, study=replace(source.study, mode=mode)))
    notes = [note for section in report.sections for table in section.tables for note in table.notes]
    assert any("Sides were drawn at random" in note for note in notes) is drawn


def test_strengths_and_their_difference_have_intervals_clustered_by_context_and_rater_and_name_their_target() -> None:
    """Of two sources each strength is half the difference: the means of the pairs' residuals, by context and rater."""
    from scipy import stats

    source, report = pairwise(), build_report(pairwise())
    votes = [
        (int(one.text[1:]), one.rater, (1 + one.value * (1 if one.text[0] == "r" else -1)) / 2)
        for one in source.ratings
    ]
    p, sums = 33 / 48, [Counter(), Counter()]
    for context, rater, won in votes:
        sums[0][context] += won - p
        sums[1][rater] += won - p
    of_item, of_rater = (len(s) / (len(s) - 1) * sum(v * v for v in s.values()) for s in sums)
    of_cell = 48 / 47 * sum((won - p) ** 2 for *_, won in votes)
    assert (len(sums[0]), len(sums[1])) == (12, 4)
    both = of_item + of_rater - of_cell
    variance = both if both > 0 else max(of_item, of_rater)
    half = stats.t.ppf(0.975, 3) * variance**0.5 / (48 * p * (1 - p))
    found = table(report, "strength-differences-preference")
    assert [row[:2] for row in found.rows] == [("references", "gpt")]
    interval = found.rows[0][2].interval
    assert (interval.high - interval.low) / 2 == pytest.approx(half)
    assert interval.target == "value over new items and new raters like these"
    strengths = table(report, "strengths-preference")
    assert all((row[1].interval.high - row[1].interval.low) == pytest.approx(half) for row in strengths.rows)
    for one in (found, strengths):
        assert "95% intervals over new contexts and new raters" in one.title
        assert any("fewer than 10 contexts or raters" in note for note in one.notes)
    results = rows_of(csv_files(report)["results.csv"])
    methods = [one["method"] for one in results if one["table"] == found.name and one["signature"]]
    assert ["for new items and raters" in method for method in methods] == [True]


def test_strengths_of_texts_without_a_context_have_no_interval_and_say_why() -> None:
    base = pairwise()
    report = build_report(replace(base, texts=tuple(replace(text, context_id=None) for text in base.texts)))
    for name in ("strengths-preference", "strength-differences-preference"):
        found = table(report, name)
        assert not any(cell.interval for row in found.rows for cell in row if isinstance(cell, Estimate))
        assert "interval" not in found.title
        assert any("the context that both texts were written for is not known" in note for note in found.notes)


def test_where_preferences_have_two_kinds_of_intervals_the_report_says_so() -> None:
    notes = table(build_report(pairwise()), "strength-differences-preference").notes
    assert any("Wilson's intervals" in note and "symmetric in log odds" in note for note in notes)


def test_each_reason_for_a_missing_interval_of_preferences_is_another_sentence() -> None:
    """Of raters who always prefer the same source, of one rater, of texts whose context is not known."""
    source = pairwise()
    many = [replace(one, rater=f"{one.rater}, {int(one.text[1:]) % 2}") for one in source.ratings]
    of_many = replace(source, ratings=tuple(many))
    same = [replace(one, value=1 if one.text[0] == "r" else -1) for one in many]
    never = replace(source, ratings=tuple(same))
    alone = replace(source, ratings=tuple(one for one in source.ratings if one.rater == source.ratings[0].rater))
    unknown = replace(of_many, texts=tuple(replace(one, context_id=None) for one in source.texts))
    for made, why, verdict in (
        (never, "a ridge keeps strengths finite", "not every source was preferred to every other"),
        (alone, "they need at least 2 contexts and 2 raters", "1 rater, and at least 5 are needed"),
        (unknown, "is not known of every pair", "the context of the texts is not known"),
    ):
        report = build_report(made)
        (note,) = (line for line in table(report, "strengths-preference").notes if "no intervals" in line)
        assert why in note
        (reason,) = (line for line in table(report, "answer-comparisons").notes if line.startswith("Not tested ("))
        assert verdict in reason
        assert reason.endswith("): gpt less references.")
    (shares,) = (line for line in table(build_report(alone), "preferences-preference").notes if "no interval" in line)
    assert shares.endswith("or of one rater.")


def test_comments_have_both_denominators_and_agreement_of_coders() -> None:
    report = build_report(commented())
    found = table(report, "comment-codes")
    every = {row[1]: row[2:] for row in cells(found, "condition", "code", "labels", "comments") if row[0] == "all"}
    # grammar, grammar + repetition, repetition, null, repetition (settled), coherence: 6 comments, 6 labels.
    assert every["grammar"] == (2, 2)
    assert every["repetition"] == (3, 3)
    shares = {
        row[1]: (row[2].value, row[3].value)
        for row in cells(found, "condition", "code", "share_of_labels", "share_of_comments")
        if row[0] == "all" and row[2] is not None
    }
    assert shares["repetition"] == pytest.approx((3 / 6, 3 / 6))
    kappa = {row[0]: row[1] for row in table(report, "coder-agreement").rows}
    assert kappa["grammar"].n == 6
    assert kappa["grammar"].value == pytest.approx(2 / 3)  # agree on 5 of 6; by chance on 1/2
    assert len(table(report, "comments").rows) == 6


def test_frequency_is_correlated_with_hj_also_without_a_generator() -> None:
    base = study({"t=0.7": (0.4, 0.6)})
    own = tuple(replace(text, corpus_count=10**at, corpus_name="news") for at, text in enumerate(base.texts[:8]))
    kept = {text.id for text in own}
    bare = replace(base, generators=(), texts=own, ratings=tuple(r for r in base.ratings if r.text in kept))
    report = build_report(bare)
    assert [row[0] for row in table(report, "hj-frequency").rows] == ["Pearson, log frequency", "Spearman"]
    assert table(report, "hj-frequency").notes == (frequency.INTERVALS, "Counted in news.")
    assert any(chart.name == "hj-by-frequency" for section in report.sections for chart in section.charts)


def test_duplicates_and_overlap_with_references_and_contexts_are_counted() -> None:
    long = "one two three four five six seven eight nine ten"
    base = study({"t=0.7": (0.4, 0.6)})
    bodies = {"ref-0": long, "t=0.7-0": f"{long} eleven", "t=0.7-1": "Twice  said", "t=0.7-2": "twice said"}
    changed = tuple(
        replace(text, body=bodies.get(text.id, text.body), context=long if text.id == "t=0.7-3" else text.context)
        for text in base.texts
    )
    found = build_report(replace(base, texts=changed)).items.tables[0]
    row = next(dict(zip([c.key for c in found.columns], row, strict=True)) for row in found.rows if row[0] == "t=0.7")
    expected = Counter(" ".join(text.body.casefold().split()) for text in changed)
    again = sum(expected[" ".join(t.body.casefold().split())] > 1 for t in changed if t.generator)
    assert (row["texts"], row["again"], row["taken"], row["context"]) == (30, again, 1, 0)
    assert again >= 2


def test_accuracy_stands_with_and_without_the_exclusions() -> None:
    found = table(build_report(evaluators()), "evaluators-exclusions")
    ratings = {row[1]: row[2] for row in cells(found, "condition", "which", "ratings") if row[0] == "all judgments"}
    assert ratings == {"as reported": 115, "with every judgment": 120}


def test_raters_of_one_country_and_loose_thresholds_are_limitations() -> None:
    from metrics.report.row_records import Attached

    base = replace(evaluators(), study=replace(evaluators().study, mode="live"))
    estimate = {"value": 0.5, "n": 2, "interval": None, "settings": {}, "flags": [], "signature": "h|n:2"}
    scores = {"thresholds": {"low": 0.4, "high": 0.4, "calibrated": False}, "backend": {"model": "tiny"}}
    document = {**scores, **dict.fromkeys(("h", "u", "m", "mean_fp"), estimate)}
    crowd = replace(base.crowd, criteria=("located in US",))
    warned = build_report(
        replace(base, crowd=crowd, attached=(Attached("automatic", "h.json", "0" * 64, document),))
    ).warnings
    assert {"locale", "uncalibrated"} <= {warn.kind for warn in warned}


# --- every file of every kind of study ---


@pytest.mark.parametrize("name", LAYOUTS)
def test_the_json_validates_and_reads_back_to_the_same_numbers(name: str, tmp_path: Path) -> None:
    report = build_report(LAYOUTS[name](), seed=3)
    write_report(report, tmp_path, now=NOW, formats=("json",))
    body = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    jsonschema.validate(body, json.loads((tmp_path / "report.schema.json").read_text(encoding="utf-8")))
    again = read(body)
    assert again == report.input
    assert [one.tables for one in build_report(again, seed=3).sections] == [one.tables for one in report.sections]


@pytest.mark.parametrize("name", LAYOUTS)
def test_two_exports_of_one_state_differ_by_the_date_alone(name: str, tmp_path: Path) -> None:
    for folder, when in (("a", NOW), ("b", NOW + timedelta(days=1))):
        formats = ("html", "json", "csv", "latex")
        write_report(build_report(LAYOUTS[name](), seed=3), tmp_path / folder, now=when, formats=formats)
    for path in (tmp_path / "a").iterdir():
        lines, others = (one.read_bytes().decode().split("\n") for one in (path, tmp_path / "b" / path.name))
        pairs = zip(lines, others, strict=True)
        assert all("2026-11-2" in new or "November 2026" in new for old, new in pairs if old != new), path.name


def test_two_archives_of_one_state_and_moment_are_the_same_bytes(tmp_path: Path) -> None:
    name = next(iter(LAYOUTS))
    for folder in ("a", "b"):
        write_report(build_report(LAYOUTS[name](), seed=3), tmp_path / folder, now=NOW, formats=("html", "zip"))
    for path in (tmp_path / "a").iterdir():
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes(), path.name


@pytest.mark.parametrize("name", LAYOUTS)
def test_the_dictionary_lists_exactly_the_columns_of_the_files_and_every_estimate_says_its_n(
    name: str, tmp_path: Path
) -> None:
    write_report(build_report(LAYOUTS[name](), seed=3), tmp_path, now=NOW, formats=("csv",))
    with (tmp_path / "dictionary.csv").open(newline="", encoding="utf-8") as file:
        told = [(row["file"], row["column"]) for row in csv.DictReader(file)]
    for path in tmp_path.glob("*.csv"):
        if path.name != "dictionary.csv":
            heads = path.read_text(encoding="utf-8").split("\n", 1)[0].split(",")
            assert heads == [column for name, column in told if name == path.name], path.name
    with (tmp_path / "results.csv").open(newline="", encoding="utf-8") as file:
        assert all(row["n"] for row in csv.DictReader(file) if row["signature"])


ATTACKS = ("=1+1", "+1", "-1+cmd|' /C calc'!A0", "@SUM(1)", "\t=1", "\r=1")


@pytest.mark.parametrize("attack", ATTACKS)
def test_words_that_a_spreadsheet_would_run_are_escaped_and_negative_numbers_stand(attack: str, tmp_path: Path) -> None:
    base = pairwise()
    comments = (CommentRow("r0", "w0", attack, attack),)
    bad = replace(
        base,
        texts=tuple(replace(text, body=attack, context=attack) for text in base.texts),
        ratings=tuple(replace(one, label=attack if one.value == 0 else one.label) for one in base.ratings),
        comments=comments,
    )
    write_report(build_report(bad), tmp_path, now=NOW, formats=("csv",))
    values = set()
    for path in tmp_path.glob("*.csv"):
        with path.open(newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                values |= {row["value"]} if path.name == "ratings.csv" else set()
                for cell in row.values():
                    assert cell[:1] not in ("=", "+", "@", "\t", "\r"), (path.name, cell)
                    assert not cell.startswith("-") or float(cell) < 0, (path.name, cell)
    assert values == {"1", "0", "-1"}


def test_what_is_judged_of_the_work_is_told_apart_from_what_comments_say() -> None:
    said = commented()
    judged = [("=mismatch",), ("=mismatch",), ("null",), ("unclear",), ("null",), ("null",)]
    rows = [
        CodeRow(one.text, one.rater, "why", coder, codes, "criteria")
        for coder, shift in (("coder 1", 0), ("coder 2", 3))
        for one, codes in zip(said.comments, judged[shift:] + judged[:shift], strict=True)
    ]
    report = build_report(replace(said, codes=(*said.codes, *rows), criteria=(("criteria", ("=mismatch", "unclear")),)))
    for name in ("comment-codes", "coder-agreement", "comments"):
        assert table(report, name) == table(build_report(said), name)
    agreed = {row[0]: row[1] for row in table(report, "criteria-agreement").rows}
    # Of six the first coder finds the first two, the second the fourth and fifth: they agree on 2, by chance on 10/3.
    assert agreed["=mismatch"].value == pytest.approx((2 - 10 / 3) / (6 - 10 / 3))


def test_a_comment_whose_rater_has_no_answer_to_its_text_has_a_dash_that_is_explained() -> None:
    said = commented()
    text, rater = said.comments[0].text, said.comments[0].rater
    ratings = tuple(one for one in said.ratings if (one.text, one.rater) != (text, rater))
    shown = table(build_report(replace(said, ratings=ratings)), "comments")
    assert [row[2] for row in shown.rows].count(None) == 1
    assert shown.notes == ("A dash: no answer of this rater to this text is recorded.",)
    assert table(build_report(said), "comments").notes == ()


def test_codes_of_either_codebook_stand_in_files_that_run_nothing() -> None:
    said = commented()
    row = CodeRow(said.comments[0].text, said.comments[0].rater, "why", "coder 1", ("=1+1",), "criteria")
    found = csv_files(build_report(replace(said, codes=(*said.codes, row), criteria=(("criteria", ("=1+1",)),))))
    codes, book, told = (rows_of(found[f"{name}.csv"]) for name in ("codes", "codebook", "dictionary"))
    assert [one["code"] for one in codes if one["codebook"] == "criteria"] == ["'=1+1"]
    assert len(codes) == 1 + sum(len(one.codes) for one in said.codes)
    assert [tuple(one.values()) for one in book] == [
        ("comments", "form", "grammar"),
        ("comments", "content", "repetition"),
        ("comments", "content", "coherence"),
        ("criteria", "criteria", "'=1+1"),
    ]
    columns = {(one["file"], one["column"]) for one in told}
    assert {("codes.csv", "codebook"), ("codebook.csv", "category")} <= columns


def rows_of(lines: Iterable[str]) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO("".join(lines), newline="")))
