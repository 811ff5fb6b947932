"""Rules that the database itself keeps."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import DatabaseError, IntegrityError, transaction
from django.db.models import F

from annotation.accounts.models import AccessKey, User
from annotation.accounts.vault import UnreadableSecretError
from annotation.models import (
    AuditEvent,
    Cell,
    Decision,
    Generator,
    Hit,
    HitItem,
    Intent,
    Likelihood,
    Membership,
    Role,
    Study,
    Submission,
    Text,
    Worker,
    WorkerIdentity,
)
from annotation.models import worker as worker_module
from annotation.studies.create import Plan, create

pytestmark = [pytest.mark.django_db, pytest.mark.database]

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.fixture
def study() -> Study:
    return create("headlines", mode="rehearsal", plan=Plan(), actor="ada", now=NOW)


@pytest.fixture
def model(study: Study) -> Generator:
    return Generator.objects.create(study=study, name="tiny")


def text(study: Study, key: str = "t1", **fields: object) -> Text:
    return Text.objects.create(study=study, key=key, **{"source": "reference", "body": "A headline", **fields})


def submission(study: Study) -> Submission:
    arm = study.arms.create(training="none")
    hit = Hit.objects.create(study=study, cell=Cell.objects.create(arm=arm), slot=0, max_assignments=9)
    worker = Worker.objects.known_as("assay", "A1")
    return Submission.objects.create(
        hit=hit, worker=worker, market_id="3A", raw="<x/>", raw_format="mturk-xml", received_at=NOW
    )


def refused() -> pytest.RaisesExc[IntegrityError]:
    return pytest.raises(IntegrityError)


def test_a_model_text_names_its_generator(study: Study) -> None:
    with refused(), transaction.atomic():
        text(study, source="model")


def test_a_reference_has_no_generator(study: Study, model: Generator) -> None:
    with refused(), transaction.atomic():
        text(study, generator=model)


def test_an_empty_text_is_refused(study: Study) -> None:
    with refused(), transaction.atomic():
        text(study, body="")


def test_a_text_key_is_unique_in_its_study(study: Study) -> None:
    text(study)
    with refused(), transaction.atomic():
        text(study)


@pytest.mark.parametrize("bad", [{"log_prob": 0.1}, {"length": 0}, {"length_unit": "furlong"}])
def test_an_impossible_likelihood_is_refused(study: Study, model: Generator, bad: dict[str, object]) -> None:
    good = {"text": text(study), "generator": model, "log_prob": -3.5, "length": 4, "length_unit": "char"}
    with refused(), transaction.atomic():
        Likelihood.objects.create(**{**good, **bad})


def test_a_probability_of_zero_is_kept(study: Study, model: Generator) -> None:
    row = Likelihood.objects.create(
        text=text(study), generator=model, log_prob=float("-inf"), length=4, length_unit="char"
    )
    row.refresh_from_db()
    assert row.log_prob == float("-inf")


def test_a_text_stands_once_in_a_hit(study: Study) -> None:
    hit = submission(study).hit
    one = text(study)
    HitItem.objects.create(hit=hit, text=one, position=0)
    with refused(), transaction.atomic():
        HitItem.objects.create(hit=hit, text=one, position=1)


def test_a_submission_cannot_be_changed(study: Study) -> None:
    row = submission(study)
    with pytest.raises(DatabaseError, match="immutable"), transaction.atomic():
        Submission.objects.filter(pk=row.pk).update(raw="<y/>")
    row.refresh_from_db()
    assert row.raw == "<x/>"


def test_a_rejection_needs_a_reason_and_its_own_matter(study: Study) -> None:
    row = submission(study)
    with refused(), transaction.atomic():
        Decision.objects.create(submission=row, matter="payment", verdict="reject", at=NOW)
    with refused(), transaction.atomic():
        Decision.objects.create(submission=row, matter="analysis", verdict="reject", reason="late", at=NOW)
    Decision.objects.create(submission=row, matter="analysis", verdict="exclude", reason="late", at=NOW)
    Decision.objects.create(submission=row, matter="payment", verdict="approve", at=NOW)
    with refused(), transaction.atomic():
        Decision.objects.create(submission=row, matter="payment", verdict="approve", at=NOW)


def test_an_effect_is_intended_once(study: Study) -> None:
    Intent.of(study, Intent.Kind.CREATE_HIT, 7, slot="0").save()
    with refused(), transaction.atomic():
        Intent.of(study, Intent.Kind.CREATE_HIT, 7, slot="0").save()


def test_an_intent_key_fits_a_request_token_and_does_not_depend_on_primary_keys(study: Study) -> None:
    one, other = (Intent.of(study, Intent.Kind.CREATE_HIT, pk, slot="3") for pk in (1, 99))
    assert one.key == other.key
    assert len(one.key) == 64


def test_a_pseudonym_is_stable_and_does_not_hold_the_id() -> None:
    worker = Worker.objects.known_as("assay", "A2SECRET")
    assert Worker.objects.known_as("assay", "A2SECRET") == worker
    assert Worker.objects.known_as("elsewhere", "A2SECRET") != worker
    assert "A2SECRET" not in worker.pseudonym
    assert WorkerIdentity.objects.get(worker=worker).external_id == "A2SECRET"


def test_a_person_stays_the_same_when_the_key_changes(settings: Any) -> None:
    before = Worker.objects.known_all("assay", ["A1", "A2"])
    settings.PSEUDONYM_KEY = "another key"
    assert Worker.objects.known_all("assay", ["A1", "A2"]) == before
    assert (Worker.objects.count(), WorkerIdentity.objects.count()) == (2, 2)
    # By now the rows carry the new key's hash, and the ids are not asked for.
    WorkerIdentity.objects.update(external_id=F("look_up"))
    assert Worker.objects.known_all("assay", ["A1", "A2"]) == before


def test_two_installations_give_one_person_two_pseudonyms() -> None:
    """The same id under the same key: pseudonyms are drawn, not computed."""
    first = Worker.objects.known_as("assay", "A1").pseudonym
    Worker.objects.all().delete()
    assert Worker.objects.known_as("assay", "A1").pseudonym != first


def test_of_two_who_meet_an_id_at_once_one_stores_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other finds it stored between its look and its write, and leaves no worker behind whom nobody is."""
    behind, met = worker_module._behind, []

    def late(provider: str, ids: list[str]) -> dict[str, Worker]:
        known = behind(provider, ids)
        if not met:
            met.append(Worker.objects.create(pseudonym="w-first"))
            WorkerIdentity.of(met[0], provider, "A1").save()
        return known

    monkeypatch.setattr(worker_module, "_behind", late)
    assert Worker.objects.known_as("assay", "A1") == met[0]
    assert Worker.objects.get() == met[0]


def test_studies_are_visible_to_their_members_only(study: Study) -> None:
    ada, bob, root = (User.objects.create_user(name) for name in ("ada", "bob", "root"))
    User.objects.filter(pk=root.pk).update(is_superuser=True)
    root.refresh_from_db()
    Membership.objects.create(study=study, user=ada, role=Role.VIEWER)
    assert study in Study.objects.visible_to(ada)
    assert study not in Study.objects.visible_to(bob)
    assert study in Study.objects.visible_to(root)
    assert not Study.objects.visible_to(AnonymousUser()).exists()


def test_a_viewer_holds_no_other_role(study: Study) -> None:
    ada = User.objects.create_user("ada")
    Membership.objects.create(study=study, user=ada, role=Role.VIEWER)
    assert not Study.objects.with_role(ada, Role.OWNER, Role.EDITOR).exists()
    with refused(), transaction.atomic():
        Membership.objects.create(study=study, user=ada, role=Role.OWNER)


def test_the_audit_chain_names_the_first_altered_row(study: Study) -> None:
    for verb in ("publish", "approve"):
        AuditEvent.objects.record(study, verb, actor="ada", now=NOW, hits=3)
    assert AuditEvent.objects.first_broken(study) is None
    second = AuditEvent.objects.get(study=study, number=2)
    second.delete()
    broken = AuditEvent.objects.first_broken(study)
    assert broken is not None
    assert broken.number == 3


def test_an_audit_row_cannot_be_changed(study: Study) -> None:
    with pytest.raises(DatabaseError, match="immutable"), transaction.atomic():
        AuditEvent.objects.filter(study=study).update(actor="eve")


def test_an_access_key_is_stored_sealed_and_read_back() -> None:
    key, secret = AccessKey.objects.issue(User.objects.create_user("ada"))
    assert secret not in key.sealed_secret
    assert AccessKey.objects.active().get(key_id=key.key_id).secret() == secret
    key.revoke(now=NOW)
    assert not AccessKey.objects.active().exists()


def test_a_sealed_secret_needs_the_same_secret_key(settings: object) -> None:
    key, _ = AccessKey.objects.issue(User.objects.create_user("ada"))
    settings.SECRET_KEY = "another"  # type: ignore[attr-defined]
    with pytest.raises(UnreadableSecretError, match="issue a new one"):
        key.secret()
