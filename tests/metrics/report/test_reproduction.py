"""How closely a study repeats another (QRA++): numbers by hand, CV* of .58 and .62 from the specification."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from metrics.errors import InsufficientData
from metrics.inference.reproducibility import findings_upheld, set_correlations
from metrics.report.comparison.compare import compare_studies
from metrics.report.comparison.reproduction import KEY
from metrics.report.records import RatingRow, ReportInput, ScaleLabel, StudyFacts, TextRow
from metrics.report.section import Section
from metrics.tables.record import Table

SCALE = (ScaleLabel("no", 1), ScaleLabel("yes", 2))


def test_correlations_of_a_set_in_two_studies() -> None:
    product, ranks = set_correlations([1, 2, 3, 4], [10, 30, 20, 40])
    assert (product.value, ranks.value, ranks.n) == (pytest.approx(0.8), pytest.approx(0.8), 4)
    product, ranks = set_correlations([1, 2, 3], [1, 2, 9])
    assert product.value == pytest.approx(8 / (2 * 38) ** 0.5)
    assert ranks.value == pytest.approx(1)
    assert set_correlations([1, 1, 1], [1, 2, 3])[0].flags == ("no_variation",)
    with pytest.raises(InsufficientData):
        set_correlations([1, 2], [1, 2])


def test_findings_that_were_not_tested_again_are_not_counted() -> None:
    share = findings_upheld({1: "better", 2: "worse", 3: "better"}, {1: "better", 2: "undecided"})
    assert (share.value, share.n) == (0.5, 2)
    with pytest.raises(InsufficientData):
        findings_upheld({1: "better"}, {})


def study(name: str, yes: dict[str, Sequence[int]], *, raters: int = 10) -> ReportInput:
    """Texts of each source; of each text, so many raters say yes (2), the others no (1)."""
    texts, ratings = [], []
    for source, counts in yes.items():
        for at, count in enumerate(counts):
            key = f"{source}{at}"
            generator = None if source == "reference" else source
            side = "reference" if generator is None else "model"
            texts.append(TextRow(key, side, generator, f"Text {at} of {source}.", f"c{at}", f"Context {at}."))
            for rater in range(raters):
                value = 2 if (rater + at) % raters < count else 1
                label = SCALE[value - 1].name
                ratings.append(RatingRow(key, f"{name}-{rater}", label, value, f"h{at}", 1, True, "clarity"))
    facts = StudyFacts(name, "labelled scales", "Is it clear?", "text", SCALE, "1 to 2", "live")
    return ReportInput(study=facts, generators=(), texts=tuple(texts), ratings=tuple(ratings))


# Of ten raters so many say yes to each of five texts: a mean of .58, .20 and .96 from the lowest label.
FIRST = {"a": (5, 6, 6, 6, 6), "b": (2, 2, 2, 2, 2), "reference": (10, 9, 10, 9, 10)}
# Again: .62, .22; references are now as clear as a.
AGAIN = {"a": (6, 6, 6, 6, 7), "b": (2, 2, 3, 2, 2), "reference": (6, 7, 6, 6, 6)}


def reproduction(*studies: ReportInput) -> Section | None:
    return next((part for part in compare_studies(studies).sections if part.key == KEY), None)


def rows_of(section: Section, name: str) -> list[tuple]:
    table: Table = next(one for one in section.tables if one.name == name)
    return [tuple(getattr(cell, "value", cell) for cell in row) for row in table.rows]


def notes_of_findings(section: Section) -> str:
    return " ".join(note for table in section.tables if table.name == "reproduction-findings" for note in table.notes)


@pytest.fixture(scope="module")
def found() -> Section:
    section = reproduction(study("first", FIRST), study("again", AGAIN))
    assert section is not None
    return section


def test_single_scores_start_at_the_lowest_label_and_have_cv_star(found: Section) -> None:
    rows = {row[1]: row for row in rows_of(found, "reproduction-scores")}
    assert rows["a"][0] == "mean clarity, from the lowest label"
    assert rows["a"][2:] == (pytest.approx(0.58), pytest.approx(0.62), pytest.approx(6.646702, abs=1e-6))
    # (1 + 1/8) (|.20 - .22| / sqrt 2 / sqrt(2 / pi)) / .21 x 100
    assert rows["b"][4] == pytest.approx(112.5 * 0.02 / 2**0.5 / (2 / 3.14159265) ** 0.5 / 0.21)


def test_means_of_shared_texts_are_correlated(found: Section) -> None:
    ((criterion, first, second, n, product, ranks),) = rows_of(found, "reproduction-sets")
    assert (criterion, first, second, n) == ("clarity", "first", "again", 15)
    x = [count for source in FIRST for count in FIRST[source]]
    y = [count for source in AGAIN for count in AGAIN[source]]
    mean_x, mean_y = sum(x) / 15, sum(y) / 15
    product_by_hand = (
        sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
        / (sum((a - mean_x) ** 2 for a in x) * sum((b - mean_y) ** 2 for b in y)) ** 0.5
    )
    assert product == pytest.approx(product_by_hand)
    assert ranks < 1


def test_findings_are_upheld_where_the_repetition_finds_the_same(found: Section) -> None:
    rows = {row[1:3]: row[3:] for row in rows_of(found, "reproduction-findings")}
    assert rows["a", "b"] == ("better", "again", "better", "yes")
    assert rows["a", "references"] == ("worse", "again", "undecided", "no")
    assert rows["b", "references"] == ("worse", "again", "worse", "yes")
    assert "Of 3 findings of “first” that “again” tested again, 2 were upheld (67%)." in found.lead
    # Both generators are tested against the references together.
    assert "Each study adjusts p over all pairs that it tests (Holm)" in notes_of_findings(found)


def test_a_repetition_too_small_to_decide_anything_leaves_no_finding_tested() -> None:
    section = reproduction(study("first", FIRST), study("again", {name: counts[:4] for name, counts in AGAIN.items()}))
    assert section is not None
    rows = {row[1:3]: row[3:] for row in rows_of(section, "reproduction-findings")}
    assert rows["a", "b"] == ("better", "again", "too small", None)
    assert not [sentence for sentence in section.lead if "upheld" in sentence]


def test_the_summary_says_it_and_the_table_names_each_study() -> None:
    compared = compare_studies([study("first", FIRST), study("again", AGAIN)])
    assert compared.verdicts[-2].startswith(
        "Coefficient of variation for small samples (CV*) of 3 scores that the studies share: median "
    )
    scores = next(table for part in compared.sections for table in part.tables if table.name == "reproduction-scores")
    assert [column.title for column in scores.columns][2:4] == ["first", "again"]


def test_other_labels_and_other_sources_are_not_a_repetition() -> None:
    other = study("again", AGAIN)
    labels = (ScaleLabel("bad", 1), ScaleLabel("good", 2))
    assert reproduction(study("first", FIRST), replace(other, study=replace(other.study, scale=labels))) is None
    renamed = study("again", {"c": AGAIN["a"], "d": AGAIN["b"]})
    assert reproduction(study("first", {"a": FIRST["a"], "b": FIRST["b"]}), renamed) is None


def preferred(name: str, wins: int) -> ReportInput:
    """Ten raters say of each of six pairs which text is clearer; so many of them prefer that of a."""
    facts = replace(study(name, {}).study, task="pairwise preference", answers=(("clarity", "preference"),))
    texts, ratings = [], []
    for at in range(6):
        texts += [TextRow(f"{of}{at}", "model", of, f"Text {at} of {of}.", f"c{at}", f"Context {at}.") for of in "ab"]
        for rater in range(10):
            value = 1 if (rater + at) % 10 < wins else -1
            label = SCALE[(value + 1) // 2].name
            row = RatingRow(f"a{at}", f"{name}-{rater}", label, value, f"h{at}", 1, True, "clarity")
            ratings.append(replace(row, partner=f"b{at}"))
    return ReportInput(study=facts, generators=(), texts=tuple(texts), ratings=tuple(ratings))


def test_preferences_are_repeated_by_their_findings_alone() -> None:
    section = reproduction(preferred("first", 9), preferred("again", 8))
    assert section is not None
    assert section.lead == ("Of 1 finding of “first” that “again” tested again, 1 was upheld (100%).",)
    assert [table.name for table in section.tables] == ["reproduction-findings"]
    assert "Holm" not in notes_of_findings(section)  # there is one pair
