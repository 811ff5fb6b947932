"""Faults on demand: what breaks, what clients make of it, and that production does not install them."""

from __future__ import annotations

from contextlib import closing
from importlib import import_module
from io import StringIO

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ConnectionClosedError
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.state import ProjectState
from django.utils import timezone

from annotation.marketplace.core import clock, faults
from annotation.marketplace.fault_injection import plan
from annotation.marketplace.fault_injection.models import FaultPlan
from annotation.marketplace.models import Hit, Requester
from annotation.marketplace.notifications.delivery import deliver
from annotation.marketplace.notifications.endpoints import register_address
from tests.marketplace.people import Lab
from tests.marketplace.question_samples import hit_parameters

pytestmark = pytest.mark.database


def break_it(*options: str) -> str:
    out = StringIO()
    call_command("marketplace_faults", *options, stdout=out)
    return out.getvalue().strip()


def trying(lab: Lab, attempts: int) -> closing:
    """A client that tries so many times; boto3 itself tries three times when it is told nothing."""
    client = boto3.client(
        "mturk",
        endpoint_url=lab.url,
        region_name="us-east-1",
        aws_access_key_id=lab.key,
        aws_secret_access_key=lab.secret,
        config=Config(retries={"mode": "standard", "total_max_attempts": attempts}, proxies={}),
    )
    return closing(client)


def test_a_fault_and_a_throttled_call_are_overcome_by_the_third_attempt(lab):
    """Case 77: the fourth call fails, the fifth, its repetition, is throttled, the sixth comes through."""
    break_it("--fail-every", "4", "--throttle-every", "5")
    with trying(lab, 3) as client:
        attempts = [client.get_account_balance()["ResponseMetadata"]["RetryAttempts"] for _ in range(4)]
    assert attempts == [0, 0, 0, 2]


def test_throttled_and_failed_calls_say_so_and_have_done_nothing(lab):
    break_it("--throttle-every", "1")
    assert lab.refused("create_hit", **hit_parameters()) == ("ThrottlingException", "Rate exceeded")
    break_it("--off", "--fail-every", "1")
    assert lab.refused("create_hit", **hit_parameters())[0] == "AWS.ServiceUnavailable"
    assert Hit.objects.count() == 0


def test_a_hit_whose_answer_was_lost_is_found_by_its_token(lab):
    """Case 13: the server commits and drops the connection; the retry is told HitAlreadyExists, one HIT exists."""
    break_it("--drop-after-commit-every", "1")
    with trying(lab, 3) as client:
        own = Lab(client, lab.url, lab.key, lab.secret)
        code, message = own.refused("create_hit", **hit_parameters(UniqueRequestToken="once"))
    assert code == "HitAlreadyExists"
    assert Hit.objects.get().hit_id in message


def test_a_dropped_answer_is_a_closed_connection_and_reading_calls_are_spared(lab):
    break_it("--drop-after-commit-every", "1")
    assert lab.balance() == "10000.00"
    with trying(lab, 1) as client, pytest.raises(ConnectionClosedError):
        client.create_hit(**hit_parameters())
    break_it("--off")
    assert len(lab.client.list_hits()["HITs"]) == 1


def test_a_new_hit_is_not_listed_before_the_lag_has_passed(lab, pass_time):
    break_it("--lag", "60")
    hit = lab.hit()
    assert lab.client.list_hits()["HITs"] == []
    assert lab.look(hit)["HITId"] == hit["HITId"]
    pass_time(61)
    assert [row["HITId"] for row in lab.client.list_hits()["HITs"]] == [hit["HITId"]]


def test_new_work_cannot_be_approved_before_the_lag_has_passed(lab, ann, pass_time):
    """Specification 2.3: approving right after the submit failed with "status of: null", and worked minutes later."""
    break_it("--lag", "60")
    hit = lab.hit()
    done = {"AssignmentId": ann.do(hit)}
    for operation, more in (("approve", {}), ("reject", {"RequesterFeedback": "no"}), ("get", {})):
        code, message = lab.refused(f"{operation}_assignment", **done, **more)
        assert code == "InvalidAssignmentState"
        assert "status of: null" in message
    assert lab.work(hit) == []
    pass_time(61)
    assert len(lab.work(hit)) == 1
    lab.client.approve_assignment(**done)


def test_a_new_qualification_type_is_not_listed_before_the_lag_has_passed(lab, pass_time):
    break_it("--lag", "60")
    lab.client.create_qualification_type(Name="Patience", Description="d", QualificationTypeStatus="Active")

    def listed() -> int:
        return lab.client.list_qualification_types(MustBeRequestable=False, Query="Patience")["NumResults"]

    assert listed() == 0
    pass_time(61)
    assert listed() == 1


def test_notifications_are_lost_and_doubled(lab, queue):
    break_it("--lose-notifications-every", "2", "--double-notifications-every", "2")
    for kind in ("Ping", "HITCreated", "HITExpired"):
        lab.client.send_test_event_notification(Notification=queue.asked(), TestEventType=kind)
    # The second is lost; the others pass the second dice, so the third, its second throw, comes twice.
    assert queue.kinds() == ["Ping", "HITExpired", "HITExpired"]


def test_a_doubled_message_to_an_address_is_the_same_document(lab, receiver):
    register_address(Requester.objects.get(), receiver.url, name="books", now=timezone.now())
    deliver(clock=timezone.now)
    arn = receiver.got[0]["TopicArn"]
    Requester.objects.get().notice_account.endpoints.update(confirmed_at=timezone.now())
    break_it("--double-notifications-every", "1")
    asked = {"Destination": arn, "Transport": "SNS", "Version": "2014-08-15", "EventTypes": ["HITCreated"]}
    lab.client.send_test_event_notification(Notification=asked, TestEventType="Ping")
    deliver(clock=timezone.now)
    first, second = receiver.documents()
    assert first == second


@pytest.mark.usefixtures("transactional_db")
def test_the_command_changes_what_it_names_and_switches_everything_off():
    assert break_it("--lag", "2.5") == "lag seconds: 2.5"
    assert break_it("--fail-every", "3") == "fail every: 3; lag seconds: 2.5"
    assert break_it("--off") == "No faults."
    assert plan.read_plan() == plan.NONE


@pytest.mark.usefixtures("transactional_db")
@pytest.mark.parametrize("option", ["--lag=-1", "--fail-every=-2"])
def test_a_fault_cannot_strike_less_than_never(option):
    with pytest.raises(CommandError, match="0 or more"):
        break_it(option)
    assert not FaultPlan.objects.exists()


def test_production_does_not_install_the_faults(monkeypatch):
    for name in ("SECRET_KEY", "PSEUDONYM_KEY", "ALLOWED_HOSTS"):
        monkeypatch.setenv(name, "assay.example.org")
    production = import_module("deploy.settings.production")
    application = "annotation.marketplace.fault_injection"
    assert application in settings.INSTALLED_APPS
    assert application not in production.INSTALLED_APPS
    # Nor does reading them change the settings of this process.
    assert production.STORAGES["staticfiles"] != settings.STORAGES["staticfiles"]


@pytest.mark.usefixtures("transactional_db")
def test_the_table_of_an_earlier_version_is_kept_with_its_row():
    """The marketplace made this table before the application had it: its first migration leaves the table alone."""
    break_it("--lag", "2.5")
    create = import_module("annotation.marketplace.fault_injection.migrations.0001_initial").Migration.operations[0]
    state = ProjectState()
    create.state_forwards("fault_injection", state)
    with connection.schema_editor() as editor:
        create.database_forwards("fault_injection", editor, ProjectState(), state)
    assert FaultPlan.objects.get().lag_seconds == 2.5


def test_without_the_application_a_stored_plan_does_nothing(lab):
    break_it("--throttle-every", "1", "--lag", "60")
    installed = faults.install(faults.NoFaults())
    try:
        assert lab.balance() == "10000.00"
        hit = lab.hit()
        assert lab.client.list_hits()["HITs"][0]["HITId"] == hit["HITId"]
        assert faults.visible(Hit.objects.all(), "created_at", clock.now()).count() == 1
    finally:
        faults.install(installed)
