"""What a report is made from, and the sentence where none can be made."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.importing.add_texts import add_texts
from annotation.models import AuditEvent, Decision, Flag, HitItem, Intent, LedgerEntry, Result, Study, Submission
from annotation.readers.records import LikelihoodRecord, TextRecord
from annotation.reports import study_facts as facts
from annotation.reports.gather import score
from annotation.studies.create import Plan, create
from annotation.texts.queries import hit_sources
from metrics.report.records import KnownValue, ScaleLabel, Truth, describe_coding
from tests.annotation.importing import batches

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 20, tzinfo=UTC)


def imported(tmp_path: Path, content: batches.Rows | None = None) -> Study:
    path = batches.written(tmp_path / "batch.csv", content or batches.rows())
    call_command("import_batch", path, study="small")
    return Study.objects.get(name="small")


def leave_out(submissions: list[Submission]) -> None:
    for one in submissions:
        Decision.objects.create(submission=one, matter="analysis", verdict="exclude", reason="test", at=NOW)


def test_a_report_is_written_stored_and_noted(tmp_path: Path) -> None:
    study = imported(tmp_path)
    call_command("report", "small", out=tmp_path / "out", seed=3, level=0.9)
    told = json.loads((tmp_path / "out" / "report.json").read_text(encoding="utf-8"))
    assert told["reproducibility"]["command"] == "manage.py report small --out DIR --seed 3 --level 0.9"
    result = Result.objects.get(study=study)
    assert result.numbers == {name: part for name, part in told.items() if name != "data"}
    assert AuditEvent.objects.get(study=study, verb="export").facts["data_sha256"] == result.data_sha256


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"level": 2.0}, "--level: a level lies between 0 and 1"),
        ({"level": float("nan")}, "--level: a level lies between 0 and 1"),
        ({"seed": -1}, "--seed: a seed is a whole number"),
        ({"format": "docx"}, "docx is not a format"),
        ({"format": "pdf"}, "PDF needs a Chromium, and none is set: install one and set CHROMIUM to its path"),
    ],
)
def test_what_cannot_be_made_is_refused_before_anything_is_computed(
    tmp_path: Path, settings: Any, capsys: Any, given: dict[str, Any], sentence: str
) -> None:
    settings.CHROMIUM = ""
    imported(tmp_path)
    with pytest.raises(CommandError, match=sentence) as caught:
        call_command("report", "small", out=tmp_path / "out", **given)
    assert caught.value.returncode == 2
    assert "HUSE of" not in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("browser", ["", "/bin/false"])
def test_without_a_working_browser_all_but_the_pdf_is_made_and_a_sentence_says_so(
    tmp_path: Path, settings: Any, browser: str
) -> None:
    settings.CHROMIUM = browser
    imported(tmp_path)
    with pytest.raises(CommandError, match="Output that needs a browser was skipped") as caught:
        call_command("report", "small", out=tmp_path / "out", format="html,json,pdf")
    assert caught.value.returncode == 1
    assert {"report.html", "report.json"} <= {path.name for path in (tmp_path / "out").iterdir()}
    assert not (tmp_path / "out" / "report.pdf").exists()
    assert AuditEvent.objects.filter(verb="export").count() == 1


def test_the_same_data_give_the_same_hash_and_other_data_another(tmp_path: Path) -> None:
    study = imported(tmp_path)
    for folder in ("one", "two"):
        call_command("report", "small", out=tmp_path / folder)
    leave_out(list(Submission.objects.order_by("pk")[:1]))
    call_command("report", "small", out=tmp_path / "three")
    first, second, third = Result.objects.filter(study=study).order_by("pk").values_list("data_sha256", flat=True)
    assert first == second != third


def test_excluded_submissions_leave_the_means_and_stay_in_sight(tmp_path: Path) -> None:
    study = imported(tmp_path)
    gone = Submission.objects.order_by("pk").first()
    leave_out([gone])
    found = score(study)
    assert {item.ratings for item in found.generators[0].items} == {2, 3}
    assert [row.rater for row in found.ratings if not row.kept] == [gone.worker.pseudonym] * 3
    assert (found.crowd.excluded, found.crowd.submitted) == (1, 24)
    kept = [row.value for row in found.ratings if row.kept and row.text == "3HIT0-0"]
    assert next(item.hj for item in found.generators[0].items if item.id == "3HIT0-0") == sum(kept) / len(kept)


def test_a_study_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="nobody-made-this") as caught:
        call_command("report", "nobody-made-this", out=tmp_path)
    assert caught.value.returncode == 2


def test_a_study_without_ratings_has_a_report_that_says_so(tmp_path: Path) -> None:
    create("fresh", mode="rehearsal", plan=Plan(question="How typical is each?"), actor="test", now=NOW)
    call_command("report", "fresh", out=tmp_path / "out", format="html,json,csv,latex")
    told = json.loads((tmp_path / "out" / "report.json").read_text(encoding="utf-8"))
    assert told["verdicts"] == ["No text has been rated yet, so there are no results."]
    assert [one["key"] for one in told["results"] if one["tables"]] == []
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "There are no ratings yet" in page
    assert page.lower().count("not recorded") < 10
    call_command("import_report", tmp_path / "out" / "report.json", study="again")
    call_command("report", "again", out=tmp_path / "again", format="json")
    again = json.loads((tmp_path / "again" / "report.json").read_text(encoding="utf-8"))
    assert again["results"] == told["results"]


def test_studies_without_ratings_cannot_be_compared(tmp_path: Path) -> None:
    for name in ("fresh", "later"):
        create(name, mode="rehearsal", plan=Plan(), actor="test", now=NOW)
    with pytest.raises(CommandError, match="no text is rated yet in fresh, later"):
        call_command("report", "fresh", "later", out=tmp_path)


def test_a_study_whose_raters_are_all_excluded_names_the_exclusion(tmp_path: Path) -> None:
    imported(tmp_path)
    leave_out(list(Submission.objects.all()))
    with pytest.raises(CommandError, match="'excluded from the analysis' removed the most") as caught:
        call_command("report", "small", out=tmp_path / "out")
    assert caught.value.returncode == 2


@pytest.mark.parametrize("name", ["few", "single"])
def test_one_source_and_too_few_texts_leave_out_huse_and_nothing_else(tmp_path: Path, name: str) -> None:
    rows = batches.rows(hits=2) if name == "few" else batches.rows()
    if name == "single":
        rows = [{key: "SUM" if "TYPE" in key else cell for key, cell in row.items()} for row in rows]
    call_command("import_batch", batches.written(tmp_path / "batch.csv", rows), study=name)
    call_command("report", name, out=tmp_path / "out", format="html,json,csv,latex")
    told = json.loads((tmp_path / "out" / "report.json").read_text(encoding="utf-8"))
    sentence = {"few": "at least 17", "single": "all 24 items are model"}[name]
    (verdict,) = [verdict for verdict in told["verdicts"] if "no HUSE can be computed" in verdict]
    assert sentence in verdict
    sections = {one["key"]: one for one in told["results"]}
    assert sections["agreement"]["tables"]
    assert sections["huse"]["tables"] == []
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert sentence in page


def test_a_running_study_says_how_far_it_is(tmp_path: Path) -> None:
    study = imported(tmp_path)
    Study.objects.filter(pk=study.pk).update(mode="live", status="published")
    study.refresh_from_db()
    study.hits.update(max_assignments=5)
    (warned,) = [one for one in score(study).warnings if one.kind == "running"]
    assert f"24 of {5 * study.hits.count()} assignments are in" in warned.sentence
    Study.objects.filter(pk=study.pk).update(status="closed")
    study.refresh_from_db()
    assert "running" not in [one.kind for one in score(study).warnings]


def test_without_any_log_p_there_is_huse_q_alone(tmp_path: Path) -> None:
    mapping = tmp_path / "map.toml"
    shipped = (Path(facts.__file__).parents[1] / "readers" / "mappings" / "huse.toml").read_text()
    mapping.write_text(shipped.replace('log_prob = "Input.LOGP{i}"\n', ""))
    bare = [{name: cell for name, cell in row.items() if "LOGP" not in name} for row in batches.rows()]
    call_command("import_batch", batches.written(tmp_path / "bare.csv", bare), study="bare", mapping=mapping)
    call_command("report", "bare", out=tmp_path / "out")
    told = json.loads((tmp_path / "out" / "report.json").read_text(encoding="utf-8"))
    exact = told["generators"]["summarizer"]["modes"]["exact"]
    assert exact["huse"]["value"] is None
    assert exact["huse_q"]["n"] == 24
    assert any("HUSE needs log-probabilities" in verdict for verdict in told["verdicts"])


def test_a_folder_that_cannot_be_written_is_told_before_anything_is_computed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    imported(tmp_path)
    (tmp_path / "file").write_text("")
    for place in ("file", "file/below"):
        with pytest.raises(CommandError, match=r"cannot be written to .* is not a folder") as caught:
            call_command("report", "small", out=tmp_path / place)
        assert caught.value.returncode == 2
    assert "HUSE of" not in capsys.readouterr().err
    assert not Result.objects.exists()


def test_a_folder_that_fails_later_leaves_nothing_stored(tmp_path: Path) -> None:
    imported(tmp_path)
    with pytest.raises(CommandError, match=r"cannot be written to .*File name too long"):
        call_command("report", "small", out=tmp_path / ("x" * 300), format="json")
    assert not Result.objects.exists()


def test_the_order_and_the_mixture_of_hits_are_told() -> None:
    assert facts.interleaving([(0, 3), (3, 0)], seed=None) == "Each of the 2 HITs holds texts of one source only."
    assert facts.interleaving([(1, 2), (2, 1)], seed=5) == (
        "Every HIT mixes the sources, with 1 to 2 references in each. "
        "Texts were dealt into HITs and ordered at random by seed 5."
    )
    assert facts.interleaving([(1, 2), (3, 0)], seed=None).startswith("1 of 2 HITs mix")
    assert facts.interleaving([], seed=1) is None


def test_gold_and_repeated_texts_do_not_count_in_the_mixture(tmp_path: Path) -> None:
    study = imported(tmp_path)
    mixture = hit_sources(study)
    assert mixture
    for role, item in zip(("gold", "repeat"), HitItem.objects.filter(hit__study=study)[:2], strict=True):
        HitItem.objects.create(hit=item.hit, text=item.text, role=role, position=90 + item.position)
    assert hit_sources(study) == mixture


def test_quartiles_are_those_of_the_usual_definition() -> None:
    """By hand: the positions 0.25 (n - 1) and so on, interpolated."""
    assert facts.quartiles([1, 2, 3, 4]) == (1.75, 2.5, 3.25)
    assert facts.quartiles([7]) == (7.0, 7.0, 7.0)
    assert facts.quartiles([]) == (None, None, None)


def test_a_coding_is_told_in_words() -> None:
    assert describe_coding((ScaleLabel("Good", 5), ScaleLabel("Bad", 0))) == "0 to 5, 0 = Bad, 5 = Good"
    assert describe_coding((ScaleLabel("1", 1), ScaleLabel("7", 7))) == "1 to 7"


def test_a_rehearsal_tells_its_money_its_flags_and_its_truths(tmp_path: Path) -> None:
    study = imported(tmp_path)
    Study.objects.filter(pk=study.pk).update(mode="rehearsal", minimum_percent_approved=95, country="US")
    study.refresh_from_db()
    submission = Submission.objects.order_by("pk").first()
    intent = Intent.of(study, Intent.Kind.APPROVE, submission.pk, slot="x")
    intent.save()
    for kind, cents in (("reward", 50), ("fee", 20)):
        LedgerEntry.objects.create(study=study, intent=intent, kind=kind, cents=cents, at=NOW)
    Flag.objects.create(submission=submission, kind="incomplete", sentence="One is missing.", raised_at=NOW)
    truth = Truth(1.0, *[KnownValue(0.5)] * 6, studies=1, raters=3, texts=12)
    found = score(study, truths={"summarizer": truth})
    assert (found.money.paid_cents, found.money.fee_cents, found.money.total_cents) == (50, 20, 70)
    assert [(flag.name, flag.assignments, flag.of) for flag in found.flags] == [("Incomplete", 1, 24)]
    assert found.generators[0].truth is truth
    assert found.crowd.criteria == ("approval rate above 95%", "located in the US")
    assert found.crowd.provider == "rehearsal crowd (simulated raters)"


def test_references_of_another_generator_are_left_out_aloud(tmp_path: Path) -> None:
    items = ["id,source,generator,log_prob,length", "r1,reference,a,-1,1", "r2,reference,b,-2,1"]
    items += ["m1,model,a,-3,1", "m2,model,b,-4,1", ""]
    (tmp_path / "items.csv").write_text("\n".join(items))
    (tmp_path / "ratings.csv").write_text("item,rater,value\nr1,x,1\nr2,x,2\nm1,x,3\nm2,x,4\n")
    call_command("import_ratings", items=tmp_path / "items.csv", ratings=tmp_path / "ratings.csv", study="two")
    found = score(Study.objects.get(name="two"))
    assert [[item.id for item in one.items] for one in found.generators] == [["r1", "m1"], ["r2", "m2"]]
    assert [warn.kind for warn in found.warnings] == ["references_without_log_prob"] * 2


def test_mixed_units_and_refused_work_are_warned_of(tmp_path: Path) -> None:
    content = batches.rows()
    content[0] |= {"AssignmentStatus": "Rejected"}
    study = imported(tmp_path, content)
    Study.objects.filter(pk=study.pk).update(status="draft")
    odd = LikelihoodRecord("summarizer", -1.0, 2, "model_token")
    add_texts(study, [TextRecord("new", "x", "model", "summarizer", likelihoods=(odd,))], actor="test", now=NOW)
    found = score(study)
    assert [warn.kind for warn in found.warnings] == ["mixed_length_units", "rejected_included"]
    assert (found.crowd.approved, found.crowd.rejected) == (0, 1)


def test_scoring_takes_as_many_queries_for_many_ratings_as_for_few(tmp_path: Path) -> None:
    asked: dict[int, int] = {}
    for name, content in (("few", batches.rows(hits=4, workers=2)), ("many", batches.rows(hits=40, workers=10))):
        call_command("import_batch", batches.written(tmp_path / "batch.csv", content), study=name)
        with CaptureQueriesContext(connection) as queries:
            found = score(Study.objects.get(name=name))
        asked[len(found.ratings)] = len(queries)
    assert set(asked) == {24, 1200}
    assert asked[24] == asked[1200]
