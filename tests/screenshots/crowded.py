"""People of the worker site in the states that pictures show: at work, done, new, invited."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.db.models import Q
from django.utils import timezone

from annotation import settings as conf
from annotation.accounts.models import User
from annotation.marketplace.core import clock
from annotation.marketplace.models import Assignment, OneTimeLink, QualificationType, Registration, TestAttempt
from annotation.marketplace.models import Hit as MarketHit
from annotation.marketplace.workers.open_accounts import Record, open_worker
from annotation.marketplace.workers.sessions import hashed, new_link, new_token
from annotation.models import Study, Submission
from annotation.mturk.client import Market
from annotation.outbox.worker import work
from annotation.rehearsal.crowd.browser import Browser
from annotation.rehearsal.passers import Passer
from annotation.review.approve import approve
from tests.annotation.conftest import told
from tests.marketplace.channels.guests import TAG, Guest, channel, tasks, written
from tests.marketplace.channels.guests import told as invite
from tests.marketplace.channels.test_browser import CONSENT, DEBRIEF, HIT
from tests.marketplace.conftest import mturk
from tests.marketplace.draws.studies import Study as DrawnStudy
from tests.marketplace.people import Lab, Person, enter
from tests.marketplace.qualifications.test_qualification_tests import begin, made
from tests.marketplace.question_samples import html_question
from tests.screenshots.staged import gather

# Pictures take longer than the ten minutes that a test usually has.
TEST = {"Name": "Knows fruit", "Description": "Four questions.", "TestDurationInSeconds": 86_400}
Cookies = list[dict[str, Any]]
EXPERIENCED = Record(approved=500, percent=99, locale="US", email="ann@example.org", payee="IBAN 1")
OFFERS = {
    "Which of two summaries is better?": "0.80",
    "Mark the errors in a translated recipe": "1.25",
    "Was this story written by a person or by a machine?": "1.75",
    "How fluent is each sentence of this long and rather winding report about the harbour?": "0.60",
}
# Studies of two versions: of the first ann was assigned to one.
VERSIONS = ("Which ending fits the story?", "How clear is each explanation?")


def plant(folder: Path) -> str:
    """Everybody and everything, once. The link of the invitation."""
    kept = folder / "invitation"
    if kept.exists():
        return settings.WORKER_ORIGIN + kept.read_text(encoding="utf-8")
    lab = _lab()
    held, test = (_qualification(lab, "Reads carefully"), made(lab, **TEST))
    ann = _person(new_link(_ann(), now=timezone.now()))
    begin(ann, test)
    lab.client.associate_qualification_with_worker(QualificationTypeId=held, WorkerId=ann.worker_id)
    question = html_question(HIT)
    offered = [lab.hit(Title=title, Reward=pays, MaxAssignments=3, Question=question) for title, pays in OFFERS.items()]
    wanted = {"QualificationTypeId": test, "Comparator": "GreaterThan", "IntegerValues": [3]}
    lab.hit(Title="For people who know fruit", QualificationRequirements=[wanted], Question=question)
    for title in VERSIONS:
        pays = {"a": "0.60", "b": "0.90"}
        tag = title.split()[1].lower()
        # A day: pictures are taken long after.
        terms = {"Title": title, "Question": question, "AssignmentDurationInSeconds": 86_400}
        versions = DrawnStudy.publish(lab, cells=2, tag=tag, Reward=pays.__getitem__, **terms)
        if title == VERSIONS[0]:
            ann.accept(versions.any_hit())
    rejected = ann.do(offered[0])
    lab.client.reject_assignment(AssignmentId=rejected, RequesterFeedback="The comments say nothing about the text.")
    User.objects.filter(requester__hits__hit_id=offered[0]["HITId"]).update(email="lab@example.org")
    _at_work(Study.objects.get(name="underway"))
    lab.client.notify_workers(
        Subject="Thank you", MessageText="We learned much from your comments.\n\nThe lab", WorkerIds=[ann.worker_id]
    )
    link = _invitation(lab, folder)
    kept.write_text(urlsplit(link).path, encoding="utf-8")
    return link


def people(invitation: str, folder: Path) -> dict[str, Cookies]:
    """Sessions of ann, of somebody new, and of guests who came by that link: done, asked again, at a task."""
    beginner = open_worker("beginner", worker_id=None, record=Record(), now=clock.now())
    links = {"worker": new_link(_ann(), now=timezone.now()), "beginner": new_link(beginner, now=timezone.now())}
    found = {name: _cookies(_signed_in(link)) for name, link in links.items()}
    turn = f"{timezone.now():%H%M%S}"
    with httpx.Client(trust_env=False, follow_redirects=True, timeout=60) as site:
        person = Guest(site).enter(f"{invitation}?participant=asked-{turn}")
        person.post("/hits/stop/", "/hits/stop/")
        asked = _cookies(site)
    with httpx.Client(trust_env=False, follow_redirects=True, timeout=60) as site:
        Guest(site).enter(f"{invitation}?participant=inside-{turn}")
        inside = _cookies(site)
    guest = _done(f"{invitation}?participant=done-{turn}")
    # Who has agreed to the words before is asked again.
    invite("change", "class", "--consent", written(folder, "c.txt", f"{CONSENT}\n\nWe also record times ({turn})."))
    return {**found, "guest": guest, "asked": asked, "inside": inside}


def ids(invitation: str) -> dict[str, str]:
    """What stands in addresses."""
    ann, now = _ann(), timezone.now()
    held = Assignment.objects.filter(worker=ann, state="Accepted").order_by("-pk")[0]
    done = {one: Assignment.objects.filter(worker=ann, state=one).order_by("-pk")[0] for one in DONE}
    life = {"life": timedelta(days=1), "now": now, "email": "new@example.org"}
    Registration.objects.get_or_create(
        token_hash=hashed("finish"),
        defaults={
            "called": "Bea", "email": "bea@example.org", "password": make_password("unused"), "terms_version": "1",
            "created_at": now, "expires_at": now + timedelta(days=1),
        },
    )  # fmt: skip
    return {
        "hit": MarketHit.objects.get(hit_type__title=list(OFFERS)[1]).hit_id,
        "closed_hit": MarketHit.objects.get(hit_type__title__startswith="For people who know").hit_id,
        "invited_hit": MarketHit.objects.filter(hit_type__title="How typical is this text?")[0].hit_id,
        "undrawn": MarketHit.objects.filter(hit_type__title=VERSIONS[1])[0].hit_id,
        "drawn": Assignment.objects.get(hit__hit_type__title=VERSIONS[0]).assignment_id,
        "group": held.hit.hit_type.group_id,
        "held": held.assignment_id,
        **{state.lower(): one.assignment_id for state, one in done.items()},
        "qualification": QualificationType.objects.get(name="Reads carefully").type_id,
        "to_take": QualificationType.objects.get(name="Knows fruit").type_id,
        "attempt": TestAttempt.objects.get(worker=ann).attempt_id,
        "invitation": invitation.rstrip("/").split("/")[-1],
        "finish": "finish",
        "reset": new_token(ann, OneTimeLink.Purpose.RESET, **life),
        "new_address": new_token(ann, OneTimeLink.Purpose.EMAIL, **life),
    }


DONE = ("Approved", "Rejected", "Submitted")


def _ann() -> Any:
    return open_worker("ann", worker_id=None, record=EXPERIENCED, now=clock.now())


def _lab() -> Lab:
    key = told("create_requester", "lab", "--balance", "500.00")
    address = settings.MTURK_ENDPOINT_URL
    return Lab(mturk(address, key["access_key"], key["secret_key"]), address, key["access_key"], key["secret_key"])


def _qualification(lab: Lab, name: str) -> str:
    made = lab.client.create_qualification_type(
        Name=name, Description="Has read with care in three studies.", QualificationTypeStatus="Active"
    )
    return str(made["QualificationType"]["QualificationTypeId"])


def _signed_in(link: str) -> httpx.Client:
    site = httpx.Client(trust_env=False, follow_redirects=True, timeout=60)
    enter(site, link).raise_for_status()
    return site


def _person(link: str) -> Person:
    return Person(_ann().worker_id, _signed_in(link), settings.WORKER_ORIGIN)


def _cookies(site: httpx.Client) -> Cookies:
    return [
        {"name": one.name, "value": one.value, "url": f"{settings.WORKER_ORIGIN}{one.path}"} for one in site.cookies.jar
    ]


def _at_work(study: Study) -> None:
    """Ann has two HITs of the study decided or waiting, and one before her."""
    offers = [f"{settings.WORKER_ORIGIN}/hits/{hit.market_id}/" for hit in study.hits.order_by("slot")]
    with Browser(new_link(_ann(), now=timezone.now())) as browser:
        for offer in offers[:2]:
            sheet = browser.accept(offer)
            browser.hand_in(sheet, Passer("ann", 1)(sheet))
        browser.accept(offers[-1])
    gather(study)
    approve(study, Submission.objects.filter(hit__study=study, hit__slot=0), actor=None, now=timezone.now())
    work(Q(study=study), market=Market(conf.endpoint()), clock=timezone.now)


def _invitation(lab: Lab, folder: Path) -> str:
    """A study by invitation: consent, two tasks, thanks."""
    tasks(lab, Question=html_question(HIT), Title="How typical is this text?", Reward="0.40")
    texts = ["--consent", written(folder, "c.txt", CONSENT), "--debrief", written(folder, "d.txt", DEBRIEF)]
    back = ["--id-parameter", "participant", "--return-url", "https://panel.example.org/done?p={external_id}&c={code}"]
    return channel("class", *texts, *back, "--title", "Typical texts", study=TAG)


def _done(link: str) -> Cookies:
    """Somebody who came in, did both tasks, and is thanked."""
    with httpx.Client(trust_env=False, follow_redirects=True, timeout=60) as site:
        person = Guest(site).enter(link)
        for hit in person.offers():
            person.do({"HITId": hit})
        return _cookies(site)
