"""People at the console: one for each role on a study, and a stranger to it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from django.test import Client

from annotation.accounts.models import User
from annotation.flows.create import Plan, create
from annotation.models import Membership, Role, Study

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture
def study(db: None) -> Study:
    return create("headlines", mode="rehearsal", plan=Plan(noun="headline"), actor="ada", now=NOW)


@pytest.fixture
def person(study: Study) -> Callable[..., Client]:
    """Signs in somebody who holds `role` on the study (None: a stranger to it)."""

    def signed_in(role: str | None = Role.OWNER, name: str = "") -> Client:
        user = User.objects.create_user(name or f"{role or 'stranger'}", password="a long password 1")
        if role:
            Membership.objects.create(study=study, user=user, role=role)
        client = Client()
        client.force_login(user)
        return client

    return signed_in
