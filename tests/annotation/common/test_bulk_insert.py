"""Rows in bulk: what was given is what stands there, under keys that nobody else has."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, transaction

from annotation.common import bulk_insert as bulk
from annotation.models import Scale, ScaleLabel

pytestmark = [pytest.mark.django_db, pytest.mark.database]

AWKWARD = ["tab\tin it", "two\nlines\r", "back\\slash \\N \\t", "\\.", "naïve 文 😀", "'quoted' \"twice\" %s", " "]


def test_texts_come_back_as_they_were_given() -> None:
    with transaction.atomic():
        keys = bulk.new_keys(Scale, len(AWKWARD))
        bulk.insert(Scale, ("id", "name"), zip(keys, AWKWARD, strict=True))
    assert list(Scale.objects.order_by("pk").values_list("pk", "name")) == list(zip(keys, AWKWARD, strict=True))


def test_keys_are_nobody_else_s() -> None:
    with transaction.atomic():
        drawn = set(bulk.new_keys(Scale, 3))
        bulk.insert(Scale, ("id", "name"), ((key, f"scale {key}") for key in drawn))
        more = set(bulk.new_keys(Scale, 2))
        bulk.insert(Scale, ("id", "name"), ((key, f"scale {key}") for key in more))
    assert not drawn & more
    assert Scale.objects.create(name="one more").pk not in drawn | more
    assert list(bulk.new_keys(Scale, 0)) == []


def test_rows_name_rows_of_other_tables_and_leave_out_their_own_key() -> None:
    scale = Scale.objects.create(name="of the test")
    with transaction.atomic():
        rows = [(scale.pk, "first", "", "1"), (scale.pk, "second", "", "2")]
        bulk.insert(ScaleLabel, ("scale", "label", "gloss", "code"), rows)
    assert list(scale.labels.order_by("pk").values_list("label", "code")) == [("first", "1"), ("second", "2")]


def test_the_database_refuses_what_it_always_refuses_and_keeps_nothing() -> None:
    rows = list(zip(bulk.new_keys(Scale, 2), ["twice", "twice"], strict=True))
    with pytest.raises(IntegrityError), transaction.atomic():
        bulk.insert(Scale, ("id", "name"), rows)
    assert not Scale.objects.filter(name="twice").exists()
