"""Statements written once answer as the ones that Django writes anew (`prepared`)."""

from __future__ import annotations

import threading
from datetime import datetime, timedelta

import django
import pytest
from django.db import DatabaseError, connection, transaction
from django.db.models import QuerySet
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotation.accounts.models import User
from annotation.marketplace.core.prepared_sql import CHECKED_WITH_DJANGO, Prepared, RowChange, change_of, insert, update
from annotation.marketplace.models import Hit, HitType, Requester

pytestmark = pytest.mark.database
NOW = timezone.now()


def hits(number: int) -> list[Hit]:
    requester = Requester.objects.create(user=User.objects.create(username="lab"), created_at=NOW)
    row = {"QualificationTypeId": "3A", "Comparator": "Exists"}
    kind = HitType.objects.create(
        requester=requester, title="t", description="d", reward_cents=5, assignment_seconds=60,
        auto_approval_seconds=0, requirements=[row], digest="d", created_at=NOW,
    )  # fmt: skip
    return [
        Hit(
            requester=requester, hit_type=kind, kind="HTMLQuestion", question=f"{place}", created_at=NOW, expiration=NOW
        )
        for place in range(number)
    ]


def by_text_and_number(question: str, places: int) -> QuerySet[Hit]:
    return Hit.objects.select_related("hit_type").filter(question=question, max_assignments=places).order_by("pk")


def told(rows: list[Hit]) -> list[tuple]:
    return [
        (row.pk, row.hit_id, row.question, row.created_at, row.settled_at, row.hit_type.requirements) for row in rows
    ]


def test_the_minor_release_of_django_is_the_one_checked():
    """It relies on parts of Django that are not public: a new minor release must be read first."""
    assert django.VERSION[:2] == CHECKED_WITH_DJANGO


def test_rows_and_their_relations_are_those_of_the_query(db):
    insert(hits(3))
    prepared = Prepared(by_text_and_number, str, int)
    for question in ("0", "2", "0", "none"):
        with CaptureQueriesContext(
            connection,
        ) as asked:
            found = told(prepared(question, 1))
        assert found == told(list(by_text_and_number(question, 1)))
        assert len(asked) == 1
    assert prepared("0", 2) == []


def test_a_moment_is_a_value(db):
    insert(hits(2))
    since = Prepared(lambda moment: Hit.objects.filter(created_at__gte=moment).values_list("question"), datetime)
    assert sorted(since(NOW)) == [("0",), ("1",)]
    assert since(NOW + timedelta(microseconds=1)) == []


def test_any_text_is_a_value_and_never_sql(db):
    insert(hits(1))
    prepared = Prepared(lambda question: Hit.objects.filter(question=question).values_list("pk", "created_at"), str)

    @settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"])) | st.just("\x1e0"))
    def asked(text: str) -> None:
        Hit.objects.update(question=text)
        (row,) = prepared(text)
        assert row == (Hit.objects.get().pk, NOW)
        assert prepared(f"{text}'") == []

    asked()


def test_a_value_that_would_change_the_sql_is_a_mistake_of_ours(db):
    with pytest.raises(TypeError, match="does not reach the SQL"):
        Prepared(lambda size: Hit.objects.all()[: abs(size) % 7], int)(3)


def test_threads_share_the_sql_and_not_the_connection(transactional_db):
    insert(hits(1))
    prepared = Prepared(lambda question: Hit.objects.filter(question=question), str)
    seen: list[tuple[int, int]] = []

    def ask() -> None:
        seen.append((len(prepared("0")), id(connection.connection)))
        connection.close()

    for _ in range(2):
        thread = threading.Thread(target=ask)
        thread.start()
        thread.join()
    seen.append((len(prepared("0")), id(connection.connection)))
    assert [number for number, _ in seen] == [1, 1, 1]
    assert connection.connection is not None


def test_inserted_rows_have_keys_and_every_value(db):
    made = hits(2)
    with transaction.atomic():
        insert(made)
    stored = Hit.objects.select_related("hit_type").in_bulk()
    assert len({row.pk for row in made}) == 2
    for row in made:
        assert told([stored[row.pk]]) == told([row])
        row.max_assignments = 7
        row.save()
    assert set(Hit.objects.values_list("max_assignments", flat=True)) == {7}


def test_an_update_writes_the_named_fields_and_no_other(db):
    insert(hits(1))
    row = Hit.objects.get()
    row.question, row.pending, row.settled_at, row.annotation = "other", 1, NOW, "not written"
    update(row, ("question", "pending", "settled_at"))
    stored = Hit.objects.get()
    assert (stored.question, stored.pending, stored.settled_at, stored.annotation) == ("other", 1, NOW, "")


def test_an_update_of_a_row_that_is_gone_is_an_error(db):
    insert(hits(1))
    row = Hit.objects.get()
    Hit.objects.all().delete()
    with pytest.raises(DatabaseError, match="not there any more"):
        update(row, ("pending",))


def test_rows_are_inserted_and_others_changed_by_one_statement_where_the_database_can(db):
    earlier, later = hits(2)
    insert([earlier])
    earlier.pending, earlier.annotation = 1, "not written"
    count = RowChange(
        "UPDATE marketplace_hittype SET reward_cents = reward_cents + 1 WHERE id = %s", (later.hit_type.pk,)
    )
    with CaptureQueriesContext(connection) as statements:
        insert([later], change_of(earlier, ("pending",)), count)
    assert len(statements) == (1 if connection.vendor == "postgresql" else 3)
    assert list(Hit.objects.order_by("pk").values_list("question", "pending", "annotation")) == [
        ("0", 1, ""),
        ("1", 0, ""),
    ]
    assert (Hit.objects.get(pk=later.pk).question, HitType.objects.get().reward_cents) == ("1", 6)
