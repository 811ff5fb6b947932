"""What workers with an account read before they accept: each requirement with their own value, and pay per hour."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from lxml import html

from annotation.marketplace.core import clock
from annotation.marketplace.models import HitType, QualificationGrant, QualificationRequest, TestAttempt
from annotation.marketplace.qualifications.requirements import ADULT, HITS_APPROVED, LOCALE, MASTERS_PRODUCTION
from annotation.marketplace.qualifications.requirements import PERCENT_APPROVED as PERCENT
from tests.marketplace.site.accounts import (
    create_qualification,
    create_requester,
    create_worker,
    publish,
    record_work,
    sign_in,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("worker_host")]


def requirement(type_id: str, comparator: str, *values: int, **more: object) -> dict:
    row = {"QualificationTypeId": type_id, "Comparator": comparator, "ActionsGuarded": "Accept", **more}
    return row | ({"IntegerValues": list(values)} if values else {})


def country(comparator: str, *codes: str) -> dict:
    return requirement(LOCALE, comparator, LocaleValues=[{"Country": code} for code in codes])


def words(element: html.HtmlElement) -> str:
    return " ".join(element.text_content().split())


def rows_on(page: str) -> list[tuple[str, str, str]]:
    """Of each requirement on a page: whether it is met, its words, and where its link leads."""
    items = html.fromstring(page).xpath("//ul[@class='requirements']/li")
    return [(item.get("data-met"), words(item), "".join(item.xpath("./a/@href"))) for item in items]


TASKS_COUNT = "Tasks without this requirement count towards it."
NOTHING = "You cannot change this. Choose another task."
DECIDED = "The people who run this site decide this. Choose another task."
# A requirement of the marketplace, facts of the account, and what the account reads of it.
SYSTEM = {
    "approved, too few": (
        requirement(HITS_APPROVED, "GreaterThanOrEqualTo", 12),
        {"approved_count": 0},
        f"Not met: Requires at least 12 approved tasks; you have 0. {TASKS_COUNT}",
        "",
    ),
    "approved, enough": (
        requirement(HITS_APPROVED, "GreaterThan", 50),
        {"approved_count": 51},
        "Met: Requires more than 50 approved tasks; you have 51.",
        "",
    ),
    "approved, too many": (
        requirement(HITS_APPROVED, "LessThan", 50),
        {"approved_count": 51},
        f"Not met: Requires “approved tasks” < 50; you have 51. {NOTHING}",
        "",
    ),
    "share, too low": (
        requirement(PERCENT, "GreaterThan", 95),
        {"approved_count": 60, "rejected_count": 60, "submitted_count": 120},
        f"Not met: Requires an approval rate above 95%; yours is 50%. {TASKS_COUNT}",
        "",
    ),
    "share, high enough": (
        requirement(PERCENT, "GreaterThan", 95),
        {"approved_count": 1, "submitted_count": 1},
        "Met: Requires an approval rate above 95%; yours is 100%.",
        "",
    ),
    "country not stated": (
        country("In", "DE", "AT"),
        {},
        "Not met: Requires a stated country (DE, AT); you have not stated where you live. State where you live",
        "/hits/account/",
    ),
    "another country": (
        country("EqualTo", "US"),
        {"country": "DE"},
        "Not met: Open to people in US only; you have stated DE. Choose another task.",
        "",
    ),
    "a country left out": (
        country("NotEqualTo", "DE"),
        {"country": "DE"},
        "Not met: Not open to people in DE; you have stated DE. Choose another task.",
        "",
    ),
    "the country": (
        country("EqualTo", "DE"),
        {"country": "DE"},
        "Met: Open to people in DE only; you have stated DE.",
        "",
    ),
    "adult content, no": (
        requirement(ADULT, "EqualTo", 1),
        {},
        f"Not met: Requires an account that may see adult content; yours may not. {DECIDED}",
        "",
    ),
    "adult content, yes": (
        requirement(ADULT, "EqualTo", 1),
        {"adult": True},
        "Met: Requires an account that may see adult content; yours may.",
        "",
    ),
    "masters": (
        requirement(MASTERS_PRODUCTION, "Exists"),
        {},
        f"Not met: Requires the qualification “Masters”; you do not have it. {DECIDED}",
        "",
    ),
}


@pytest.mark.parametrize("case", SYSTEM)
def test_a_requirement_of_the_marketplace_is_shown_with_the_workers_own_value(case: str) -> None:
    row, facts, sentence, address = SYSTEM[case]
    hit = publish(create_requester(), "Rate", requirements=[row])
    ann = sign_in(create_worker("ann", **facts))
    expected = [("yes" if sentence.startswith("Met") else "no", sentence, address)]
    assert rows_on(ann.get("/hits/").text) == expected
    assert rows_on(ann.get(f"/hits/{hit.hit_id}/").text) == expected
    if expected[0][0] == "no":
        refused = ann.post(f"/hits/{hit.hit_id}/accept/")
        assert refused.status_code == 403
        (item,) = html.fromstring(refused.text).xpath("//ul[@class='lacks']/li")
        assert f"Not met: {words(item)}" == sentence


CUSTOM = (
    "nothing yet",
    "with a test",
    "test begun",
    "waiting",
    "declined for good",
    "declined, later",
    "may ask again",
    "inactive",
    "deleted",
    "given by asking, too low",
    "score too low",
    "held",
    "must be absent",
    "absent",
    "once",
    "not yet",
)


@pytest.mark.parametrize("case", CUSTOM)
def test_a_requesters_requirement_leads_to_the_one_thing_that_can_be_done(case: str) -> None:
    lab, worker, now = create_requester(), create_worker("ann"), clock.now()
    facts = {
        "with a test": {"test": "a test", "test_seconds": 600},
        "test begun": {"test": "a test", "test_seconds": 600},
        "declined, later": {"retry_delay_seconds": 7200},
        "may ask again": {"retry_delay_seconds": 1800},
        "inactive": {"status": "Inactive"},
        "deleted": {"deleted_at": now},
        "given by asking, too low": {"auto_granted": True, "auto_granted_value": 3},
        "once": {"once": True},
        "not yet": {"once": True},
    }.get(case, {})
    kind = create_qualification(lab, "English", **facts)
    if case == "test begun":
        TestAttempt.objects.create(
            qualification_type=kind, worker=worker, test="a test", began_at=now, deadline=now + timedelta(minutes=5)
        )
    if case in {"waiting", "declined for good", "declined, later", "may ask again"}:
        state = "Pending" if case == "waiting" else "Rejected"
        QualificationRequest.objects.create(
            qualification_type=kind, worker=worker, state=state, asked_at=now - timedelta(hours=1)
        )
    if case in {"score too low", "held", "must be absent", "once"}:
        QualificationGrant.objects.create(qualification_type=kind, worker=worker, value=2, granted_at=now)
    lacks = "Not met: Requires the qualification “English”; you do not have it."
    asks, page = "Ask for the qualification “English”", f"/hits/qualifications/{kind.type_id}/"
    only = "Only the requester can give you this. Choose another task."
    row, sentence, address = {
        "nothing yet": ("Exists", f"{lacks} {asks}", page),
        "with a test": ("Exists", f"{lacks} Take the test for “English”", page),
        "test begun": ("Exists", f"{lacks} Go on with the test", page),
        "waiting": ("Exists", f"{lacks} You have asked for it. The requester will decide.", ""),
        "declined for good": (
            "Exists",
            f"{lacks} You have asked for it or taken its test, and cannot again. Choose another task.",
            "",
        ),
        "declined, later": ("Exists", f"{lacks} You can ask for it again from: MOMENT", ""),
        "may ask again": ("Exists", f"{lacks} {asks}", page),
        "inactive": ("Exists", f"{lacks} {only}", ""),
        "deleted": ("Exists", f"{lacks.replace('English', kind.type_id)} {NOTHING}", ""),
        "given by asking, too low": ("5", f"{lacks} {only}", ""),
        "score too low": ("5", f"Not met: Requires “English” ≥ 5; you have 2. {only}", ""),
        "held": ("Exists", "Met: Requires the qualification “English”; you have it.", ""),
        "must be absent": ("DoesNotExist", f"Not met: Not open to you. The requester says: - {NOTHING}", ""),
        "absent": (
            "DoesNotExist",
            "Met: Not open to people with a certain qualification of the requester; you do not have it.",
            "",
        ),
        "once": (
            "DoesNotExist",
            f"Not met: You have already taken part. Each person takes part once. {NOTHING}",
            "",
        ),
        "not yet": ("DoesNotExist", "Met: Each person takes part once; you have not taken part.", ""),
    }[case]
    wanted = requirement(kind.type_id, "GreaterThanOrEqualTo", 5) if row == "5" else requirement(kind.type_id, row)
    hit = publish(lab, "Rate", requirements=[wanted])
    shown = rows_on(sign_in(worker).get(f"/hits/{hit.hit_id}/").text)
    ((is_met, text, leads_to),) = shown
    text = re.sub(r"(?<=from: ).+ UTC$", "MOMENT", text)
    assert (is_met, text, leads_to) == ("yes" if sentence.startswith("Met") else "no", sentence, address)


def test_the_list_takes_as_many_statements_for_many_groups_as_for_few() -> None:
    lab, worker, now = create_requester(), create_worker("ann"), clock.now()
    people = [create_worker(f"w{number}") for number in range(10)]
    ann, counts, lengths = sign_in(worker), [], []
    # Once a minute a process notes that it looks after what is due.
    ann.get("/hits/")
    for number in (2, 12):
        for turn in range(number):
            kinds = [create_qualification(lab, f"{number} {turn} {letter}") for letter in "ab"]
            rows = [requirement(kind.type_id, "Exists") for kind in kinds]
            hit = publish(lab, f"{number} {turn}", places=20, requirements=rows, keywords="assay:minutes=4")
            QualificationRequest.objects.create(qualification_type=kinds[0], worker=worker, asked_at=now)
            for person in people:
                record_work(hit, person, accepted_at=now - timedelta(hours=1), seconds=60)
        with CaptureQueriesContext(connection) as queries:
            page = ann.get("/hits/").text
        counts.append(len(queries))
        lengths.append(len(rows_on(page)))
    assert lengths == [2 * 2, 2 * 14]
    assert counts[0] == counts[1]


def facts_on(page: str) -> dict[str, str]:
    """The first list of facts on a page."""
    rows = html.fromstring(page).xpath("(//dl[@class='facts'])[1]/div")
    return {words(row.find("dt")): words(row.find("dd")) for row in rows}


def test_pay_per_hour_follows_from_planned_minutes_and_then_from_the_median() -> None:
    """90 cents for 5 minutes are $10.80 an hour; the median of 10 people is 4.5 minutes, shown as 5, of 11 it is 6."""
    lab, ann, now = create_requester(), sign_in(create_worker("ann")), clock.now()
    hit = publish(lab, "Rate", places=20, reward_cents=90, keywords="reading, assay:minutes=6")
    pages = ("/hits/", f"/hits/{hit.hit_id}/", f"/hits/groups/{hit.hit_type.group_id}/")

    def shown() -> set[tuple[str, str]]:
        facts = [facts_on(ann.get(page).text) for page in pages]
        return {(row["Time"], row["Pay"]) for row in facts}

    minutes = [1, 2, 3, 4, 4, 5, 6, 7, 8, 9]
    planned = {("about 6 minutes (estimated by the requester)", "$0.90 ($9.00 per hour)")}
    for number, length in enumerate(minutes):
        assert shown() == planned
        record_work(hit, create_worker(f"w{number}"), accepted_at=now - timedelta(hours=1), seconds=60 * length)
    assert shown() == {
        ("about 5 minutes (at least half of the last 10 submissions took no longer)", "$0.90 ($10.80 per hour)")
    }
    for number in range(2):
        record_work(hit, create_worker(f"late {number}"), accepted_at=now - timedelta(hours=1), seconds=60 * 20)
    # The two in the middle of 12 are 5 and 6 minutes.
    assert shown() == {
        ("about 6 minutes (at least half of the last 12 submissions took no longer)", "$0.90 ($9.00 per hour)")
    }


def test_a_task_whose_requester_states_no_minutes_shows_no_pay_per_hour() -> None:
    publish(create_requester(), "Rate")
    facts = facts_on(sign_in(create_worker("ann")).get("/hits/").text)
    assert (facts["Pay"], "Time" in facts) == ("$0.50", False)


def test_the_card_of_a_study_shows_the_longest_plan_of_its_cells_and_no_hourly_pay_where_cells_pay_differently() -> (
    None
):
    lab, ann = create_requester(), sign_in(create_worker("ann"))
    for letter, cents, minutes in (("a", 120, 10), ("b", 120, 6)):
        more = {"study": "drawn", "cell": f"drawn.{letter}", "currency": "EUR"}
        hit = publish(lab, "Rate", reward_cents=cents, keywords=f"assay:minutes={minutes}", **more)
    pages = ("/hits/", f"/hits/{hit.hit_id}/")
    for page in pages:
        facts = facts_on(ann.get(page).text)
        assert facts["Pay"] == "€1.20 (€7.20 per hour)"
        assert facts["Time"] == "about 10 minutes (estimated by the requester)"
    HitType.objects.filter(pk=hit.hit_type_id).update(reward_cents=100)
    for page in pages:
        facts = facts_on(ann.get(page).text)
        assert (facts["Pay"], "Time" in facts) == ("€1.00 to €1.20", False)
