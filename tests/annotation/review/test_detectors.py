"""A detector of machine-written explanations (F21): it scores, it raises flags, it never excludes work alone."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from scipy import stats

from annotation.exceptions import StateError
from annotation.jobs import celery_tasks as tasks
from annotation.jobs.run import run_due
from annotation.models import AuditEvent, Decision, Detection, Flag, Job, Remark, RuleSet, Study, Submission
from annotation.quality import detect as verb
from annotation.quality import detectors as detecting
from annotation.quality import evidence
from annotation.quality.assess import assess
from annotation.quality.detect import Detected, detect
from annotation.quality.detectors import Declared
from annotation.quality.filters import BY_KIND, title_of
from annotation.quality.methods_text import paragraph
from annotation.quality.rules import Rule
from annotation.readers.detections import read_detections
from annotation.reports import exclusion_rules as sensitivity
from annotation.reports import gather as score
from annotation.reports import study_facts as facts
from annotation.review import exclude
from metrics.errors import BadInput
from metrics.likelihood import open_model
from metrics.text_scores.detectors import fast_detect_gpt
from tests.annotation.api.conftest import Caller, fault
from tests.annotation.review.factories import NOW, make, member
from tests.metrics.likelihood.tiny import saved

pytestmark = pytest.mark.django_db
DECLARED = Declared("Sniffer", "2.1", 0.5)
F21 = Rule("machine_written")


@pytest.fixture
def study(db: None) -> Study:
    """One HIT of ten explained texts for four people, the first of whom gives one label throughout."""
    return make(workers=4, hits=1, texts=10, reasons=True)


def by(worker: int) -> str:
    return f"wjudged{worker:05d}"


def remarks(worker: int) -> list[int]:
    of = Remark.objects.filter(presentation__submission__worker__pseudonym=by(worker))
    return list(of.order_by("pk").values_list("pk", flat=True))


def sniffed(study: Study, machine: Mapping[int, int], declared: Declared = DECLARED) -> Detected:
    """Of each worker so many of the ten explanations score .9, the others .5, which is not beyond the threshold."""
    found = {pk: 0.9 if at < n else 0.5 for worker, n in machine.items() for at, pk in enumerate(remarks(worker))}
    done = detect(study, declared, score=detecting.by_file(found), actor="ada", now=NOW)
    assess(study, now=NOW)
    return done


def flagged(kind: str = "machine_written") -> set[str]:
    return set(Flag.objects.filter(kind=kind).values_list("submission__worker__pseudonym", flat=True))


def left_out() -> set[str]:
    return set(Decision.objects.filter(verdict="exclude").values_list("submission__worker__pseudonym", flat=True))


@pytest.mark.database
def test_more_than_half_of_the_explanations_beyond_the_threshold_are_a_flag(study: Study) -> None:
    assert sniffed(study, {0: 6, 1: 5, 2: 0}) == Detected("Sniffer, 2.1", scored=30, kept=0, unknown=0)
    assert flagged() == {by(0)}
    (found,) = [
        one for one in evidence.findings(Submission.objects.get(worker__pseudonym=by(0))) if one.check.id == "F21"
    ]
    assert (found.value, found.n, found.flag) == (0.6, 10, True)
    wilson = stats.binomtest(6, 10).proportion_ci(0.90, "wilson")
    assert (found.low, found.high) == pytest.approx((wilson.low, wilson.high), abs=1e-6)
    assert found.sentence == "A detector calls 60% of 10 explanations machine-written."
    assert "second language" in found.check.wrongly


@pytest.mark.database
def test_without_a_detector_nothing_is_measured_and_no_default_holds_it(study: Study) -> None:
    assess(study, now=NOW)
    assert flagged() == set()
    assert not BY_KIND["machine_written"].on
    assert "detector" not in paragraph(facts.quality_done(study))


def test_low_scores_are_the_machines_where_it_was_declared_so(study: Study) -> None:
    sniffed(study, {0: 3, 1: 10}, Declared("Sniffer", "2.1", 0.7, "below"))
    assert flagged() == {by(0)}


def test_the_detector_declared_last_holds(study: Study) -> None:
    sniffed(study, {0: 10, 1: 10})
    sniffed(study, {0: 0, 1: 10}, Declared("Sniffer", "3.0", 0.5))
    assert flagged() == {by(1)}
    assert sniffed(study, {2: 10}, Declared("Sniffer", "3.0", 0.5)) == Detected("Sniffer, 3.0", 10, 20, 0)
    told = AuditEvent.objects.filter(verb="detect").order_by("number").values_list("facts", flat=True)
    assert [(facts["version"], facts["blind"]) for facts in told] == [("2.1", True), ("3.0", True)]


@pytest.mark.parametrize(
    ("declared", "told"),
    [
        (Declared(" ", "1", 0.5), "needs a name and a version"),
        (Declared("a", "", 0.5), "needs a name and a version"),
        (Declared("a", "1", float("nan")), "finite number"),
        (Declared("a", "1", 0.5, "beside"), "above or below"),
    ],
)
def test_what_is_no_detector_is_refused(study: Study, declared: Declared, told: str) -> None:
    with pytest.raises(StateError, match=told):
        detect(study, declared, score=detecting.by_file({}), actor="ada", now=NOW)
    assert not AuditEvent.objects.exists()


def test_without_explanations_there_is_nothing_to_look_at() -> None:
    with pytest.raises(StateError, match="has no explanations for a detector"):
        detect(make(workers=1, hits=1, texts=1), DECLARED, score=detecting.by_file({}), actor="ada", now=NOW)


def test_a_run_that_broke_off_goes_on_where_it_was(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verb, "CHUNK", 8)
    asked: list[int] = []

    def breaks_off(part: Sequence[Remark]) -> dict[int, float | None]:
        if len(asked) == 16:
            raise StateError("The power went.")
        asked.extend(one.pk for one in part)
        return dict.fromkeys((one.pk for one in part), 0.1)

    with pytest.raises(StateError, match="power"):
        detect(study, DECLARED, score=breaks_off, actor="ada", now=NOW)
    assert Detection.objects.count() == 16
    steps: list[tuple[int, int]] = []
    done = detect(
        study, DECLARED, score=lambda part: {one.pk: None for one in part}, actor="ada", now=NOW,
        progress=lambda *step: steps.append(step),
    )  # fmt: skip
    assert done == Detected("Sniffer, 2.1", scored=24, kept=16, unknown=24)
    assert steps == [(8, 24), (16, 24), (24, 24)]


def test_what_cannot_be_scored_counts_for_nothing(study: Study) -> None:
    mine = remarks(0)
    found = {mine[0]: 0.9, **dict.fromkeys(mine[1:])}
    detect(study, DECLARED, score=lambda part: {one.pk: found.get(one.pk) for one in part}, actor="ada", now=NOW)
    assess(study, now=NOW)
    assert flagged() == {by(0)}


def test_rules_of_a_detector_alone_are_refused(study: Study) -> None:
    sniffed(study, {0: 10})
    with pytest.raises(StateError, match=r"never excludes work alone\. Add another rule"):
        exclude.fix_rules(study, "machines", [F21], actor=None, now=NOW)
    assert not RuleSet.objects.exists()


def test_what_only_the_detector_suspects_stays_whatever_rules_stand_beside_it(study: Study) -> None:
    sniffed(study, {0: 10, 1: 10})
    rules = [Rule("straight_lining"), F21, Rule("too_fast")]
    stored = exclude.fix_rules(study, "two", rules, actor=None, now=NOW)
    assert exclude.apply_rules(stored, actor=None, now=NOW) == exclude.Excluded(1, 0)
    assert left_out() == {by(0)}
    assert Decision.objects.get().reason == "two (version 1): Straight lines, Machine-written explanations"


def test_a_version_that_holds_it_alone_however_it_came_leaves_nobody_out(study: Study) -> None:
    sniffed(study, {0: 10, 1: 10})
    stored = RuleSet.objects.create(
        study=study, number=1, name="old", rules=[["machine_written", None]], blind=True, fixed_at=NOW
    )
    assert exclude.apply_rules(stored, actor=None, now=NOW) == exclude.Excluded(0, 0)


def test_among_the_selections_of_rules_it_stays_idle(study: Study) -> None:
    sniffed(study, {0: 10, 1: 10})
    rules = sensitivity.rules(study, ["machine_written", "straight_lining"])
    told = {one.name: bool(one.assignments) for one in rules or ()}
    assert told == {"Machine-written explanations": False, "Straight lines": True}


def test_the_paragraph_and_the_report_name_the_detector_and_say_that_it_never_stood_alone(study: Study) -> None:
    sniffed(study, {0: 10, 1: 10})
    wanted = "A detector (Sniffer, 2.1) flagged 2 assignments; flags were not used alone."
    assert wanted in paragraph(facts.quality_done(study))
    exclude.apply_rules(
        exclude.fix_rules(study, "two", [F21, Rule("straight_lining")], actor=None, now=NOW), actor=None, now=NOW
    )
    assert paragraph(facts.quality_done(study)).count("A detector") == 1
    given = score.score(study)
    assert wanted in given.quality[0]
    (told,) = [one for one in given.flags if one.name == title_of("machine_written")]
    assert (told.assignments, told.of, told.excluded) == (2, 4, 1)


def scores_file(folder: Path, *rows: str) -> Path:
    path = folder / "scores.csv"
    path.write_text("\n".join(["item,rater,question,score", *rows]) + "\n", encoding="utf-8")
    return path


def test_a_file_names_explanations_as_a_reports_comments_do(study: Study, tmp_path: Path) -> None:
    path = scores_file(tmp_path, *(f"t{at},{by(0)},why,{0.9 if at < 6 else 0.2}" for at in range(10)))
    out = io.StringIO()
    given = {"scores": path, "threshold": 0.5, "name": "Sniffer", "version_of": "2.1", "stdout": out, "stderr": out}
    call_command("detect", study.name, **given)
    assert "Sniffer, 2.1: 10 explanations scored, 0 had a score, 0 cannot be scored. 1 assignments" in out.getvalue()
    assert flagged() == {by(0)}


@pytest.mark.parametrize(
    ("row", "told"),
    [
        (f"t0,{by(9)},why,0.5", "row 3, column item: no explanation of 't0' by 'wjudged00009' answers 'why'"),
        (f"t0,{by(0)},how,0.5", "row 3, column item: no explanation"),
        (f"t1,{by(0)},why,0.5", "row 3, column item: this explanation has a score in an earlier row"),
        (f"t0,{by(0)},why,", "row 3, column score: the cell is blank"),
        (f"t0,{by(0)},why,high", "row 3, column score: 'high' is not a finite decimal number"),
    ],
)
def test_a_file_with_a_fault_is_refused_by_row_and_column(study: Study, tmp_path: Path, row: str, told: str) -> None:
    path = scores_file(tmp_path, f"t1,{by(0)},why,0.1", row)
    with pytest.raises(BadInput) as error:
        read_detections(path, detecting.explanations(study))
    assert told in str(error.value)
    with pytest.raises(CommandError, match="cannot be scored"):
        call_command("detect", study.name, scores=path, threshold=0.5, name="a", version_of="1")
    assert not Detection.objects.exists()


def test_a_model_scores_by_the_curvature_of_its_distributions(study: Study, tmp_path: Path) -> None:
    folder, one = saved(tmp_path / "model"), Remark.objects.order_by("pk").first()
    Remark.objects.filter(pk=one.pk).update(body="the cat sat on the mat and ran far away")
    call_command("detect", study.name, model=str(folder), threshold=2, stdout=io.StringIO(), stderr=io.StringIO())
    model = open_model(str(folder), layout=detecting.LAYOUT)
    pair = ("", "the cat sat on the mat and ran far away")
    tokens = [model.loaded.tokenizer.convert_tokens_to_ids(word) for word in pair[1].split()]
    wanted = fast_detect_gpt(_normed(model.distributions(pair)), tokens)
    assert Detection.objects.get(remark=one).score == pytest.approx(wanted, abs=1e-3)
    found = detecting.detector_of(study)
    assert (found.name, found.threshold, model.card.revision in found.version) == ("Fast-DetectGPT", 2.0, True)


def _normed(log_probs: Any) -> Any:
    """float32 rows whose probabilities sum to 1 in float64."""
    rows = log_probs.astype(np.float64)
    return rows - np.log(np.exp(rows).sum(axis=1, keepdims=True))


@pytest.fixture
def with_model(settings: Any, tmp_path: Path) -> None:
    settings.DETECTOR_MODEL, settings.VAR = str(saved(tmp_path / "model")), tmp_path


def test_the_page_asks_for_a_job_that_raises_the_flags(study: Study, with_model: None) -> None:
    editor = Client()
    editor.force_login(member(study, "editor"))
    quality = reverse("console:quality", args=[study.uuid])
    assert "Score explanations" in editor.get(quality).content.decode()
    refused = editor.post(reverse("console:quality-detect", args=[study.uuid]), {"threshold": "high"})
    assert (refused.status_code, Job.objects.exists()) == (422, False)
    asked = editor.post(reverse("console:quality-detect", args=[study.uuid]), {"threshold": "-99"})
    run_due()
    assert "40 explanations scored" in editor.get(asked.url).content.decode()
    assert flagged() == {by(worker) for worker in range(4)}
    page = editor.get(quality).content.decode()
    assert "Fast-DetectGPT, model" in page
    assert "machine-written above -99.0." in page
    assert "it never excludes work alone" in page
    fixed = editor.post(
        reverse("console:quality-fix", args=[study.uuid]), {"name": "machines", "machine_written": "on"}
    )
    assert (fixed.status_code, RuleSet.objects.exists()) == (422, False)


def test_a_broker_is_told_of_the_job_at_once(
    study: Study, with_model: None, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[str] = []
    settings.CELERY_BROKER_URL = "redis://127.0.0.1:1/0"
    monkeypatch.setattr(tasks.current_app, "send_task", sent.append)
    tasks.ask_to_detect(study, 1.0, by=None, now=timezone.now())
    assert sent == ["annotation.jobs"]


def test_a_page_without_a_model_offers_none(study: Study) -> None:
    editor = Client()
    editor.force_login(member(study, "editor"))
    assert "Score explanations" not in editor.get(reverse("console:quality", args=[study.uuid])).content.decode()


def test_the_api_asks_for_the_same_job_and_refuses_the_same_rules(study: Study, with_model: None) -> None:
    eve, at = Caller("eve", study, "editor"), f"/studies/{study.uuid}"
    asked = eve("post", f"{at}/quality/detect", {"threshold": 99})
    assert (asked.status_code, asked.json()["kind"]) == (202, "detect")
    run_due()
    done = eve("get", f"/jobs/{asked.json()['uuid']}").json()
    assert (done["state"], done["outcome"]["scored"]) == ("done", 40)
    assert flagged() == set()
    alone = eve("post", f"{at}/rules", {"name": "machines", "rules": [{"kind": "machine_written"}]})
    assert fault(alone)[:2] == (409, "state")
    (listed,) = [one for one in eve("get", "/filters?limit=200").json()["items"] if one["id"] == "F21"]
    assert (listed["default"], listed["flags"], listed["alone"]) == (False, True, False)


def test_without_a_model_the_api_says_what_is_missing(study: Study) -> None:
    refused = Caller("eve", study, "editor")("post", f"/studies/{study.uuid}/quality/detect", {"threshold": 2})
    assert fault(refused)[:2] == (409, "state")
    assert b"DETECTOR_MODEL" in refused.content


def test_the_command_refuses_the_detector_alone(study: Study) -> None:
    with pytest.raises(CommandError, match="Add another rule"):
        call_command("rules", study.name, fix="machines", rule=[F21])


def test_a_job_begun_again_keeps_what_was_scored(study: Study, with_model: None, settings: Any) -> None:
    declared, by_model = detecting.fast_detect_gpt(settings.DETECTOR_MODEL, 2.0)
    first = remarks(0)
    detect(study, declared, score=lambda part: by_model([one for one in part if one.pk in first]), actor="a", now=NOW)
    job = Job.objects.create(study=study, kind="detect", settings={"threshold": 2.0}, created_at=timezone.now())
    run_due()
    job.refresh_from_db()
    assert (job.state, job.outcome["scored"], job.outcome["kept"]) == ("done", 30, 10)
