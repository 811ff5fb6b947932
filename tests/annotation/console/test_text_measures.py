"""Near-negative tests, human-likelihood and log-probabilities from pages: equal to what the command line writes."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.accounts.models import User
from annotation.jobs.job_files import folder_of
from annotation.jobs.run import run_due
from annotation.models import AuditEvent, Job, Likelihood, Membership, Role, Study
from annotation.reports.measures import measures_of
from annotation.studies.unblind import unblind
from metrics.__main__ import main
from metrics.likelihood import TINY
from metrics.likelihood.tiny import TinyModel
from tests.annotation.console.factories import SOUND, brought, csv
from tests.annotation.reports.test_make_tests import LABELS, judged
from tests.annotation.review.factories import make

pytestmark = pytest.mark.django_db

Person = Callable[..., Client]
QUESTIONS = [
    {
        "group_id": number,
        "answer_span": "the harbour",
        "context": f"In year {number} the town built the harbour beside the old bridge.",
        "questions": [
            {"question": f"What did the town build in year {number}?", "reason": "No error"},
            {"question": f"What town what build {number}?", "reason": "disfluent"},
            {"question": "Who is the mayor?", "reason": "off_target"},
        ],
    }
    for number in range(12)
]


@pytest.fixture(autouse=True)
def _folder(settings: Any, tmp_path: Path) -> None:
    settings.VAR = tmp_path / "var"


@pytest.fixture
def visitor(db: None) -> Client:
    client = Client()
    client.force_login(User.objects.create_user("visitor", password="a long password 1"))
    return client


def ended(answer: Any) -> Job:
    """The job that a form asked for, carried out."""
    assert answer.status_code == 302, answer.content.decode()
    run_due(clock=timezone.now)
    job = Job.objects.get(uuid=answer["Location"].rstrip("/").split("/")[-1])
    assert job.state == "done", job.problem
    return job


def quiz(path: Path) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in QUESTIONS))
    return path


def build_by_page(client: Client, content: str, form: str = "quiz-design", **more: Any) -> Job:
    given = {"format": form, "file": csv(content, "annotations.jsonl"), **more}
    return ended(client.post(reverse("console:studies-nnd"), given))


def run_by_page(client: Client, tests: Job, **given: Any) -> Job:
    page = reverse("console:studies-nnd-job", args=[tests.uuid])
    return ended(client.post(page, {"models": [TINY], "start": "auto", "ties": "fail", **given}))


def written(job: Job, name: str) -> str:
    return (folder_of(job) / name).read_text(encoding="utf-8")


def by_command(*words: str | Path, out: Path) -> str:
    assert main([*map(str, words), "--json", "--out", str(out)]) == 0
    return out.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("given", "options"),
    [
        ({}, []),
        ({"start": "always"}, ["--start-token", "always"]),
        ({"reproduce": "on"}, ["--reproduce"]),
    ],
)
def test_a_file_becomes_tests_and_pass_rates_equal_to_the_commands(
    visitor: Client, tmp_path: Path, given: dict[str, str], options: list[str]
) -> None:
    file = quiz(tmp_path / "annotations.jsonl")
    built = build_by_page(visitor, file.read_text())
    tests = tmp_path / "t.json"
    assert written(built, "tests.json") == by_command("nnd", "build", file, "--format", "quiz-design", out=tests)
    shown = visitor.get(reverse("console:studies-nnd-job", args=[built.uuid])).content.decode()
    assert "24 tests from 36 texts of 12 contexts" in shown
    assert "<td>12</td>" in shown
    run = run_by_page(visitor, built, **given)
    expected = by_command("nnd", "run", tests, "--model", TINY, *options, out=tmp_path / "r.json")
    assert written(run, "near-negative-tests.json") == expected
    page = visitor.get(reverse("console:studies-nnd-job", args=[run.uuid])).content.decode()
    assert "Its numbers say nothing about texts" in page
    said = "There is a start token between document" if given else "There is no start token between document"
    assert said in page
    assert ("the candidate listed second is chosen" in page) == ("reproduce" in given)
    assert ("equality chooses the text listed second" in page) == ("reproduce" in given)
    assert ("equality fails" in page) == ("reproduce" not in given)
    listed = visitor.get(reverse("console:studies-nnd")).content.decode()
    assert "Run near-negative tests" in listed
    assert f'class="word">{TINY}</td>' in listed


def test_models_of_files_are_compared_and_a_reversal_is_a_sentence(visitor: Client, tmp_path: Path) -> None:
    built = build_by_page(visitor, quiz(tmp_path / "a.jsonl").read_text())

    def scores(disfluent: int, off_target: int) -> str:
        """A model that prefers the good question to so many of the twelve of each kind."""
        rows = ["id,log_prob,tokens"]
        for number in range(12):
            for place, passed in ((0, None), (1, number < disfluent), (2, number < off_target)):
                rows.append(f"{number}/{place},{-20 if passed is None else -30 if passed else -10},10")
        return "\n".join(rows) + "\n"

    files = [csv(scores(12, 2), "north.csv"), csv(scores(3, 8), "south.csv")]  # 14 and 11 of 24
    run = run_by_page(visitor, built, models=[], scores=files)
    page = visitor.get(reverse("console:studies-nnd-job", args=[run.uuid])).content.decode()
    assert "north passes more tests than south, but fewer of off_target (50.0 percentage points, 12 tests)." in page
    assert "Its numbers say nothing about texts" not in page
    assert "equality fails" in page
    assert written(run, "nnd-reversals.csv").splitlines()[1].startswith("north,south,off_target,")
    document = json.loads(written(run, "near-negative-tests.json"))
    assert [model["overall"]["value"] for model in document["models"]] == [14 / 24, 11 / 24]


def test_a_study_s_ratings_become_tests_and_the_result_part_of_its_report(
    person: Person, study: Study, tmp_path: Path
) -> None:
    marks = {"a": "NNG", "b": "OON", "c": "GGO", "d": "NNN", "e": "NOG", "f": "NNN"}
    rows = [
        f"{text},r{at},{LABELS[label][1]},{LABELS[label][0]}"
        for text, labels in marks.items()
        for at, label in enumerate(labels)
    ]
    tidy = judged(tmp_path, rows)
    owner = User.objects.create_user("owner of tidy")
    Membership.objects.create(study=tidy, user=owner, role=Role.OWNER)
    client = Client()
    client.force_login(owner)
    build = reverse("console:results-nnd-build", args=[tidy.uuid])
    rule = {"kind": "labels", "best": "No error", "minimum_gap": "0", "minimum_ratings": "1"}
    unblind(tidy, actor="owner", now=timezone.now())
    built = ended(client.post(build, rule))
    call_command(
        "nnd_from_study", "tidy", out=tmp_path / "t.json", rule="labels", best="No error", stdout=io.StringIO()
    )
    assert written(built, "tests.json") == (tmp_path / "t.json").read_text(encoding="utf-8")
    run = run_by_page(client, built)
    assert run.study == tidy
    verbs = AuditEvent.objects.filter(study=tidy, actor="owner of tidy").values_list("verb", flat=True)
    assert [verb for verb in verbs.order_by("number") if "nnd" in verb] == ["build_nnd_tests", "run_nnd"]
    client.post(reverse("console:studies-measure-save", args=[run.uuid]))
    assert [(file.kind, file.name) for file in tidy.score_files.all()] == [("nnd", "near-negative-tests.json")]
    stranger = person(None, name="stranger")
    for job in (built, run):
        assert stranger.get(reverse("console:studies-nnd-job", args=[job.uuid])).status_code == 404
    assert stranger.post(reverse("console:studies-measure-save", args=[run.uuid])).status_code == 404


def test_a_viewer_reads_and_does_not_run(person: Person, study: Study) -> None:
    viewer = person(Role.VIEWER)
    assert viewer.get(reverse("console:results-nnd", args=[study.uuid])).status_code == 200
    assert viewer.post(reverse("console:results-nnd-build", args=[study.uuid])).status_code == 403
    assert viewer.post(reverse("console:results-h-score", args=[study.uuid])).status_code == 403
    assert viewer.get(reverse("console:texts-log-probs", args=[study.uuid])).status_code == 403


def test_what_somebody_runs_alone_nobody_else_sees(visitor: Client, person: Person, tmp_path: Path) -> None:
    built = build_by_page(visitor, quiz(tmp_path / "a.jsonl").read_text())
    run, other = run_by_page(visitor, built), person(None)
    for job in (built, run):
        assert other.get(reverse("console:studies-nnd-job", args=[job.uuid])).status_code == 404
        assert other.get(reverse("console:job-file", args=[job.uuid, job.outcome["files"][0]])).status_code == 404
    assert "Run near-negative tests" not in other.get(reverse("console:studies-nnd")).content.decode()
    assert visitor.post(reverse("console:studies-measure-save", args=[run.uuid])).status_code == 404


def test_bad_files_are_a_sentence_with_row_and_rule(visitor: Client) -> None:
    twice = json.dumps(QUESTIONS[0]) + "\n" + json.dumps(QUESTIONS[0]) + "\n"
    given = {"format": "quiz-design", "file": csv(twice, "twice.jsonl")}
    answer = visitor.post(reverse("console:studies-nnd"), given)
    run_due(clock=timezone.now)
    job = Job.objects.get(kind="nnd_tests")
    assert (job.state, "row 2, column group_id: duplicate group '0'" in job.problem) == ("failed", True)
    assert reverse("console:studies-nnd") in visitor.get(answer["Location"]).content.decode()


def test_no_form_takes_a_folder_and_the_settings_name_models(visitor: Client, settings: Any, tmp_path: Path) -> None:
    built = build_by_page(visitor, quiz(tmp_path / "a.jsonl").read_text())
    page = reverse("console:studies-nnd-job", args=[built.uuid])
    refused = visitor.post(page, {"models": [str(tmp_path)], "start": "auto", "ties": "fail"})
    assert (refused.status_code, Job.objects.filter(kind="nnd_run").exists()) == (422, False)
    settings.SCORING_MODELS = f"small={tmp_path}, far=http://127.0.0.1:1/v1#gpt"
    shown = visitor.get(page).content.decode()
    assert all(f'value="{name}"' in shown for name in ("small", "far", TINY))
    assert str(tmp_path) not in shown
    assert 'value="far"' not in visitor.get(reverse("console:studies-h")).content.decode()
    answer = visitor.post(page, {"models": ["far"], "start": "always", "ties": "fail"})
    run_due(clock=timezone.now)
    assert "far is on a server, which puts no start token" in visitor.get(answer["Location"]).content.decode()


def test_a_canceled_run_stores_its_scores_and_the_next_one_goes_on(
    visitor: Client, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    rows = [{**QUESTIONS[0], "group_id": at, "context": f"The town of {at} people."} for at in range(100)]
    built = build_by_page(visitor, "".join(json.dumps(row) + "\n" for row in rows))
    page = reverse("console:studies-nnd-job", args=[built.uuid])
    scored: list[int] = []
    score = TinyModel.score

    def cancel_during_the_second_part(model: TinyModel, pairs: Any) -> Any:
        scored.append(len(pairs))
        if len(scored) == 2:
            running = Job.objects.get(kind="nnd_run")
            visitor.post(reverse("console:job-cancel", args=[running.uuid]))
        return score(model, pairs)

    monkeypatch.setattr(TinyModel, "score", cancel_during_the_second_part)
    visitor.post(page, {"models": [TINY], "start": "auto", "ties": "fail"})
    run_due(clock=timezone.now)
    assert "Canceled by visitor" in Job.objects.get(kind="nnd_run").problem
    assert sum(scored) == 300
    run_by_page(visitor, built)
    assert sum(scored) == 300


def test_a_canceled_reading_is_stored_and_the_next_one_goes_on(
    visitor: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [f"The council met on day {day}." for day in range(40)]
    given = {"format": "lines", "model": TINY}
    read: list[int] = []
    statistics = TinyModel.statistics

    def cancel_during_the_second_part(model: TinyModel, pairs: Any) -> Any:
        read.append(len(pairs))
        if len(read) == 2:
            visitor.post(reverse("console:job-cancel", args=[Job.objects.get(kind="h_score").uuid]))
        return statistics(model, pairs)

    def ask(person: Client = visitor) -> Any:
        return person.post(reverse("console:studies-h"), {**given, "texts": [csv("\n".join(lines), "t.txt")]})

    monkeypatch.setattr(TinyModel, "statistics", cancel_during_the_second_part)
    ask()
    run_due(clock=timezone.now)
    assert "Canceled by visitor" in Job.objects.get(kind="h_score").problem
    assert sum(read) == 32
    job = ended(ask())
    assert sum(read) == 40
    assert not (folder_of(job) / "readings.jsonl").exists()
    other = Client()
    other.force_login(User.objects.create_user("other"))
    whole = ended(ask(other))  # another person's texts are read from the first to the last
    assert sum(read) == 80
    assert written(job, "human-likelihood.json") == written(whole, "human-likelihood.json")


TEXTS = {"a": "The town council met on Tuesday.", "b": "xq zzv kkj wq pp vv.", "c": "People rate how typical it is."}


def test_human_likelihood_of_a_file_equals_the_commands(visitor: Client, tmp_path: Path) -> None:
    content = "id,text\n" + "".join(f"{name},{text}\n" for name, text in TEXTS.items())
    given = {"format": "csv", "texts": [csv(content)], "model": TINY}
    job = ended(visitor.post(reverse("console:studies-h"), given))
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text + "\n")
    files = [tmp_path / name for name in TEXTS]
    expected = by_command("hscore", "--format", "text", "--model", TINY, *files, out=tmp_path / "h.json")
    assert written(job, "human-likelihood.json") == expected
    page = visitor.get(reverse("console:studies-h-job", args=[job.uuid])).content.decode()
    assert "Uncalibrated: the threshold 0.40" in page
    view = visitor.get(reverse("console:job-file", args=[job.uuid, "texts.html"]) + "?look")
    assert "among the 10 likeliest" in b"".join(view.streaming_content).decode()  # type: ignore[attr-defined]


def test_human_likelihood_is_calibrated_on_known_origins(visitor: Client, tmp_path: Path) -> None:
    lines = ["qx vv kz pw", "vqz kkx wwp", "The report shows the interval.", "The study is published."]
    origins = tmp_path / "origins.csv"
    truths = ("human", "human", "machine", "machine")
    origins.write_text("text,truth\n" + "".join(f"line {at},{truth}\n" for at, truth in enumerate(truths, 1)))
    given = {"format": "lines", "texts": [csv("\n".join(lines), "t.txt")], "model": TINY}
    given |= {"origins": csv(origins.read_text())}
    job = ended(visitor.post(reverse("console:studies-h"), given))
    document = json.loads(written(job, "human-likelihood.json"))
    assert document["thresholds"]["calibrated"] is True
    assert (document["h"]["value"], document["m"]["value"]) == (0.5, 0.5)
    assert "Uncalibrated" not in visitor.get(reverse("console:studies-h-job", args=[job.uuid])).content.decode()


def test_a_study_s_texts_are_scored_with_its_sources(person: Person, study: Study) -> None:
    client = person(Role.OWNER)
    checked = brought(client, reverse("console:texts-add", args=[study.uuid]), SOUND.replace(",tiny,", ",the roof,"))
    client.post(reverse("console:texts-confirm", args=[study.uuid]), {"job": str(checked.uuid)})
    job = ended(client.post(reverse("console:results-h-score", args=[study.uuid]), {"model": TINY}))
    assert AuditEvent.objects.get(study=study, verb="score_h").facts == {"texts": 20, "model": TINY}
    assert len(json.loads(written(job, "human-likelihood.json"))["texts"]) == 20
    page = client.get(reverse("console:studies-h-job", args=[job.uuid])).content.decode()
    assert "Tokens by their rank under the model" in page
    assert "the roof" in page
    client.post(reverse("console:studies-measure-save", args=[job.uuid]))
    assert [file.kind for file in study.score_files.all()] == ["automatic"]


def test_log_probabilities_come_from_a_model_or_the_page_says_huse_q_alone(person: Person, study: Study) -> None:
    client = person(Role.OWNER)
    rows = [line.rsplit(",", 1)[0] for line in SOUND.splitlines()]
    checked = brought(client, reverse("console:texts-add", args=[study.uuid]), "\n".join(rows) + "\n")
    client.post(reverse("console:texts-confirm", args=[study.uuid]), {"job": str(checked.uuid)})
    page = reverse("console:texts-log-probs", args=[study.uuid])
    assert "include HUSE-Q alone" in client.get(page).content.decode()
    job = ended(client.post(page, {"generator": "tiny", "model": TINY}))
    assert job.outcome["scored"] == 20
    assert Likelihood.objects.filter(text__study=study, scoring__model=TINY).count() == 20
    assert "Every text has a log-probability" in client.get(page).content.decode()
    again = ended(client.post(page, {"generator": "tiny", "model": TINY, "replace": "on"}))
    assert (again.outcome["scored"], again.outcome["already_scored"]) == (0, 20)
    Job.objects.filter(pk=job.pk).update(state="running", beat_at=timezone.now())
    client.post(page, {"generator": "tiny", "model": TINY, "replace": "on"})
    run_due(clock=timezone.now)
    assert "wait until it has ended" in Job.objects.order_by("-pk")[0].problem


def test_huse_is_in_the_report_once_log_probabilities_are_computed(person: Person, study: Study) -> None:
    client, rated = person(Role.OWNER), make(workers=4, hits=3, texts=10)
    Membership.objects.create(study=rated, user=User.objects.get(username="owner"), role=Role.OWNER)
    unblind(rated, actor="owner", now=timezone.now())

    def measures() -> dict[str, float | None]:
        report = ended(client.post(reverse("console:results-compute", args=[rated.uuid])))
        warnings.append([warning["kind"] for warning in json.loads(written(report, "report.json"))["warnings"]])
        stored = rated.results.get(pk=report.outcome["result"])
        return {measure.measure: measure.value for measure in measures_of(stored)}

    warnings: list[list[str]] = []
    before = measures()
    ended(client.post(reverse("console:texts-log-probs", args=[rated.uuid]), {"generator": "tiny", "model": TINY}))
    after = measures()
    assert (before["HUSE"], before["HUSE-D"], before["HUSE-Q"] is None) == (None, None, False)
    assert after["HUSE-Q"] == before["HUSE-Q"]
    assert None not in after.values()
    assert ["tiny_model" in kinds for kinds in warnings] == [False, True]
    assert after["HUSE-D"] == pytest.approx(1 + (after["HUSE"] or 0) - (after["HUSE-Q"] or 0))


@pytest.mark.needs_data
def test_quiz_design_of_the_paper_is_equal_to_the_last_digit(visitor: Client, data_dir: Path, tmp_path: Path) -> None:
    file = data_dir / "qgen" / "quiz_design_groups.jsonl"
    built = build_by_page(visitor, file.read_text(encoding="utf-8"))
    assert built.outcome["tests"] == 2686
    # Any two different labels would give 3,600 pairs.
    reasons = dict(built.outcome["skipped"])
    assert reasons["pairs of texts of which neither is known to be better"] == 3600 - 2686
    run = run_by_page(visitor, built)
    by_command("nnd", "build", file, "--format", "quiz-design", out=tmp_path / "t.json")
    expected = by_command("nnd", "run", tmp_path / "t.json", "--model", TINY, out=tmp_path / "r.json")
    assert written(run, "near-negative-tests.json") == expected


@pytest.mark.needs_data
def test_frank_and_gltr_files_are_equal_to_the_last_digit(visitor: Client, data_dir: Path, tmp_path: Path) -> None:
    file = data_dir / "frank" / "human_annotations.json"
    built = build_by_page(visitor, file.read_text(encoding="utf-8"), "frank")
    assert written(built, "tests.json") == by_command(
        "nnd", "build", file, "--format", "frank", out=tmp_path / "t.json"
    )
    assert "hold no texts" in visitor.get(reverse("console:studies-nnd-job", args=[built.uuid])).content.decode()
    rows = json.loads(written(built, "tests.json"))["candidates"]
    scores = "id,log_prob,tokens\n" + "".join(
        f'"{row["id"]}",{-(at % 97) - 1},{at % 7 + 1}\n' for at, row in enumerate(rows)
    )
    (tmp_path / "other.csv").write_text(scores)
    run = run_by_page(visitor, built, models=[], scores=[csv(scores, "other.csv")])
    expected = by_command(
        "nnd", "run", tmp_path / "t.json", "--scores", tmp_path / "other.csv", out=tmp_path / "r.json"
    )
    assert written(run, "near-negative-tests.json") == expected
    files = [data_dir / "gltr" / name for name in ("NYTimes.json", "unicorn.json", "gpt2_small_top5_uncond.json")]
    uploads = [csv(path.read_text(encoding="utf-8"), path.name) for path in files]
    given = {"format": "gltr", "texts": uploads, "model": TINY, "backend": "gpt2", "threshold": "0.5:0.6"}
    job = ended(visitor.post(reverse("console:studies-h"), given))
    options = ("--threshold", "0.5:0.6", "--backend", "gpt2")
    expected = by_command("hscore", "--format", "gltr", *files, *options, out=tmp_path / "h.json")
    assert written(job, "human-likelihood.json") == expected
