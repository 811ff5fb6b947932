"""Several studies in one report: what is put beside what, what is told of it, and every file of it."""

from __future__ import annotations

import csv
import json
import random
import subprocess
import zipfile
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import jsonschema
import pytest
from lxml import html as lxml_html

from metrics.errors import BadInput
from metrics.report.build import build_report
from metrics.report.comparison import rating_scales
from metrics.report.comparison.compare import StudyComparison, compare_studies
from metrics.report.formats.write_comparison import write_comparison
from metrics.report.records import ReportInput
from tests.annotation.reports.round_trips import KINDS
from tests.metrics.report.evaluators_study import evaluators
from tests.metrics.report.samples import NOW, study

AWKWARD = r"50% _of_ #1 & {two} ~ $3 ^ \x 中文 שלום"


def named(given: ReportInput, name: str) -> ReportInput:
    return replace(given, study=replace(given.study, name=name))


def rated_by_others(given: ReportInput) -> ReportInput:
    return replace(given, ratings=tuple(replace(one, rater=f"x-{one.rater}") for one in given.ratings))


def fewer(given: ReportInput, ratings: int) -> ReportInput:
    """The same study with so many ratings of each text, HJ to match."""
    seen: dict[str, list] = {}
    for one in given.ratings:
        if len(seen.setdefault(one.text, [])) < ratings:
            seen[one.text].append(one)
    kept = [one for own in seen.values() for one in own]
    from fractions import Fraction

    generators = tuple(
        replace(
            facts,
            items=tuple(
                replace(item, hj=Fraction(sum(one.value for one in seen[item.id]), ratings), ratings=ratings)
                for item in facts.items
            ),
        )
        for facts in given.generators
    )
    return replace(given, ratings=tuple(kept), generators=generators)


@pytest.fixture(scope="module")
def first() -> ReportInput:
    return named(study({"t=1.0": (1.1, 0.1), "t=0.7": (0.2, 1.4)}), "first")


@pytest.fixture(scope="module")
def second() -> ReportInput:
    return rated_by_others(named(study({"other": (0.8, 0.4)}, seed=9), "second"))


@pytest.fixture(scope="module")
def compared(first: ReportInput, second: ReportInput) -> StudyComparison:
    return compare_studies([first, second], seed=7, command="manage.py report first second --out DIR")


def table(found: StudyComparison, name: str):
    return next(one for section in found.sections for one in section.tables if one.name == name)


def test_every_generator_of_every_study_meets_every_other(compared: StudyComparison) -> None:
    pairs = [row[:2] for row in table(compared, "huse-pairs").rows]
    assert pairs == [("t=1.0", "t=0.7"), ("t=1.0", "other"), ("t=0.7", "other")]


def test_what_a_study_reports_alone_stands_first_and_unchanged(compared: StudyComparison, first: ReportInput) -> None:
    alone = {one.facts.name: one.modes["exact"].huse for one in build_report(first, seed=7).generators}
    shown = {row[1]: row[2] for row in table(compared, "huse-alone").rows}
    for name, estimate in alone.items():
        assert (shown[name].value, shown[name].n) == (estimate.value, estimate.n)


def test_within_a_study_references_are_shared_and_across_them_raters_are_in_the_interval(
    compared: StudyComparison,
) -> None:
    methods = [row[2].interval.method for row in table(compared, "huse-pairs").rows]
    assert methods[0] == "paired half-samples"
    for row in table(compared, "huse-pairs").rows:
        assert f"|n:{row[5]}|" in row[2].signature
    assert all("raters" in method for method in methods[1:])


def test_unequal_numbers_of_ratings_are_equalised_and_the_number_is_told(first: ReportInput) -> None:
    less = rated_by_others(named(fewer(study({"other": (0.8, 0.4)}, seed=9), 8), "second"))
    found = compare_studies([first, less])
    assert "At 8 ratings per text." in table(found, "huse-common").notes
    assert any("mean over 200 draws of 8 ratings" in note for note in table(found, "huse-common").notes)
    assert all("8 ratings per text" in sentence for sentence in found.verdicts)


def scaled(given: ReportInput, *codes: int, names: str = "") -> ReportInput:
    """The same study with other codes, or other labels, on its scale."""
    kept = given.study.scale
    scale = tuple(
        replace(one, code=code, name=f"{names}{one.name}")
        for one, code in zip(kept, codes or [label.code for label in kept], strict=True)
    )
    return replace(given, study=replace(given.study, scale=scale))


@pytest.mark.parametrize("codes", [(6, 5, 4, 3, 2, 1), (100, 80, 60, 40, 20, 0), (0, 1, 2, 3, 4, 5)])
def test_codes_that_are_shifted_stretched_or_turned_round_are_told_and_harm_nothing(
    first: ReportInput, second: ReportInput, codes: tuple[int, ...]
) -> None:
    assert [one.code for one in first.study.scale] == [5, 4, 3, 2, 1, 0]
    known = rating_scales.relate_scales([first, scaled(second, *codes)])
    assert [warn.kind for warn in rating_scales.warnings(known)] == ["scales_recoded"]
    assert rating_scales.comparable(known, "first", "second")


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (lambda given: scaled(given, 9, 4, 3, 2, 1, 0), "codes that lie otherwise"),
        (lambda given: scaled(given, names="not "), "have different labels"),
        (lambda given: replace(given, study=replace(given.study, scale=())), "not recorded"),
    ],
)
def test_across_other_scales_differences_are_shown_and_no_verdict_is_drawn(
    first: ReportInput, second: ReportInput, other, words: str
) -> None:
    found = compare_studies([first, other(second)], seed=7)
    (warned,) = [warn for warn in found.warnings if warn.kind == "scales_differ"]
    assert words in warned.sentence
    assert [row[:3] for row in table(found, "huse-pairs").rows] == [
        ("t=1.0", "t=0.7", "the same"),
        ("t=1.0", "other", "different"),
        ("t=0.7", "other", "different"),
    ]
    assert not any("other" in line.split(":")[0] for line in found.verdicts[:-1])
    assert found.verdicts[-1].startswith("No verdict is drawn from 2 pairs")


def test_the_same_scale_says_nothing_of_scales(compared: StudyComparison) -> None:
    assert not [warn for warn in compared.warnings if warn.kind.startswith("scales")]
    assert "scale" not in [column.key for column in table(compared, "huse-pairs").columns]


def test_below_five_ratings_equalising_is_refused_in_a_sentence(first: ReportInput) -> None:
    less = rated_by_others(named(fewer(study({"other": (0.8, 0.4)}, seed=9), 4), "second"))
    found = compare_studies([first, less])
    missing = next(one for one in found.sections if one.key == "huse").missing
    assert (
        "Differences between generators",
        "A text has 4 rating(s). Equalizing needs at least 5 ratings of each text.",
    ) in [(part, why) for part, why in missing]
    assert table(found, "huse-alone").rows


def test_without_log_p_quality_alone_is_compared(first: ReportInput, second: ReportInput) -> None:
    bare = replace(
        second,
        generators=tuple(
            replace(facts, items=tuple(replace(item, log_prob=None) for item in facts.items))
            for facts in second.generators
        ),
    )
    found = compare_studies([first, bare])
    assert [column.key for column in table(found, "huse-pairs").columns] == ["first", "second", "huse_q", "n"]
    own = next(row for row in table(found, "huse-common").rows if row[1] == "t=0.7")[2]
    assert own.value == build_report(first).generators[1].modes["exact"].huse_q.value


def test_a_context_is_shared_only_where_its_words_are(first: ReportInput, second: ReportInput) -> None:
    def contexts(found: StudyComparison) -> list[set]:
        return [{item.context for item in one.items} for one in found.systems]

    same = contexts(compare_studies([first, second]))
    assert same[0] == same[2]
    moved = replace(second, texts=tuple(replace(text, context=f"Other {text.context}") for text in second.texts))
    assert not set.intersection(*(contexts(compare_studies([first, moved]))[at] for at in (0, 2)))
    told = compare_studies([first, moved]).limits
    assert any("share no context" in one for one in told)


def test_of_a_study_without_single_ratings_it_is_said_what_that_leaves_open(
    first: ReportInput, second: ReportInput
) -> None:
    bare = replace(second, ratings=())
    found = compare_studies([first, bare])
    assert [row[5] for row in table(found, "studies").rows] == ["20", "20"]
    said = "“second” lacks single ratings: intervals of differences between studies omit the variation of raters"
    assert said in next(warn.sentence for warn in found.warnings if warn.kind == "interval_without_raters")
    assert any("raters who may be the same (“second” lacks single ratings)" in limit for limit in found.limits)
    assert "20 ratings per text, which every text has," in " ".join(found.methods)
    unrated = replace(first, ratings=tuple(each for each in first.ratings if each.text != first.ratings[0].text))
    assert table(compare_studies([unrated, second]), "studies").rows[0][5] == "0 to 20"


def test_what_sets_the_studies_apart_is_warned_of(first: ReportInput, second: ReportInput) -> None:
    other = replace(second, study=replace(second.study, question="How good is it?", mode="live"))
    kinds = {warn.kind for warn in compare_studies([first, other]).warnings}
    assert {"studies_differ", "rehearsal"} <= kinds
    same = {warn.kind for warn in compare_studies([first, named(first, "again")]).warnings}
    assert "shared_raters" in same
    assert "studies_differ" not in same


def test_evaluators_of_two_studies_are_compared_by_welchs_test() -> None:
    other = replace(
        named(evaluators(5), "second"),
        ratings=tuple(replace(one, rater=f"x-{one.rater}") for one in evaluators(5).ratings),
    )
    found = compare_studies([named(evaluators(), "first"), other])
    rows = table(found, "evaluators-conditions").rows
    assert {row[0].split(" × ")[0] for row in rows} | {row[1].split(" × ")[0] for row in rows} == {"first", "second"}
    assert len(table(found, "evaluators-by-study").rows) == 4  # two studies by two trainings
    assert found.verdicts[0].startswith(
        "4 of 6 pairs of conditions are shown to differ in the accuracy of evaluators; "
    )
    assert "2 studies asked who wrote a text" in found.verdicts[1]


def test_where_nothing_was_tested_no_absence_of_a_difference_is_stated() -> None:
    first = evaluators()
    source = {text.id: text.source for text in first.texts}
    right = [replace(row, value=4 if source[row.text] == "model" else 1) for row in first.ratings]
    wrong = [replace(row, value=5 - row.value) for row in right]
    always, never = replace(first, ratings=tuple(right)), replace(first, ratings=tuple(wrong))
    found = compare_studies([named(always, "always"), named(never, "never")])
    why = "within each of them all evaluators have the same accuracy"
    assert found.verdicts[0] == f"Whether accuracy differs between conditions is not tested: {why}."


def test_without_an_interval_no_sentence_speaks_of_intervals(first: ReportInput, second: ReportInput) -> None:
    found = compare_studies([first, second], k=41)
    assert all(row[2].interval is None for row in table(found, "huse-pairs").rows)
    pairs, common = table(found, "huse-pairs"), table(found, "huse-common")
    notes = [*pairs.notes, *common.notes, pairs.title, common.title]
    assert not [line for line in (*found.limits, *found.methods, *notes) if "interval" in line.lower()]


def test_the_same_question_of_the_same_generator_is_not_said_to_be_another() -> None:
    given = KINDS["pairs"](3)
    (verdict,) = compare_studies([named(given, "first"), named(given, "again")]).verdicts
    assert verdict.endswith(
        "Where two asked the same question of texts of the same generator, they share no score on one scale, and no "
        "preference found in the first study was tested again."
    )


def test_of_two_studies_one_test_says_which_evaluators_were_right_more_often() -> None:
    trained = evaluators()
    kept = trained.ratings[0].condition
    first = named(replace(trained, ratings=tuple(each for each in trained.ratings if each.condition == kept)), "first")
    found = compare_studies([first, named(first, "second")])
    assert found.verdicts[0].startswith("No difference of accuracy is shown between “first” and “second”: 0.0 [")
    assert "All evaluators took part in both studies" in found.verdicts[1]
    section = next(each for each in found.sections if each.key == "human-or-machine")
    names = [each.name for each in section.tables]
    assert names == ["evaluators-by-study", "evaluators-conditions"]
    assert table(found, "evaluators-by-study").columns[0].title == "Study"
    assert section.charts[0].title == "Accuracy by study"
    assert "studies" in section.charts[0].alt
    assert found.gives_intervals


def test_one_study_and_two_of_one_name_are_refused(first: ReportInput) -> None:
    for given in ([first], [first, first]):
        with pytest.raises(BadInput, match="two studies or more, each once"):
            compare_studies(given)


# --- files ---


@pytest.fixture(scope="module")
def folder(compared: StudyComparison, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("comparison")
    write_comparison(compared, out, now=NOW, formats=("html", "json", "csv", "latex", "zip"))
    return out


def test_the_json_validates_and_holds_every_table(folder: Path, compared: StudyComparison) -> None:
    body = json.loads((folder / "comparison.json").read_text(encoding="utf-8"))
    schema = json.loads((folder / "comparison.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(body, schema)
    assert [one["study"]["name"] for one in body["studies"]] == ["first", "second"]
    names = [one["name"] for section in body["results"] for one in section["tables"]]
    assert names == [one.name for section in compared.sections for one in section.tables]


def test_every_number_is_in_the_tidy_file_with_its_interval(folder: Path) -> None:
    with (folder / "results.csv").open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["table"] == "huse-pairs" and row["column"] == "huse"]
    assert len(rows) == 3
    assert all(row["low"] and row["high"] and row["n"] and row["signature"] for row in rows)


def test_the_page_fetches_nothing_and_shows_the_trade_off(folder: Path) -> None:
    root = lxml_html.parse(str(folder / "comparison.html")).getroot()
    assert not root.xpath("//@src | //link | //iframe | //form | //img")
    assert root.xpath("//figure[@id='figure-tradeoff']//svg/@aria-label")
    assert (
        "intervals over new contexts, with these raters"
        in root.xpath("//figure[@id='figure-tradeoff']")[0].text_content()
    )
    assert [one.get("id") for one in root.xpath("//section")] == [
        "summary",
        "results",
        "reproducibility",
        "limitations",
    ]
    assert "manage.py report first second --out DIR" in root.text_content()


def test_two_exports_differ_by_their_date_alone(compared: StudyComparison, folder: Path, tmp_path: Path) -> None:
    formats = ("html", "json", "csv", "latex")
    write_comparison(compared, tmp_path, now=NOW + timedelta(days=1), formats=formats)
    for path in tmp_path.iterdir():
        old, new = (folder / path.name).read_text().splitlines(), path.read_text().splitlines()
        assert len(old) == len(new)
        assert all("2026-11-2" in b for a, b in zip(old, new, strict=True) if a != b), path.name


def test_the_zip_holds_every_file_with_its_hash(folder: Path) -> None:
    with zipfile.ZipFile(folder / "report.zip") as packed:
        crate = json.loads(packed.read("ro-crate-metadata.json"))
        assert crate["@graph"][1]["name"] == "Comparison of first and second"
        assert {"comparison.html", "comparison.json", "results.csv", "comparison.tex"} <= set(packed.namelist())


def test_the_latex_compiles_whatever_studies_and_generators_are_called(first: ReportInput, tmp_path: Path) -> None:
    odd = rated_by_others(named(study({AWKWARD: (0.8, 0.4)}, seed=9), AWKWARD))
    write_comparison(compare_studies([first, odd]), tmp_path, now=NOW, formats=("latex", "html"))
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "comparison.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "comparison.pdf").stat().st_size > 10_000


def test_the_order_of_ratings_does_not_matter(
    first: ReportInput, second: ReportInput, compared: StudyComparison
) -> None:
    mixed = list(second.ratings)
    random.Random(1).shuffle(mixed)
    again = compare_studies([first, replace(second, ratings=tuple(mixed))], seed=7)
    assert again.verdicts == compared.verdicts
