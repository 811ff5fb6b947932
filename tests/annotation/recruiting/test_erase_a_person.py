"""Somebody asks what is stored of them, is erased, and comes back: nobody of before, by each way in.

The judge is a dump of the whole database, read without any code of ours.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.models import Q
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation import ledger
from annotation.accounts.models import User
from annotation.collecting.collect import collect
from annotation.collecting.parse_submissions import read
from annotation.exceptions import StateError
from annotation.jobs.data_protection.erase import repeat_erasures
from annotation.models import AuditEvent, Look, PersonRequest, Study, Submission, Worker, WorkerIdentity
from annotation.mturk.channels import ChannelRecord
from annotation.mturk.client import Market
from annotation.outbox.worker import work
from annotation.review.approve import approve
from annotation.workers.study_retention import set_retention_date
from tests.annotation.conftest import NOW, told
from tests.annotation.recruiting.prolific_recruitment import Recruitment
from tests.annotation.recruiting.test_channels import publish_now
from tests.marketplace.channels.guests import Guest
from tests.marketplace.people import Person

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]
Visitors = Callable[[], Guest]


@pytest.fixture(autouse=True)
def folder(settings: Any, tmp_path: Path) -> Path:
    """Where the list of erasures is written."""
    settings.VAR = tmp_path
    return tmp_path


def tables_with(*words: str) -> list[str]:
    """The tables that contain one of the words in whichever column: every value of every row is read as text."""
    places = []
    for model in apps.get_models(include_auto_created=True):
        with connection.cursor() as cursor:
            cursor.execute(f'SELECT * FROM "{model._meta.db_table}"')
            text = " ".join(
                bytes(value).decode("latin-1") if isinstance(value, bytes | memoryview) else str(value)
                for row in cursor.fetchall()
                for value in row
            ).lower()
        places += [f"{model._meta.db_table}: {word}" for word in words if word.lower() in text]
    return places


def ask(*words: str) -> dict[str, Any]:
    out = io.StringIO()
    call_command("person", *words, "--reason", "request by the person", stdout=out)
    answer: dict[str, Any] = json.loads(out.getvalue())
    return answer


def do_everything(comer: Person) -> None:
    for hit in comer.offers():  # type: ignore[attr-defined]
        comer.do({"HITId": hit})


def collected(study: Study, market: Market) -> set[str]:
    """The pseudonyms of who submitted something, after everything was collected once more."""
    collect(study, market=market, now=timezone.now())
    read(study, now=NOW)
    return set(Worker.objects.filter(submissions__hit__study=study).values_list("pseudonym", flat=True))


def test_a_person_of_prolific_is_erased_and_comes_back_as_somebody_new(recruitment: Recruitment) -> None:
    study, market = recruitment.study, recruitment.market
    recruitment.begin(places=4)
    first, second = (recruitment.stub.arrive(number, recruitment.prolific_id) for number in (1, 2))
    ids = [
        {name: values[0] for name, values in parse_qs(urlsplit(it["address"]).query).items()} for it in (first, second)
    ]
    comers = [recruitment.visitor().enter(it["address"]) for it in (first, second)]
    for comer in comers:
        do_everything(comer)
    recruitment.run()
    before = collected(study, market)
    panel_id, session = ids[0]["PROLIFIC_PID"], ids[0]["SESSION_ID"]
    words = (panel_id, session, comers[0].worker_id)
    assert len(tables_with(panel_id)) >= 1

    stored = ask("show", panel_id)
    assert set(words) <= set(stored["known_as"])
    assert stored["studies"] == ["headlines"]
    assert len(stored["requester"]["annotation_submission"]) == 1
    # Of the other person nothing is in it, and no secret.
    text = json.dumps(stored)
    assert ids[1]["PROLIFIC_PID"] not in text
    assert comers[1].worker_id not in text
    assert "token_hash" not in text

    done = ask("erase", panel_id, "--answers", "erase", "--unpaid")
    assert (done["studies"], done["submissions"], done["left"]) == (["headlines"], 1, {})
    assert tables_with(*words) == []
    # Prolific goes on listing the session; whoever reads it again learns nothing new.
    recruitment.run()
    assert tables_with(*words) == []
    assert AuditEvent.objects.first_broken(study) is None
    assert [row.kind for row in PersonRequest.objects.order_by("pk")] == ["access", "erasure"]
    with pytest.raises(CommandError, match="Neither side stores anybody"):
        ask("show", panel_id)

    # The same id at Prolific, with a session of today and another browser.
    back = recruitment.visitor().enter(first["address"].replace(session, "5f00000000000000000000aa"))
    assert back.worker_id not in {comer.worker_id for comer in comers}
    do_everything(back)
    after = collected(study, market)
    assert len(after - before) == 1
    assert after >= before  # the earlier pseudonyms stay, and the new one is a third


def test_who_came_by_a_link_is_new_even_to_their_own_browser(
    live: Study, ours: Market, opened: Callable[..., ChannelRecord], visitor: Visitors
) -> None:
    link = opened("link", id_parameters=("PID",), pays="volunteer").link + "?PID=student-4711"
    publish_now(live, ours)
    guest = visitor()
    comer = guest.enter(link)
    do_everything(comer)
    before = collected(live, ours)
    answers = list(Submission.objects.values_list("raw", flat=True))
    assert all(answers)
    assert guest.open(link) == "end"
    done = ask("erase", "student-4711", "--answers", "keep")
    assert (done["submissions"], done["identities"], done["left"]) == (0, 2, {})
    assert tables_with("student-4711", comer.worker_id) == []
    assert list(Submission.objects.values_list("raw", flat=True)) == answers
    assert guest.open(link) == "welcome"
    again = guest.enter(link)
    do_everything(again)
    assert len(collected(live, ours) - before) == 1


def test_an_account_is_closed_and_the_same_id_opens_another(
    study: Study, market: Market, everybody_rates: Callable[..., None], folder: Path
) -> None:
    publish_now(study, market)
    everybody_rates("ann", "bob")
    before = collected(study, market)
    call_command("create_worker", "ann", "--email", "ann@example.org", stdout=io.StringIO())
    worker_id = told("create_worker", "ann")["worker_id"]
    pseudonym = WorkerIdentity.objects.get(external_id=worker_id).worker.pseudonym
    with pytest.raises(CommandError, match="2 submissions of this person are not decided yet"):
        ask("erase", "ann@example.org", "--answers", "erase")
    approve(study, Submission.objects.all(), actor=None, now=NOW)
    work(Q(), market=market, clock=lambda: NOW)
    with pytest.raises(CommandError, match="has earned 100 minor units of USD that are not paid out"):
        ask("erase", "ann@example.org", "--answers", "erase")
    money = ledger.money_spent(study)
    assert tables_with("ann@example.org") == ["marketplace_workeraccount: ann@example.org"]
    done = ask("erase", "ann@example.org", "--answers", "erase", "--unpaid")
    assert (done["accounts"], done["submissions"], done["left"]) == (1, 2, {})
    assert tables_with(worker_id, "ann@example.org") == []
    spent = study.audit.filter(verb="erase_person").get().facts
    assert spent == {"workers": [pseudonym], "submissions": 2, "answers_erased": True}
    assert AuditEvent.objects.first_broken(study) is None
    assert collected(study, market) == before
    # The books of both sides are whole: what was paid stays paid.
    assert ledger.money_spent(study) == money
    assert money["reward"] == 200
    call_command("check_balances", stdout=io.StringIO())
    # The same name and address open an account of somebody new.
    call_command("create_worker", "ann", "--email", "ann@example.org", stdout=io.StringIO())
    assert told("create_worker", "ann")["worker_id"] != worker_id
    assert tables_with(worker_id) == []

    # A backup from before knows the person again, and the list beside the database does not forget.
    WorkerIdentity.objects.create(
        worker=Worker.objects.get(pseudonym=pseudonym), provider="test", external_id=worker_id, look_up="x"
    )
    assert worker_id not in (folder / "erasures.jsonl").read_text()
    assert repeat_erasures(now=timezone.now()) == 1
    assert tables_with(worker_id) == []


def test_only_an_administrator_may_and_each_look_is_logged(
    study: Study, market: Market, everybody_rates: Callable[..., None], django_user_model: Any
) -> None:
    publish_now(study, market)
    everybody_rates("ann")
    (pseudonym,) = collected(study, market)
    django_user_model.objects.create_user("eva")
    django_user_model.objects.create_superuser("root")
    for words in (("show", pseudonym), ("erase", pseudonym, "--answers", "keep")):
        with pytest.raises(CommandError, match="Only an administrator"):
            ask(*words, "--as", "eva")
    assert PersonRequest.objects.count() == 0
    eva, root = Client(), Client()
    eva.force_login(django_user_model.objects.get(username="eva"))
    root.force_login(django_user_model.objects.get(username="root"))
    assert eva.get("/console/workers/data-protection/").status_code == 403
    wish = {"name": pseudonym, "reason": "request by the person"}
    assert eva.post("/console/workers/data-protection/person/", wish).status_code == 409
    page = root.post("/console/workers/data-protection/person/", wish).content.decode()
    assert pseudonym in page
    assert "<td>2</td>" in page.split("<code>annotation_submission</code>")[1][:40]
    look = Look.objects.get()
    assert (look.user.get_username(), look.worker.pseudonym) == ("root", pseudonym)
    assert look.reason == "request by the person"
    unsure = root.post("/console/workers/data-protection/erase/", {**wish, "answers": "keep"})
    assert unsure.status_code == 422
    done = root.post("/console/workers/data-protection/erase/", {**wish, "answers": "keep", "unpaid": "1", "sure": "1"})
    assert "Erased. Identities: 1" in done.content.decode()
    assert not WorkerIdentity.objects.exists()


def test_a_sealed_list_lets_each_in_once_until_its_own_date(
    live: Study,
    ours: Market,
    opened: Callable[..., ChannelRecord],
    visitor: Visitors,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from annotation.marketplace.invitations.retention import purge
    from annotation.marketplace.models import SealedId

    now = timezone.now()
    link = opened("link", "Spring", id_parameters=("PID",), pays="volunteer").link + "?PID=student-4711"
    publish_now(live, ours)
    do_everything(visitor().enter(link))
    live.refresh_from_db()
    dates = {"until": now + timedelta(days=1), "once_until": now + timedelta(days=90)}
    with pytest.raises(StateError, match="a date after the retention date"):
        set_retention_date(live, dates["once_until"], market=ours, actor="ada", now=now, once_until=dates["until"])
    monkeypatch.setattr("annotation.workers.study_retention.market_of_people", lambda study: ours)
    owner = Client()
    owner.force_login(User.objects.create_superuser("root"))
    page = reverse("console:workers-retention-date", args=[live.uuid])
    fields = {"retain_until": f"{dates['until']:%Y-%m-%d}", "once_until": f"{dates['once_until']:%Y-%m-%d}"}
    assert owner.post(page, {**fields, "once_until": fields["retain_until"]}).status_code == 422
    assert owner.post(page, fields).status_code == 302
    purge(now=now + timedelta(days=2), dry_run=False)
    assert tables_with("student-4711") == []
    autumn = opened("link", "Autumn", id_parameters=("PID",), pays="volunteer").link
    assert visitor().open(f"{autumn}?PID=student-4711") == "already"
    assert visitor().open(f"{autumn}?PID=student-4712") == "welcome"
    purge(now=now + timedelta(days=91), dry_run=False)
    assert SealedId.objects.count() == 0
    assert visitor().open(f"{autumn}?PID=student-4711") == "welcome"
