"""What only a person can say of a study: said on its page, in the log and in the report."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Result, Statement, Study
from annotation.reports.report_rows import statements
from annotation.studies.unblind import unblind

pytestmark = pytest.mark.django_db


def address(study: Study) -> str:
    return reverse("console:exports-statements", args=[study.uuid])


def test_what_an_editor_says_is_stored_and_logged_once(study: Study, person) -> None:
    client: Client = person("editor")
    for _ in range(2):
        assert client.post(address(study), {"ethics": "Board 7.\r\nApproved.", "licence": "CC0"}).status_code == 302
    assert statements(study) == {"ethics": "Board 7.\nApproved.", "licence": "CC0"}
    told = [event.facts for event in study.audit.filter(verb="state").order_by("number")]
    assert told == [{"key": "ethics", "body": "Board 7.\nApproved."}, {"key": "licence", "body": "CC0"}]
    assert "Board 7." in client.get(address(study)).content.decode()


def test_an_empty_field_takes_a_statement_back(study: Study, person) -> None:
    client: Client = person("editor")
    client.post(address(study), {"ethics": "Board 7."})
    client.post(address(study), {"ethics": ""})
    assert statements(study) == {}


def test_there_is_a_field_for_every_kind_of_statement(study: Study, person) -> None:
    page = person("editor").get(address(study)).content.decode()
    assert [key for key in Statement.Key.values if f'name="{key}"' not in page] == []


def test_who_only_reads_changes_nothing(study: Study, person) -> None:
    reader: Client = person("reviewer")
    page = reader.post(address(study), {"ethics": "None."})
    assert (page.status_code, statements(study)) == (200, {})
    assert b"Save details" not in page.content
    assert person(None).get(address(study)).status_code == 404


def test_too_long_a_statement_is_refused_by_name(study: Study, person) -> None:
    answer = person("editor").post(address(study), {"ethics": "x" * 4001})
    assert answer.status_code == 422
    assert "at most 4000 characters" in answer.content.decode()
    assert statements(study) == {}


FACTS = [
    {"key": "ethics", "name": "Ethics approval", "hint": "board and number"},
    {"key": "language", "name": "Language of the texts", "hint": "in English"},
]


def with_missing_facts(study: Study) -> str:
    """A study whose latest report lacks two facts, with the address that states them."""
    Result.objects.create(study=study, made_at=timezone.now(), data_sha256="0" * 64, numbers={"missing": FACTS})
    return reverse("console:results-missing", args=[study.uuid])


def test_a_fact_that_the_report_lacks_is_stated_from_the_results_and_no_longer_asked_for(study: Study, person) -> None:
    client, place = person("editor"), with_missing_facts(study)
    unblind(study, actor="editor", now=timezone.now())
    results = reverse("console:results", args=[study.uuid])
    assert "Enter 2 facts" in client.get(results).content.decode()
    assert client.post(place, {"ethics": "Board 7.", "language": ""}).url == results
    assert statements(study) == {"ethics": "Board 7."}
    page = client.get(results).content.decode()
    assert "Enter 1 fact<" in page
    assert "Ethics approval" not in page


def test_only_missing_facts_are_stated_there_and_none_that_was_stated_is_lost(study: Study, person) -> None:
    client, place = person("editor"), with_missing_facts(study)
    client.post(address(study), {"ethics": "Board 7."})
    client.post(place, {"ethics": "", "contact": "ada@example.org", "language": "German"})
    assert statements(study) == {"ethics": "Board 7.", "language": "German"}


def test_who_only_reads_sees_what_is_missing_and_states_nothing(study: Study, person) -> None:
    place = with_missing_facts(study)
    assert person("viewer").post(place, {"ethics": "None."}).status_code == 403
    too_long = person("editor", "eve").post(place, {"ethics": "x" * 4001})
    assert (too_long.status_code, statements(study)) == (422, {})
    assert "at most 4000 characters" in too_long.content.decode()
