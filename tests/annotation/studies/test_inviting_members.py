"""Colleagues come by a link: it works once, says truly what the role may do, and no study is left without an owner."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.accounts.models import User
from annotation.console.urls import of_a_study
from annotation.exceptions import StateError
from annotation.models import AuditEvent, MemberInvitation, Membership, Role, Study
from annotation.studies import invite_member as inviting
from annotation.studies.create import Plan, create
from annotation.studies.members import enrol
from annotation.studies.role_deeds import ROLE_DEEDS, roles_described
from tests.annotation.api.test_roles import OPERATIONS
from tests.annotation.review.factories import NOW

pytestmark = pytest.mark.django_db
PASSWORD = "a long password 1"
ACCOUNT = {"username": "rita", "password1": PASSWORD, "password2": PASSWORD}


@pytest.fixture(autouse=True)
def _no_attempts_before() -> None:
    cache.clear()


@pytest.fixture
def study(db: None) -> Study:
    return create("headlines", mode="rehearsal", plan=Plan(), actor="olga", now=NOW, owner=user("olga"))


def user(name: str) -> User:
    return User.objects.create_user(name, password=PASSWORD)


def signed_in(account: User) -> Client:
    client = Client()
    client.force_login(account)
    return client


def owner_of(study: Study) -> User:
    return study.memberships.get(user__username="olga").user


def link(study: Study, role: str = "reviewer", **how: Any) -> str:
    return address(inviting.invite_member(study, role, **{"by": owner_of(study), "now": timezone.now(), **how}).token)


def address(token: str) -> str:
    return reverse("console:join", args=[token])


def roles(study: Study) -> dict[str, str]:
    return dict(study.memberships.values_list("user__username", "role"))


def shown(client: Client, study: Study, name: str, **given: str) -> str:
    return client.post(reverse(f"console:{name}", args=[study.uuid]), given, follow=True).content.decode()


def test_an_owner_creates_a_link_and_a_newcomer_becomes_a_member_with_it(study: Study) -> None:
    page = shown(signed_in(owner_of(study)), study, "people-invite", invited_role="editor")
    path = re.search(r"/console/join/[\w-]{43}/", page)
    assert path is not None
    newcomer = Client()
    first = newcomer.get(path[0]).content.decode()
    assert "Join the study headlines" in first
    assert "olga invites you with the role editor" in first
    answer = newcomer.post(path[0], ACCOUNT, follow=True)
    assert answer.redirect_chain == [(reverse("console:overview", args=[study.uuid]), 302)]
    assert "You are a member of this study now." in answer.content.decode()
    assert roles(study) == {"olga": "owner", "rita": "editor"}
    assert User.objects.get(username="rita").check_password(PASSWORD)
    assert list(study.audit.values_list("verb", "actor"))[-2:] == [("invite_member", "olga"), ("join", "rita")]
    assert (
        "No pending links."
        in signed_in(owner_of(study)).get(reverse("console:people", args=[study.uuid])).content.decode()
    )


def test_the_token_is_stored_as_a_hash_and_not_in_the_log(study: Study) -> None:
    token = link(study).split("/")[-2]
    assert len(token) >= 43
    assert not MemberInvitation.objects.filter(token_hash__contains=token).exists()
    assert not any(token in str(event.facts) for event in AuditEvent.objects.all())


def test_opening_a_link_does_not_spend_it_and_using_it_does(study: Study) -> None:
    path = link(study)
    for _ in range(2):
        assert Client().get(path).status_code == 200
    signed_in(user("rita")).post(path)
    second = signed_in(user("rolf")).post(path)
    assert second.status_code == 404
    assert "was used before" in second.content.decode()
    assert roles(study) == {"olga": "owner", "rita": "reviewer"}


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (lambda rows: rows.update(expires_at=timezone.now()), "has expired"),
        (lambda rows: rows.update(revoked_at=NOW), "was revoked"),
        (lambda rows: rows.delete(), "is not known"),
        (lambda rows: Membership.objects.filter(user__username="olga").update(role="editor"), "was revoked"),
        (lambda rows: User.objects.filter(username="olga").update(is_active=False), "was revoked"),
    ],
    ids=["expired", "revoked", "unknown", "no longer an owner", "shut out"],
)
def test_a_link_that_is_over_says_why_and_gives_nothing(study: Study, spoil: Any, sentence: str) -> None:
    path = link(study)
    spoil(MemberInvitation.objects.all())
    for client, given in ((Client(), ACCOUNT), (signed_in(user("rolf")), {})):
        for answer in (client.get(path), client.post(path, given)):
            assert answer.status_code == 404
            assert sentence in answer.content.decode()
    assert set(roles(study)) == {"olga"}
    assert not User.objects.filter(username="rita").exists()


def test_who_has_a_name_and_no_good_password_creates_no_account_and_spends_nothing(study: Study) -> None:
    path = link(study)
    wrong = {"username": "OLGA", "password1": "short", "password2": "other"}
    answer = Client().post(path, wrong)
    assert answer.status_code == 422
    assert "This name is taken" in answer.content.decode()
    assert User.objects.count() == 1
    assert Client().post(path, ACCOUNT).status_code == 302


def test_a_member_with_a_smaller_role_gets_the_larger_and_never_a_smaller_one(study: Study) -> None:
    enrol(study, user("vera"), "viewer", actor="olga", now=NOW)
    assert signed_in(User.objects.get(username="vera")).post(link(study)).status_code == 302
    olga = signed_in(owner_of(study))
    spare = link(study)
    assert "you do not need this link" in olga.get(spare).content.decode()
    assert "is as high already" in olga.post(spare).content.decode()
    assert roles(study) == {"olga": "owner", "vera": "reviewer"}
    assert Client().get(spare).status_code == 200


def test_a_removed_member_cannot_come_back_by_the_link_that_was_used(study: Study) -> None:
    path, vera = link(study), user("vera")
    signed_in(vera).post(path)
    enrol(study, vera, None, actor="olga", now=NOW)
    assert signed_in(vera).post(path).status_code == 404
    assert set(roles(study)) == {"olga"}


def test_of_two_uses_at_the_same_moment_one_finds_the_link_used(study: Study, monkeypatch: Any) -> None:
    token = link(study).split("/")[-2]
    find = inviting.find_invitation

    def used_meanwhile(*args: Any, **kwargs: Any) -> MemberInvitation:
        row = find(*args, **kwargs)
        MemberInvitation.objects.update(used_at=NOW)
        return row

    monkeypatch.setattr(inviting, "find_invitation", used_meanwhile)
    with pytest.raises(inviting.InvitationError, match="used before"):
        inviting.accept_invitation(token, user("rita"), now=timezone.now())
    assert set(roles(study)) == {"olga"}


def test_only_owners_create_and_revoke_links_and_members_see_who_made_them(study: Study) -> None:
    path = link(study)
    number = MemberInvitation.objects.get().pk
    revoking = reverse("console:people-revoke", args=[study.uuid, number])
    for name, role, status in (("vera", "viewer", 403), ("ed", "editor", 403), ("stan", None, 404)):
        client = signed_in(user(name))
        if role:
            enrol(study, User.objects.get(username=name), role, actor="olga", now=NOW)
            assert "olga" in client.get(reverse("console:people", args=[study.uuid])).content.decode()
        inviting_page = reverse("console:people-invite", args=[study.uuid])
        assert client.post(inviting_page, {"invited_role": "owner"}).status_code == status
        assert client.post(revoking).status_code == status
    olga = signed_in(owner_of(study))
    assert "Invitation link revoked." in olga.post(revoking, follow=True).content.decode()
    assert "was revoked" in Client().get(path).content.decode()
    other = create("other", mode="rehearsal", plan=Plan(), actor="x", now=NOW, owner=owner_of(study))
    assert olga.post(reverse("console:people-revoke", args=[other.uuid, number])).status_code == 404


def test_fifty_links_may_be_pending(study: Study) -> None:
    given = {"study": study, "role": "viewer", "invited_by": owner_of(study), "created_at": NOW}
    until = timezone.now() + timedelta(days=1)
    MemberInvitation.objects.bulk_create(
        MemberInvitation(token_hash=str(number), expires_at=until, **given) for number in range(50)
    )
    page = shown(signed_in(owner_of(study)), study, "people-invite", invited_role="viewer")
    assert "50 invitation links are pending. Revoke one" in page
    with pytest.raises(StateError):
        link(study)


def test_the_last_owner_stays(study: Study) -> None:
    page = shown(signed_in(owner_of(study)), study, "people-save", user="olga", role="viewer")
    assert "A study has at least one owner" in page
    assert "A study has at least one owner" in shown(
        signed_in(owner_of(study)), study, "people-save", user="olga", role="viewer", remove="1"
    )
    assert roles(study) == {"olga": "owner"}


def test_an_owner_of_the_installation_invites_a_colleague_who_creates_studies() -> None:
    root = signed_in(User.objects.create_superuser("root"))
    page = root.post(reverse("console:keys-colleagues")).content.decode()
    path = re.search(r"/console/join/[\w-]{43}/", page)
    assert path is not None
    assert "The link was not used" in signed_in(user("ada")).post(path[0]).content.decode()
    newcomer = Client()
    assert newcomer.post(path[0], ACCOUNT)["Location"] == "/console/"
    assert newcomer.get(reverse("console:studies-new")).status_code == 200
    assert not User.objects.get(username="rita").is_superuser
    plain = signed_in(user("vera"))
    assert plain.get(reverse("console:keys-colleagues")).status_code == 403
    assert plain.post(reverse("console:keys-colleagues")).status_code == 403
    root.post(reverse("console:keys-colleagues"))
    pending = MemberInvitation.objects.get(used_at=None)
    assert plain.post(reverse("console:keys-colleagues-revoke", args=[pending.pk])).status_code == 403
    assert root.post(reverse("console:keys-colleagues-revoke", args=[pending.pk])).status_code == 302
    pending.refresh_from_db()
    assert pending.revoked_at is not None


def test_a_command_prints_a_link_for_a_colleague(study: Study) -> None:
    out = io.StringIO()
    call_command("people", "headlines", "--invite", "viewer", "--as", "olga", stdout=out, stderr=io.StringIO())
    path = out.getvalue().strip().partition("8000")[2]
    assert signed_in(user("vera")).post(path).status_code == 302
    assert roles(study)["vera"] == "viewer"
    with pytest.raises(CommandError, match="--as USER is required"):
        call_command("people", "headlines", "--invite", "viewer")


def test_after_thirty_unknown_links_an_address_waits(client: Client) -> None:
    statuses = [client.get(address("x")).status_code for _ in range(31)]
    assert statuses == [404] * 30 + [429]
    assert client.get(address("x"), REMOTE_ADDR="10.9.8.7").status_code == 404


def pages(patterns: Any) -> Iterator[tuple[str, Role]]:
    """Name of every address of a study, and the smallest role that its view lets in."""
    for pattern in patterns:
        if hasattr(pattern, "url_patterns"):
            yield from pages(pattern.url_patterns)
            continue
        view = pattern.callback
        while not hasattr(view, "min_role"):
            view = view.__wrapped__
        yield pattern.name, view.min_role


def is_of(page: str, name: str) -> bool:
    return page.startswith(name) if name.endswith("-") else page == name


def test_every_sentence_about_a_role_is_what_the_pages_allow() -> None:
    """Each page of a study is in a sentence of exactly the role that it asks for."""
    wrong = []
    for page, role in pages(of_a_study):
        exact = {deed.role for deed in ROLE_DEEDS if page in deed.pages}
        if role not in (exact or {deed.role for deed in ROLE_DEEDS for name in deed.pages if is_of(page, name)}):
            wrong.append((page, role))
    assert wrong == []
    every = {page for page, _ in pages(of_a_study)}
    in_vain = [name for deed in ROLE_DEEDS for name in deed.pages if not any(is_of(page, name) for page in every)]
    assert in_vain == []


def test_a_sentence_that_lies_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    assert dict(pages(of_a_study))["publish-confirm"] == Role.OWNER
    lie = [deed for deed in ROLE_DEEDS if "publish-confirm" not in deed.pages]
    monkeypatch.setitem(globals(), "ROLE_DEEDS", lie)
    with pytest.raises(AssertionError, match="publish-confirm"):
        test_every_sentence_about_a_role_is_what_the_pages_allow()


def test_roles_are_described_from_the_smallest_to_the_largest_as_the_api_orders_them() -> None:
    assert [role for role, _ in roles_described()] == ["viewer", "reviewer", "editor", "owner"]
    assert all(deeds for _, deeds in roles_described())
    assert {operation.least for operation in OPERATIONS} <= set(Role)
