"""What an imported batch leaves in the database."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.management import CommandError, call_command
from django.db import DatabaseError, transaction

from annotation.accounts.models import User
from annotation.models import (
    AuditEvent,
    Decision,
    Hit,
    Judgment,
    Likelihood,
    Participation,
    Presentation,
    Study,
    Submission,
    Text,
    Worker,
    WorkerIdentity,
)
from tests.annotation.importing import batches

pytestmark = pytest.mark.django_db


def imported(tmp_path: Path, content: batches.Rows | None = None, **options: object) -> Study:
    path = batches.written(tmp_path / "batch.csv", content or batches.rows())
    call_command("import_batch", path, **{"study": "small", **options})
    return Study.objects.get(name=options.get("study", "small"))


@pytest.mark.database
def test_every_row_becomes_a_submission_with_its_judgments(tmp_path: Path) -> None:
    study = imported(tmp_path)
    assert (study.mode, study.status, study.reward_cents) == ("imported", "closed", 50)
    assert Hit.objects.filter(study=study).count() == 8
    assert Text.objects.filter(study=study).count() == Likelihood.objects.count() == 24
    assert Submission.objects.count() == 24
    assert Presentation.objects.count() == Judgment.objects.count() == 72
    assert Participation.objects.count() == Worker.objects.count() == 3
    assert Judgment.objects.first().label.label == "Invalid"


@pytest.mark.database
def test_times_are_kept_in_utc_and_the_time_taken_follows(tmp_path: Path) -> None:
    imported(tmp_path)
    first = Submission.objects.order_by("pk").first()
    assert first.accepted_at == datetime(2018, 11, 8, 22, 10, tzinfo=UTC)
    assert first.work_seconds == 60


def test_the_row_is_stored_as_it_came_without_the_workers_id(tmp_path: Path) -> None:
    content = batches.rows(hits=1)
    content[0]["RequesterFeedback"] = "Thank you, A1WORKER0!"
    imported(tmp_path, content)
    stored = Submission.objects.order_by("pk").first()
    raw, name = json.loads(stored.raw), stored.worker.pseudonym
    assert raw["Input.OUT0"] == content[0]["Input.OUT0"]
    assert raw["RequesterFeedback"] == f"Thank you, {name}!"
    assert "WorkerId" not in raw
    assert not Submission.objects.filter(raw__contains="A1WORKER0").exists()
    assert WorkerIdentity.objects.get(worker=stored.worker).external_id == "A1WORKER0"


def test_what_is_stored_cannot_be_changed(tmp_path: Path) -> None:
    imported(tmp_path)
    with pytest.raises(DatabaseError, match="immutable"), transaction.atomic():
        Submission.objects.update(raw="{}")


def test_a_person_is_the_same_person_in_the_next_batch(tmp_path: Path) -> None:
    imported(tmp_path)
    imported(tmp_path, study="again")
    assert Worker.objects.count() == WorkerIdentity.objects.count() == 3
    assert Submission.objects.count() == 48


def test_a_rejected_assignment_keeps_its_decision_and_stays_in_the_analysis(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = batches.rows(hits=1)
    content[0] |= {"AssignmentStatus": "Rejected", "RequesterFeedback": "Too quick."}
    content[1] |= {"AssignmentStatus": "Approved"}
    imported(tmp_path, content)
    told = [(one.matter, one.verdict, one.reason) for one in Decision.objects.order_by("pk")]
    assert told == [("payment", "reject", "Too quick."), ("payment", "approve", "")]
    assert "1 were rejected; they are also part of the analysis" in capsys.readouterr().out
    assert Judgment.objects.count() == 9


def test_only_its_owner_and_superusers_see_an_imported_study(tmp_path: Path) -> None:
    owner, other = User.objects.create_user("owner"), User.objects.create_user("other")
    root = User.objects.create_superuser("root")
    study = imported(tmp_path, owner="owner")
    seen = {user.username: study in Study.objects.visible_to(user) for user in (owner, other, root)}
    assert seen == {"owner": True, "other": False, "root": True}
    assert study not in Study.objects.visible_to(AnonymousUser())
    assert study in Study.objects.with_role(owner, "owner")
    assert study not in Study.objects.with_role(owner, "viewer")


def test_an_owner_who_does_not_exist_is_told(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="no user named 'nobody'"):
        imported(tmp_path, owner="nobody")
    assert not Study.objects.exists()


def test_the_audit_names_the_file_and_holds_no_workers_id(tmp_path: Path) -> None:
    study = imported(tmp_path)
    event = AuditEvent.objects.get(study=study)
    assert event.facts["files"][0]["file"] == "batch.csv"
    assert "A1WORKER" not in json.dumps(event.facts)
    assert AuditEvent.objects.first_broken(study) is None


def test_the_number_of_queries_does_not_grow_with_the_ratings(tmp_path: Path, django_assert_max_num_queries) -> None:
    """7,200 ratings by 2,400 workers go in by bulk inserts, not row by row."""
    content = [
        row
        | {
            "WorkerId": f"A1WORKER{hit:03}X{worker}",
            "AssignmentId": f"3ASSIGNMENT{hit}X{worker}",
            "HITId": f"3HIT{hit}",
        }
        for hit in range(120)
        for worker, row in enumerate(batches.rows(hits=1, workers=1) * 20)
    ]
    with django_assert_max_num_queries(600):
        imported(tmp_path, content)
    assert Judgment.objects.count() == 120 * 20 * 3
