"""Home: what needs somebody, where their studies stand, and what they can start."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from django.test import Client
from django.urls import reverse

from annotation.accounts.models import User
from annotation.models import AuditEvent, Membership, Result, Role, Study
from annotation.studies.create import Plan, create
from tests.annotation.review.factories import make

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
NEED = re.compile(r'<li><a href="([^"]+)">([^<]+)</a> <span class="quiet">(.+?)</span></li>')
ROW = re.compile(r'<tr><th scope="row"><a href="[^"]+">([^<]+)</a>.*?</tr>', re.DOTALL)


@pytest.fixture
def visitor(db: None) -> tuple[User, Client]:
    user, client = User.objects.create_user("grace", password="a long password 1"), Client()
    client.force_login(user)
    return user, client


def shown(client: Client) -> str:
    return client.get(reverse("console:studies")).content.decode()


def words(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def row_of(page: str, name: str) -> str:
    return next(words(match[0]) for match in ROW.finditer(page) if match[1] == name)


def test_without_a_study_the_page_is_the_four_papers_in_their_order(visitor: tuple[User, Client]) -> None:
    page = shown(visitor[1])
    assert re.findall(r"<li><h3>([^<]+)</h3>", page) == [
        "How typical is each text?",
        "Human or machine?",
        "Near-negative tests",
        "Human-likelihood",
    ]
    assert page.count('<svg class="start"') == 4
    # Hashimoto et al.: 8 HITs x 20 at $1, median 804 s. Clark et al.: 780 and 1,170 people at $1.25 to $2.25.
    assert "In the released batch: 160 assignments, $160.00 in rewards. Half of them took at most 14 minutes." in words(
        page
    )
    assert "In the paper, after exclusions: 1,950 assignments, $3,022.50 in rewards." in words(page)
    assert "Needs you" not in page


def test_needs_come_by_deadline_and_are_seven_at_most(visitor: tuple[User, Client]) -> None:
    user, client = visitor
    for number in range(8):
        study = create(f"draft-{number}", mode="rehearsal", plan=Plan(), actor="grace", now=NOW)
        Membership.objects.create(study=study, user=user, role=Role.OWNER)
    waiting = make(name="due", mode="live")
    Membership.objects.create(study=waiting, user=user, role=Role.REVIEWER)
    needs = NEED.findall(shown(client))
    assert len(needs) == 7
    assert needs[0][1] == "due: Review submissions"
    # Sixteen submissions; the first was handed in 15 hours before NOW, and three days later it approves itself.
    assert (
        re.sub(r"<[^>]+>", "", needs[0][2])
        == "16 submissions are to be reviewed. Automatic approval of the first is due at 2026-11-23 21:00 UTC."
    )
    assert {words(need[1]).partition(": ")[2] for need in needs[1:]} == {"Add texts"}
    assert all(client.get(address).status_code == 200 for address, _label, _why in needs)


def test_a_viewer_is_asked_for_nothing(visitor: tuple[User, Client]) -> None:
    user, client = visitor
    Membership.objects.create(study=make(name="theirs"), user=user, role=Role.VIEWER)
    assert "Needs you" not in shown(client)


@pytest.mark.parametrize(
    ("headline", "cell"),
    [
        (("HUSE", "tiny", 0.53, 0.48, 0.58, 0), "HUSE 0.530 [0.480, 0.580] tiny"),
        (("HUSE", "tiny", 0.53, 0.48, 0.58, 2), "HUSE 0.530 [0.480, 0.580] tiny, and 2 more"),
        (("Accuracy", "all", 0.61, None, None, 4), "Accuracy 0.610"),
    ],
)
def test_results_are_blind_until_somebody_looked(
    visitor: tuple[User, Client], headline: tuple[object, ...], cell: str
) -> None:
    user, client = visitor
    study = make(name="blinded")
    Membership.objects.create(study=study, user=user, role=Role.OWNER)
    assert "Blind until you look" in row_of(shown(client), "blinded")
    names = ("measure", "generator", "value", "low", "high", "more")
    Result.objects.create(
        study=study, made_at=NOW, data_sha256="0" * 64, numbers={}, headline=dict(zip(names, headline, strict=True))
    )
    AuditEvent.objects.record(study, "export", actor="grace", now=NOW)
    row = row_of(shown(client), "blinded")
    assert cell in row
    assert "Blind" not in row
    assert row.startswith("blinded rehearsal Deciding 16 of 16 $0.00")
    assert row.endswith("2026-11-21 12:00 UTC")


def test_the_page_costs_as_many_queries_with_thirty_studies_as_with_one(
    visitor: tuple[User, Client], django_assert_max_num_queries: Callable
) -> None:
    user, client = visitor
    for number in range(30):
        study = create(f"s{number}", mode="rehearsal", plan=Plan(), actor="grace", now=NOW)
        Membership.objects.create(study=study, user=user, role=Role.OWNER)
    with django_assert_max_num_queries(34):
        page = shown(client)
    assert len(ROW.findall(page)) == Study.objects.count() == 30
