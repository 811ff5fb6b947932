"""The operator's pages: everything that is money or history can be looked at and not changed."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib import admin
from django.contrib.auth.models import Permission
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotation.accounts.models import User
from annotation.marketplace import models

pytestmark = pytest.mark.django_db

SHOWN = [model for model in admin.site._registry if model._meta.app_label == "marketplace"]
BACKEND = "django.contrib.auth.backends.ModelBackend"


@pytest.fixture
def operator(client):
    client.force_login(User.objects.create_superuser("operator", password="not used"), backend=BACKEND)
    return client


@pytest.fixture
def helper(client):
    """Signed in as somebody who may look at workers, and not see who they are."""
    user = User.objects.create_user("helper", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=["view_workeraccount", "view_assignment"]))
    client.force_login(user, backend=BACKEND)
    return client


def market(number: int) -> None:
    """So many rows of everything that lists show beside one another."""
    now = timezone.now()
    for _ in range(number):
        count = models.Hit.objects.count()
        user = User.objects.create(username=f"lab {count}")
        lab = models.Requester.objects.create(user=user, created_at=now)
        kind = models.HitType.objects.create(
            requester=lab, title="Rate", description="d", reward_cents=5, assignment_seconds=60,
            auto_approval_seconds=60, digest="d", created_at=now,
        )  # fmt: skip
        hit = models.Hit.objects.create(
            requester=lab, hit_type=kind, kind="HTMLQuestion", question="q", created_at=now,
            expiration=now + timedelta(days=1),
        )  # fmt: skip
        worker = models.WorkerAccount.objects.create(name=f"worker {count}", created_at=now)
        held = models.Assignment.objects.create(hit=hit, worker=worker, accepted_at=now, deadline=now)
        models.LedgerEntry.objects.create(
            posting="12345678-1234-5678-1234-567812345678" if not count else f"00000000-0000-0000-0000-{count:012}",
            purpose="reward", account="worker", worker=worker, assignment=held, hit=hit, amount_cents=5, posted_at=now,
        )  # fmt: skip
        models.Payout.objects.create(batch="b", worker=worker, amount_cents=5, created_at=now)
        models.BonusPayment.objects.create(
            requester=lab, assignment=held, amount_cents=5, fee_cents=1, reason="r", granted_at=now
        )
        found = models.QualificationType.objects.create(
            requester=lab, name="q", description="d", status="Active", created_at=now
        )
        models.QualificationGrant.objects.create(qualification_type=found, worker=worker, granted_at=now)


@pytest.mark.parametrize("model", SHOWN, ids=lambda model: model.__name__)
def test_every_list_opens_and_nothing_is_added_by_hand(operator, model):
    name = f"admin:marketplace_{model._meta.model_name}"
    assert operator.get(reverse(f"{name}_changelist")).status_code == 200
    assert operator.get(reverse(f"{name}_add")).status_code == 403


@pytest.mark.parametrize("model", SHOWN, ids=lambda model: model.__name__)
def test_a_list_asks_the_database_as_often_for_ten_rows_as_for_two(operator, model):
    page = reverse(f"admin:marketplace_{model._meta.model_name}_changelist")
    counts = []
    for more in (2, 8):
        market(more)
        operator.get(page)
        with CaptureQueriesContext(
            connection,
        ) as queries:
            assert operator.get(page).status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1]


@pytest.mark.parametrize(
    "model", [models.Hit, models.Assignment, models.LedgerEntry, models.Payout, models.BonusPayment]
)
def test_money_and_history_can_be_looked_at_and_not_changed(operator, model):
    market(1)
    row = model.objects.get()
    for action, status in (("change", 200), ("delete", 403)):
        page = reverse(f"admin:marketplace_{model._meta.model_name}_{action}", args=[row.pk])
        assert operator.get(page).status_code == status
        assert operator.post(page, {"state": "Approved", "amount_cents": "7"}).status_code == 403
    assert model.objects.filter(pk=row.pk).exists()


def test_a_workers_earnings_cannot_be_edited(operator):
    worker = models.WorkerAccount.objects.create(name="ann", created_at="2026-11-20T00:00:00Z")
    page = operator.get(reverse("admin:marketplace_workeraccount_change", args=[worker.pk])).content.decode()
    assert 'name="country"' in page
    assert 'name="earned_cents"' not in page
    assert 'name="password"' not in page


def test_work_is_found_by_the_worker_id(helper):
    market(2)
    first, second = models.WorkerAccount.objects.order_by("pk")
    page = helper.get(reverse("admin:marketplace_assignment_changelist"), {"q": first.worker_id}).content.decode()
    assert first.worker_id in page
    assert second.worker_id not in page


def test_who_workers_are_is_shown_and_searched_by_permission_only(helper, operator_like):
    worker = models.WorkerAccount.objects.create(
        name="Jane Roe", email="jane@example.org", created_at="2026-11-20T00:00:00Z"
    )
    lists = reverse("admin:marketplace_workeraccount_changelist")
    one = reverse("admin:marketplace_workeraccount_change", args=[worker.pk])
    for page in (helper.get(lists), helper.get(one)):
        assert worker.worker_id in page.content.decode()
        assert "jane" not in page.content.decode().lower()
    assert worker.worker_id not in helper.get(lists, {"q": "jane"}).content.decode()
    operator_like(helper)
    assert "jane@example.org" in helper.get(lists, {"q": "jane"}).content.decode()


@pytest.fixture
def operator_like():
    """Gives a signed-in helper the permission to see who workers are."""

    def given(client):
        user = User.objects.get(username="helper")
        user.user_permissions.add(Permission.objects.get(codename="see_identity"))
        client.force_login(user, backend=BACKEND)

    return given


def test_tries_to_sign_in_to_the_administration_are_limited(client, settings):
    settings.AXES_ENABLED = True
    User.objects.create_superuser("operator", password="the right one")
    form = {"username": "operator", "password": "no"}
    page = client.get(reverse("admin:login"))["Location"]
    answers = [client.post(page, form).status_code for _ in range(settings.AXES_FAILURE_LIMIT)]
    assert answers[0] == 200
    assert client.post(page, form | {"password": "the right one"}).status_code == 429
    other = {"REMOTE_ADDR": "203.0.113.5"}
    assert client.post(page, form | {"password": "the right one"}, **other).status_code == 302
