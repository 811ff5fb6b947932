"""Choosing among tasks: groups, search, order, filters, pages; and what that costs."""

from __future__ import annotations

import re
import uuid
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from lxml import html

from annotation.accounts.models import User
from annotation.marketplace.core import clock
from annotation.marketplace.hits import catalogue as shelf
from annotation.marketplace.hits.catalogue import Choice
from annotation.marketplace.models import Assignment, Hit, HitType, Requester, WorkerAccount, WorkerBlock
from annotation.marketplace.workers.open_accounts import Record, open_worker
from tests.marketplace.people import reason

pytestmark = pytest.mark.django_db

MINUTE = 60


@pytest.fixture
def worker():
    return open_worker("ann", worker_id=None, record=Record(), now=clock.now())


@pytest.fixture
def publish():
    """publish(title, number of HITs, ...): a group of open HITs of a requester."""

    def published(title: str, number: int = 1, *, of: str = "lab", places: int = 1, **changes: object) -> HitType:
        now = clock.now()
        user, _ = User.objects.get_or_create(username=of)
        lab, _ = Requester.objects.get_or_create(user=user, defaults={"created_at": now})
        usual = {"description": "Read it.", "reward_cents": 50, "assignment_seconds": 600, "auto_approval_seconds": 60}
        kind = HitType.objects.create(
            requester=lab, title=title, digest=uuid.uuid4().hex, created_at=now, **(usual | changes)
        )
        later = now + timedelta(days=1)
        Hit.objects.bulk_create(
            Hit(
                requester=lab, hit_type=kind, kind="HTMLQuestion", question="q", max_assignments=places,
                created_at=now, expiration=later, due_at=later,
            )
            for _ in range(number)
        )  # fmt: skip
        return kind

    return published


def titles(worker: WorkerAccount, **choice: object) -> list[str]:
    return [offer.hit_type.title for offer in shelf.offers(worker, Choice(**choice), now=clock.now()).rows]


@pytest.mark.database
def test_equal_hits_are_one_offer_that_counts_them_up_to_a_bound(worker, publish):
    publish("many", shelf.MAX_COUNTED + 5)
    publish("few", 3)
    few, many = shelf.offers(worker, Choice(), now=clock.now()).rows
    assert (few.count, few.many) == (3, False)
    assert (many.count, many.many) == (shelf.MAX_COUNTED + 1, True)


@pytest.mark.database
def test_hits_that_were_taken_are_neither_offered_nor_counted(worker, publish):
    kind = publish("one", 3, places=5)
    first = shelf.offers(worker, Choice(), now=clock.now()).rows[0].hit_id
    now = clock.now()
    Assignment.objects.create(hit=Hit.objects.get(hit_id=first), worker=worker, accepted_at=now, deadline=now)
    left = shelf.offers(worker, Choice(), now=now).rows[0]
    assert (left.count, left.hit_id != first) == (2, True)
    for hit in kind.hits.exclude(hit_id=first):
        Assignment.objects.create(hit=hit, worker=worker, accepted_at=now, deadline=now)
    assert titles(worker) == []


def test_the_order_is_what_was_asked_for(worker, publish):
    publish("old and paid best", 2, reward_cents=900, assignment_seconds=20 * MINUTE)
    publish("quick", 1, reward_cents=10, assignment_seconds=1 * MINUTE)
    publish("many and new", 5, reward_cents=50, assignment_seconds=10 * MINUTE)
    assert titles(worker) == ["many and new", "quick", "old and paid best"]
    assert titles(worker, sort=shelf.REWARD) == ["old and paid best", "many and new", "quick"]
    assert titles(worker, sort=shelf.TIME) == ["quick", "many and new", "old and paid best"]
    assert titles(worker, sort=shelf.NUMBER) == ["many and new", "old and paid best", "quick"]


def test_an_old_group_with_a_new_hit_is_new_again(worker, publish):
    old = publish("old")
    publish("newer")
    first = old.hits.get()
    first.pk, first.hit_id = None, "3" + 29 * "Z"
    first.save(force_insert=True)
    assert titles(worker) == ["old", "newer"]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("", {"Rate headlines", "Judge stories"}),
        ("headlines", {"Rate headlines"}),
        ("HEADLINES rate", {"Rate headlines"}),
        ("newspaper", {"Rate headlines"}),
        ("fiction", {"Judge stories"}),
        ("ghent", {"Judge stories"}),
        ("100%_", set()),
        ("headlines stories", set()),
    ],
)
def test_words_are_looked_for_in_title_description_keywords_and_requester(worker, publish, words, found):
    publish("Rate headlines", description="From a newspaper")
    publish("Judge stories", keywords="text, fiction", of="Ghent lab")
    assert set(titles(worker, words=words)) == found


def test_filters_ask_for_pay_and_for_what_may_be_accepted(worker, publish):
    publish("low", reward_cents=49)
    publish("enough", reward_cents=50)
    asks = {"QualificationTypeId": "00000000000000000040", "Comparator": "GreaterThan", "IntegerValues": [50]}
    publish("for others", reward_cents=900, requirements=[asks | {"ActionsGuarded": "Accept"}])
    publish("hidden", reward_cents=900, requirements=[asks | {"ActionsGuarded": "DiscoverPreviewAndAccept"}])
    assert titles(worker, min_reward_cents=50) == ["for others", "enough"]
    assert titles(worker, min_reward_cents=50, qualified=True) == ["enough"]


def test_the_hits_of_who_has_blocked_a_worker_are_not_offered(worker, publish):
    kind = publish("one")
    WorkerBlock.objects.create(requester=kind.requester, worker=worker, reason="r", blocked_at=clock.now())
    assert titles(worker) == []


def test_pages_follow_one_another_without_gap_or_repetition(worker, publish):
    made = [f"task {number}" for number in range(2 * shelf.PAGE + 1)]
    for title in made:
        publish(title)
    pages = [shelf.offers(worker, Choice(page=page), now=clock.now()) for page in (1, 2, 3, 4)]
    assert [offer.hit_type.title for page in pages for offer in page.rows] == made[::-1]
    assert [page.more for page in pages] == [True, True, False, False]


def test_workers_begin_with_different_hits_of_a_group(publish):
    publish("one", shelf.SPREAD)
    people = [open_worker(f"w{n}", worker_id=None, record=Record(), now=clock.now()) for n in range(shelf.SPREAD)]
    kind = HitType.objects.get()
    assert len({shelf.some_ids_of(person, kind, now=clock.now())[0] for person in people}) == shelf.SPREAD


def test_the_list_takes_as_many_statements_for_many_hits_and_groups_as_for_few(worker, publish):
    counts = []
    for number in (2, 10):
        for turn in range(number):
            publish(f"{number} {turn}", 20)
        with CaptureQueriesContext(connection) as queries:
            shelf.offers(worker, Choice(), now=clock.now())
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 6


def test_groups_are_found_along_an_index_whatever_else_is_stored(worker, publish):
    """Both databases say that they search; neither reads the HITs one after another."""
    publish("closed", 2000)
    Hit.objects.update(status=Hit.Status.REVIEWABLE)
    publish("open", 2)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
        plan = "EXPLAIN" if connection.vendor == "postgresql" else "EXPLAIN QUERY PLAN"
        cursor.execute(f"{plan} {shelf._OPEN_TYPES}")
        told = " ".join(str(row) for row in cursor.fetchall())
    assert re.search(r"Index (Only )?Scan|SEARCH marketplace_hit USING", told), told
    assert not re.search(r"Seq Scan on marketplace_hit|SCAN marketplace_hit(?! USING)", told), told
    assert titles(worker) == ["open"]


def test_the_page_keeps_the_search_and_says_what_it_cannot_read(lab, ann):
    lab.hit(Title="Rate headlines")
    page = ann.get("/hits/?q=headlines&sort=reward&pay=0.5&mine=on")
    assert "Rate headlines" in page.text
    tree = html.fromstring(page.content)
    assert tree.get_element_by_id("id_q").value == "headlines"
    assert tree.get_element_by_id("id_sort").value == "reward"
    wrong = ann.get("/hits/?pay=much&page=x&sort=sideways&q=%00")
    assert wrong.status_code == 200
    assert html.fromstring(wrong.content).xpath("//*[@role='alert']")
    assert "No task fits" in ann.get("/hits/?q=zebra").text
    for odd in ("page=0", "page=41", "page=999999999999999999999", "pay=1e99", "pay=-1", f"q={'x' * 5000}"):
        assert ann.get(f"/hits/?{odd}").status_code == 200


def test_an_empty_list_says_what_one_can_do(ann):
    page = ann.get("/hits/").text
    assert "There is nothing to do at the moment" in page
    assert "qualifications/" in page


def test_the_next_of_a_group_is_accepted_without_choosing(lab, ann):
    lab.hit(MaxAssignments=1)
    second = lab.hit(MaxAssignments=1)
    group = f"/hits/groups/{second['HITGroupId']}/"
    seen = set()
    for _ in range(2):
        answer = ann.post(group, f"{group}accept/")
        assert answer.url.path.startswith("/hits/work/")
        seen.add(answer.url.path)
    assert len(seen) == 2
    answer = ann.post(group, f"{group}accept/")
    assert (answer.status_code, reason(answer)) == (409, "full")


def test_a_place_that_was_lost_a_moment_ago_is_made_up_by_another_of_the_group(lab, sign_in):
    hits = [lab.hit(), lab.hit()]
    ann, bob = sign_in("ann"), sign_in("bob")
    ann.take(hits[0])
    answer = bob.accept(hits[0])
    assert answer.url.path.startswith("/hits/work/")
    assert lab.places(hits[1])[:2] == ("Unassignable", 0)


def test_the_wish_to_go_on_is_kept_and_the_last_page_obeys_it(lab, ann):
    first = lab.hit()
    lab.hit()
    page = f"/hits/{first['HITId']}/"
    ann.get(page)
    token = ann.site.cookies["csrftoken"]
    sent = {"csrfmiddlewaretoken": token, "wish": "1", "auto_accept": "on"}
    answer = ann.site.post(f"{ann.origin}{page}accept/", data=sent)
    assert WorkerAccount.objects.get().auto_accept
    task = answer.url.path
    assert "next.js" not in ann.get(f"{task}done/").text
    Assignment.objects.update(state="Submitted", submitted_at=clock.now(), auto_approval_at=clock.now())
    done = html.fromstring(ann.get(f"{task}done/").content)
    assert done.get_element_by_id("next").action == f"/hits/groups/{first['HITGroupId']}/accept/"
    ann.site.post(
        f"{ann.origin}{done.get_element_by_id('next').action}", data={"csrfmiddlewaretoken": token, "wish": "1"}
    )
    assert not WorkerAccount.objects.get().auto_accept


def test_returning_asks_first(lab, ann):
    hit = lab.hit()
    task = ann.take(hit)
    asked = ann.get(f"{task.page}return/")
    assert reason(asked) == "return"
    assert lab.places(hit)[2] == 1
    assert ann.post(f"{task.page}return/", f"{task.page}return/").url.path == "/hits/"
    assert lab.places(hit)[2] == 0
    assert ann.get(f"{task.page}return/").url.path == f"{task.page}done/"
