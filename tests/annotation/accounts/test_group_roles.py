"""Roles by the groups that an OpenID Connect provider names: never more than the map says, and gone with the group."""

from __future__ import annotations

import io
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from annotation.accounts.models import AccountEvent, ProviderIdentity, User
from annotation.exceptions import StateError
from annotation.jobs.diagnosis import check_provider
from annotation.models import Membership, Study
from annotation.studies.create import Plan, create
from annotation.studies.members import enrol
from annotation.studies.rename import rename
from deploy.settings.environment import ImproperlyConfigured, roles_of_groups
from tests.annotation.accounts.conftest import go, signed_in
from tests.annotation.accounts.identity_provider import IdentityProvider
from tests.annotation.review.factories import make, member

pytestmark = pytest.mark.django_db
MAP = [
    ("admins", "owner", ""),
    ("nlp", "viewer", "judged"),
    ("leads", "editor", "judged"),
    ("staff", "owner", "judged"),
]


@pytest.fixture
def study(settings: Any) -> Study:
    settings.OIDC_ROLES = MAP
    study = make(workers=1, hits=1, texts=2, straight=0)
    member(study, "owner", "olga")
    User.objects.create_superuser("root")
    return study


def sign_in(provider: IdentityProvider, groups: Any) -> Client:
    """Sign Ada in as a member of these groups."""
    client = Client()
    provider.claims = {"sub": "person-1", "email": "ada@example.org", "email_verified": True, "groups": groups}
    client.get(go(client))
    assert signed_in(client)
    return client


def roles_of(user: User) -> tuple[bool, str | None]:
    """Whether the user owns the installation, and the role on the study."""
    user.refresh_from_db()
    assert user.is_staff == user.is_superuser
    return user.is_superuser, Membership.objects.filter(user=user).values_list("role", flat=True).first()


@pytest.mark.parametrize(
    ("groups", "expected"),
    [
        (["admins"], (True, None)),
        (["nlp"], (False, "viewer")),
        (["nlp", "leads"], (False, "editor")),
        ("leads", (False, "editor")),
        (["Admins", "admins ", "superusers", "owner"], (False, None)),
        (["nlp leads"], (False, None)),
        ({"admins": True}, (False, None)),
        ([["admins"], {"name": "admins"}, 1, None], (False, None)),
        (None, (False, None)),
    ],
)
def test_groups_give_what_the_map_says_and_nothing_else(
    provider: IdentityProvider,
    ada: User,
    study: Study,
    groups: Any,
    expected: tuple[bool, str | None],
) -> None:
    sign_in(provider, groups)
    assert roles_of(ada) == expected


@pytest.mark.database
def test_a_role_goes_with_the_group_at_the_next_sign_in_and_both_are_on_record(
    provider: IdentityProvider,
    ada: User,
    study: Study,
) -> None:
    client = sign_in(provider, ["admins", "leads"])
    assert roles_of(ada) == (True, "editor")
    assert client.get("/console/settings/operation/").status_code == 200
    sign_in(provider, ["nlp"])
    assert roles_of(ada) == (False, "viewer")
    assert client.get("/console/settings/operation/").status_code == 403  # in the session from before, too
    sign_in(provider, [])
    assert roles_of(ada) == (False, None)
    verbs = AccountEvent.objects.filter(user=ada).order_by("pk").values_list("actor", "verb")
    assert list(verbs)[1:] == [("assay", "owner by a group"), ("assay", "no owner any more by groups")]
    why = "groups of the identity provider"
    assert [event.facts for event in study.audit.filter(verb="enrol").order_by("number")] == [
        {"user": "ada", "role": role, "why": why} for role in ("editor", "viewer", "none")
    ]


def test_a_role_that_a_person_gave_stays_and_comes_back(provider: IdentityProvider, ada: User, study: Study) -> None:
    enrol(study, ada, "reviewer", actor="olga", now=timezone.now())
    for groups, role in ((["nlp"], "reviewer"), (["leads"], "editor"), ([], "reviewer")):
        sign_in(provider, groups)
        assert roles_of(ada) == (False, role)
    # What a person changes while a group holds it is that person's from then on.
    sign_in(provider, ["leads"])
    enrol(study, ada, "owner", actor="olga", now=timezone.now())
    sign_in(provider, [])
    assert roles_of(ada) == (False, "owner")


def test_an_owner_of_the_installation_by_hand_stays_one(provider: IdentityProvider, ada: User, study: Study) -> None:
    User.objects.filter(pk=ada.pk).update(is_superuser=True, is_staff=True)
    for groups in (["admins"], []):
        sign_in(provider, groups)
        assert roles_of(ada)[0]


def test_the_last_owner_stays_and_loses_the_role_once_there_is_another(
    provider: IdentityProvider,
    ada: User,
    study: Study,
) -> None:
    sign_in(provider, ["admins", "staff"])
    User.objects.filter(username="root").update(is_active=False)
    Membership.objects.filter(user__username="olga").delete()
    sign_in(provider, [])
    assert roles_of(ada) == (True, "owner")
    assert AccountEvent.objects.filter(user=ada, verb="last owner; groups give no role").exists()
    User.objects.filter(username="root").update(is_active=True)
    Membership.objects.create(study=study, user=User.objects.get(username="olga"), role="owner")
    sign_in(provider, [])
    assert roles_of(ada) == (False, None)
    assert ProviderIdentity.objects.get().roles == {}


def test_without_the_map_what_it_gave_is_taken_away(
    provider: IdentityProvider,
    ada: User,
    study: Study,
    settings: Any,
) -> None:
    sign_in(provider, ["admins", "leads"])
    settings.OIDC_ROLES = []
    sign_in(provider, ["admins", "leads"])
    assert roles_of(ada) == (False, None)


def test_a_study_that_does_not_exist_gives_no_role_and_doctor_names_it(
    provider: IdentityProvider,
    ada: User,
    study: Study,
    settings: Any,
) -> None:
    settings.OIDC_ROLES = [("nlp", "viewer", "headline")]
    sign_in(provider, ["nlp"])
    assert roles_of(ada) == (False, None)
    assert "studies that do not exist: headline." in list(check_provider(timezone.now()))[-1].sentence


def test_a_rule_that_is_none_ends_the_start_with_its_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OIDC_ROLES", "cn=admins=owner, nlp = reviewer@headlines")
    assert roles_of_groups("OIDC_ROLES") == [("cn=admins", "owner", ""), ("nlp", "reviewer", "headlines")]
    for rule in ("nlp", "=owner", "nlp=reviewer", "nlp=admin@headlines", "nlp=reviewer@"):
        monkeypatch.setenv("OIDC_ROLES", rule)
        with pytest.raises(ImproperlyConfigured, match="GROUP=ROLE@STUDY"):
            roles_of_groups("OIDC_ROLES")


def test_who_is_disconnected_keeps_no_role_of_a_group(provider: IdentityProvider, study: Study, ada: User) -> None:
    enrol(study, ada, "viewer", actor="olga", now=timezone.now(), why="by hand")
    sign_in(provider, ["admins", "leads"])
    assert roles_of(ada) == (True, "editor")
    call_command("account_address", "ada", "--disconnect", stdout=io.StringIO())
    assert roles_of(ada) == (False, "viewer")
    assert not ProviderIdentity.objects.exists()
    assert study.audit.filter(facts__why="groups of the identity provider").count() == 2
    verbs = AccountEvent.objects.filter(user=ada).order_by("pk").values_list("verb", flat=True)
    assert list(verbs)[-2:] == ["no owner any more by groups", "provider disconnected"]


def test_the_only_owner_is_named_and_stays_when_disconnected(
    provider: IdentityProvider, study: Study, ada: User
) -> None:
    sign_in(provider, ["admins", "staff"])
    User.objects.exclude(pk=ada.pk).update(is_superuser=False, is_staff=False)
    Membership.objects.exclude(user=ada).delete()
    said = io.StringIO()
    call_command("account_address", "ada", "--disconnect", stdout=io.StringIO(), stderr=said)
    assert roles_of(ada) == (True, "owner")
    assert [line.partition(" of ")[2] for line in said.getvalue().splitlines()] == [
        "this installation, by a group.",
        f"the study {study}, by a group.",
    ]


def test_a_study_on_which_groups_have_roles_keeps_its_name(study: Study, settings: Any) -> None:
    other, now = create("other", mode="rehearsal", plan=Plan(), actor="olga", now=timezone.now()), timezone.now()
    settings.OIDC_ROLES = [*MAP, ("nlp", "viewer", "later")]
    for renamed, name in ((study, "fresh"), (other, "later")):
        with pytest.raises(StateError, match="OIDC_ROLES"):
            rename(renamed, name, actor="olga", now=now)
    assert rename(other, "else", actor="olga", now=now)
