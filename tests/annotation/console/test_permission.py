"""Who sees which study: 404 for strangers, 403 for too small a role."""

from __future__ import annotations

from uuid import UUID

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory
from django.urls import reverse

from annotation.accounts.models import User
from annotation.console.navigation import GROUPS
from annotation.console.permission import study_page
from annotation.models import Membership, Role, Study
from annotation.studies.access import may, studies_of

ROLES = [Role.VIEWER, Role.REVIEWER, Role.EDITOR, Role.OWNER]


@study_page(Role.REVIEWER)
def desk(request: HttpRequest, study: Study) -> HttpResponse:
    return HttpResponse(study.name)


def asked(user: User, study: Study) -> int:
    request = RequestFactory().get("/console/")
    request.user = user
    return desk(request, study_id=study.uuid).status_code


@pytest.mark.parametrize(
    ("role", "status"), [(None, 404), ("viewer", 403), ("reviewer", 200), ("editor", 200), ("owner", 200)]
)
def test_a_page_for_reviewers(study: Study, role: str | None, status: int) -> None:
    user = User.objects.create_user("ada")
    if role:
        Membership.objects.create(study=study, user=user, role=role)
    assert asked(user, study) == status


def test_who_runs_the_installation_is_an_owner_of_everything(study: Study) -> None:
    root = User.objects.create_superuser("root")
    assert asked(root, study) == 200
    assert may(studies_of(root).get(), "owner")


def test_roles_are_ordered_as_their_names_say(study: Study) -> None:
    user = User.objects.create_user("ada")
    member = Membership.objects.create(study=study, user=user, role=Role.VIEWER)
    for rank, role in enumerate(ROLES):
        Membership.objects.filter(pk=member.pk).update(role=role)
        held = studies_of(user).get()
        assert [may(held, least) for least in ROLES] == [at <= rank for at in range(4)]


@pytest.mark.parametrize("tab", [place.key for group in GROUPS for place in group.places])
def test_every_tab_is_hidden_from_strangers(study: Study, person, tab: str) -> None:
    address = reverse(f"console:{tab}", args=[study.uuid])
    assert person(None).get(address).status_code == 404
    assert person(Role.OWNER).get(address).status_code == 200


def test_the_list_holds_the_studies_of_the_visitor_only(study: Study, person) -> None:
    assert "headlines" in person(Role.VIEWER).get("/console/").content.decode()
    seen = person(None).get("/console/").content.decode()
    assert "headlines" not in seen
    assert "No study yet" in seen


def test_who_has_left_sees_nothing(study: Study) -> None:
    user = User.objects.create_user("ada", is_active=False)
    Membership.objects.create(study=study, user=user, role=Role.OWNER)
    assert not studies_of(user).exists()


def test_a_session_that_ended_sends_a_moving_page_to_sign_in(study: Study, client) -> None:
    answer = client.get(f"/console/studies/{study.uuid}/", headers={"HX-Request": "true"})
    assert answer["HX-Redirect"] == "/console/sign-in/"


def test_what_is_not_there_and_what_is_not_theirs_are_told_in_the_same_words(study: Study, person) -> None:
    stranger = person(None)
    addresses = (f"/console/studies/{study.uuid}/", f"/console/studies/{UUID(int=1)}/", "/console/nothing-here/")
    answers = [stranger.get(address) for address in addresses]
    assert [answer.status_code for answer in answers] == [404, 404, 404]
    assert len({answer.content for answer in answers}) == 1
    assert "it may belong to a study on which you have no role" in answers[0].content.decode()
