"""The operator's pages: everything that is money or history can be looked at and not changed."""

from __future__ import annotations

import pytest
from django.contrib import admin
from django.urls import reverse

from annotation.accounts.models import User
from annotation.marketplace import models

pytestmark = pytest.mark.django_db

SHOWN = [model for model in admin.site._registry if model._meta.app_label == "marketplace"]


@pytest.fixture
def operator(client):
    client.force_login(
        User.objects.create_superuser("operator", password="not used"),
        backend="django.contrib.auth.backends.ModelBackend",
    )
    return client


@pytest.mark.parametrize("model", SHOWN, ids=lambda model: model.__name__)
def test_every_list_opens_and_nothing_is_added_by_hand(operator, model):
    name = f"admin:marketplace_{model._meta.model_name}"
    assert operator.get(reverse(f"{name}_changelist")).status_code == 200
    assert operator.get(reverse(f"{name}_add")).status_code == 403


def test_a_workers_earnings_cannot_be_edited(operator):
    worker = models.WorkerAccount.objects.create(name="ann", created_at="2026-11-20T00:00:00Z")
    page = operator.get(reverse("admin:marketplace_workeraccount_change", args=[worker.pk])).content.decode()
    assert 'name="country"' in page
    assert 'name="earned_cents"' not in page
