"""Studies are duplicated, renamed, archived and found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.accounts.models import User
from annotation.design.arrange_cells import arrange
from annotation.design.presets import ArmPlan, CellPlan
from annotation.exceptions import DesignError, StateError
from annotation.models import (
    Arm,
    AuditEvent,
    Cell,
    Context,
    Generator,
    Likelihood,
    Membership,
    Role,
    Scale,
    Scoring,
    Study,
    Text,
)
from annotation.publishing.publish import publish
from annotation.studies import duplicate as duplicating
from annotation.studies.archive import archive, unarchive
from annotation.studies.create import Plan, create
from annotation.studies.duplicate import duplicate
from annotation.studies.rename import rename
from annotation.studies.search import StudySearch, find_studies
from tests.annotation.review.factories import NOW, make

pytestmark = pytest.mark.django_db


@pytest.fixture
def draft(db: None) -> Study:
    """A draft with one pair of texts, log p of both, and two trainings of which one is by generator."""
    study = create("first", mode="live", plan=Plan(question="Which?", seed=7, reward_cents=250), actor="ada", now=NOW)
    context = Context.objects.create(study=study, key="c", body="A prompt")
    generator = Generator.objects.create(study=study, name="tiny")
    human = Text.objects.create(study=study, key="h", source="reference", context=context, body="One")
    model = Text.objects.create(
        study=study, key="m", source="model", generator=generator, context=context, body="Two", left_out="too short"
    )
    for text, value in ((human, -1.5), (model, -2.5)):
        Likelihood.objects.create(text=text, generator=generator, log_prob=value, length=1, length_unit="whitespace")
    arms = [ArmPlan("none", 250), ArmPlan("examples", 300)]
    arrange(study, arms, [CellPlan("none", "", ""), CellPlan("examples", "", "tiny")], actor="ada", now=NOW)
    return study


def copy_of(study: Study, name: str = "second", **how: Any) -> Study:
    owner = User.objects.get_or_create(username="olga")[0]
    options = {"with_texts": True, "keep_seed": False, **how}
    return duplicate(study, name, owner=owner, actor="olga", now=NOW, **options).study


def test_a_copy_has_the_design_the_task_text_and_the_texts(draft: Study) -> None:
    copy = copy_of(draft)
    assert (copy.question, copy.reward_cents, copy.mode, copy.status) == ("Which?", 250, "rehearsal", "draft")
    assert copy.wordings.get().body == draft.wordings.get().body
    texts = copy.texts.order_by("key").values_list("key", "body", "left_out", "context__study", "generator__study")
    assert list(texts) == [("h", "One", "", copy.pk, None), ("m", "Two", "too short", copy.pk, copy.pk)]
    scores = Likelihood.objects.filter(text__study=copy, generator__study=copy).order_by("text__key")
    assert list(scores.values_list("text__key", "log_prob")) == [("h", -1.5), ("m", -2.5)]
    cells = Cell.objects.filter(arm__study=copy).order_by("pk")
    assert list(cells.values_list("arm__training", "arm__reward_cents", "generator__name", "generator__study")) == [
        ("none", 250, None, None),
        ("examples", 300, "tiny", copy.pk),
    ]
    assert (draft.texts.count(), draft.generators.count(), draft.arms.count()) == (2, 1, 2)


@pytest.mark.database
def test_every_column_of_the_texts_is_copied_and_leads_to_the_rows_of_the_copy(draft: Study) -> None:
    other = Generator.objects.create(study=draft, name="large")
    tiny, filled = draft.generators.get(name="tiny"), {"domain": "news", "known_label": "human", "split": "a"}
    scorings = [
        Scoring.objects.create(
            study=draft, generator=owner, signature="s", model="gpt2", include_eos=True, created_at=NOW
        )
        for owner in (tiny, other)
    ]
    Text.objects.filter(key="m").update(
        generation={"t": 0.7}, original="Two, whole", cut_at=3, corpus_count=2, **filled
    )
    alone = Text.objects.create(study=draft, key="alone", source="model", generator=other, body="Ünïcode '%s'")
    for owner, scoring in zip((tiny, other), scorings, strict=True):
        Likelihood.objects.create(
            text=alone, generator=owner, log_prob=-3.25, length=9, length_unit="char", scoring=scoring, content_hash="h"
        )
    copy = copy_of(draft)

    def rows(study: Study) -> dict[str, list[dict[str, Any]]]:
        """All columns, with the natural keys of what a row leads to."""
        own = {"context": "context__key", "generator": "generator__name", "study": "study__name"}
        return {
            "contexts": _columns(Context.objects.filter(study=study), {}),
            "texts": _columns(Text.objects.filter(study=study), own),
            "log_probs": _columns(
                Likelihood.objects.filter(text__study=study),
                {"text": "text__study__name", "generator": "generator__study__name", "scoring": "scoring__study__name"},
                "text__key",
                "generator__name",
                "scoring__generator__name",
            ),
        }

    expected = (
        str(rows(draft)).replace("'first'", "'second'").replace(f"'study_id': {draft.pk}", f"'study_id': {copy.pk}")
    )
    assert str(rows(copy)) == expected
    assert expected.count("'second'") > 10


def _columns(rows: Any, leads_to: dict[str, str], *more: str) -> list[dict[str, Any]]:
    fields = [field for field in rows.model._meta.concrete_fields if not field.primary_key]
    names = [leads_to.get(field.name, field.attname) for field in fields]
    return list(rows.order_by("pk").values(*names, *more))


def test_a_copy_has_no_people_money_decisions_or_address(draft: Study) -> None:
    Membership.objects.create(study=draft, user=User.objects.create_user("rita"), role=Role.REVIEWER)
    Study.objects.filter(pk=draft.pk).update(
        spent_cents=5, channel_tag="first-1", status="closed", archived_at=NOW, retain_until=NOW, warned_at=NOW
    )
    draft.refresh_from_db()
    copy = Study.objects.get(pk=copy_of(draft).pk)
    assert (copy.spent_cents, copy.reserved_cents, copy.channel_tag) == (0, 0, "")
    assert (copy.archived_at, copy.retain_until, copy.warned_at) == (None, None, None)
    assert list(copy.memberships.values_list("user__username", "role")) == [("olga", "owner")]
    assert not copy.hits.exists()
    assert list(copy.audit.values_list("verb", "facts__of")) == [("duplicate", "first")]


def test_every_column_of_a_study_is_either_copied_or_of_its_run() -> None:
    """A new column is copied unless it is named among those of the run; none of these is there in vain."""
    columns = {field.name for field in Study._meta.concrete_fields}
    assert columns >= duplicating.OF_THE_RUN
    assert set(duplicating.design_fields()) == columns - duplicating.OF_THE_RUN


def test_the_seed_is_kept_or_drawn(draft: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("secrets.randbelow", lambda below: below - 1)
    assert copy_of(draft, keep_seed=True).seed == 7
    assert copy_of(draft, "third").seed == 2**31 - 1


def test_without_texts_conditions_of_a_generator_are_not_copied(draft: Study) -> None:
    copy = copy_of(draft, with_texts=False)
    assert (copy.texts.exists(), copy.generators.exists()) == (False, False)
    assert list(Cell.objects.filter(arm__study=copy).values_list("arm__training", flat=True)) == ["none"]
    assert set(Arm.objects.filter(study=copy).values_list("training", flat=True)) == {"none", "examples"}


@pytest.mark.parametrize("name", ["", "no name", "-x", "a/b", "x" * 101])
def test_a_name_has_letters_digits_dots_dashes_and_underscores(draft: Study, name: str) -> None:
    for act in (lambda: rename(draft, name, actor="ada", now=NOW), lambda: copy_of(draft, name)):
        with pytest.raises(DesignError, match="cannot be used") as caught:
            act()
        assert caught.value.field == "name"
    assert Study.objects.get().name == "first"


def test_no_two_studies_have_one_name(draft: Study) -> None:
    create("second", mode="live", plan=Plan(), actor="ada", now=NOW)
    for act in (lambda: rename(draft, "second", actor="ada", now=NOW), lambda: copy_of(draft)):
        with pytest.raises(StateError, match="already a study called second"):
            act()


def test_a_renamed_study_keeps_what_participants_see_and_says_so_in_its_log(draft: Study) -> None:
    Study.objects.filter(pk=draft.pk).update(channel_tag="first-1")
    assert rename(draft, "Later.2", actor="ada", now=NOW)
    assert not rename(draft, "Later.2", actor="ada", now=NOW)
    stored = Study.objects.get()
    assert (stored.name, stored.channel_tag) == ("Later.2", "first-1")
    deed = AuditEvent.objects.get(verb="rename")
    assert deed.facts == {"before": "first", "after": "Later.2"}
    assert AuditEvent.objects.first_broken(stored) is None


@pytest.mark.parametrize("status", ["published", "paused", "ending"])
def test_a_running_study_is_not_archived(draft: Study, status: str) -> None:
    Study.objects.update(status=status)
    with pytest.raises(StateError, match="Close it, then archive it"):
        archive(draft, actor="ada", now=NOW)


def test_an_archived_study_leaves_the_list_is_not_published_and_comes_back(draft: Study) -> None:
    assert archive(draft, actor="ada", now=NOW)
    assert not archive(draft, actor="ada", now=NOW)
    assert not find_studies(Study.objects.all(), StudySearch())
    assert find_studies(Study.objects.all(), StudySearch(state="archived")).get() == draft
    running = make(workers=1, hits=1, texts=2)
    Study.objects.filter(pk=running.pk).update(status="draft", archived_at=NOW)
    with pytest.raises(StateError, match="Unarchive it"):
        publish(running, actor="ada", now=NOW)
    assert unarchive(draft, actor="ada", now=NOW)
    assert find_studies(Study.objects.all(), StudySearch()).get() == draft


def test_studies_are_found_by_name_question_member_state_and_mode(draft: Study) -> None:
    other = create("news-2", mode="rehearsal", plan=Plan(question="How fluent?"), actor="ada", now=NOW)
    Membership.objects.create(study=other, user=User.objects.create_user("Maria"), role=Role.VIEWER)
    every = Study.objects.all()
    searches = {
        "FIRST": {"first"},
        "which": {"first"},
        "mari": {"news-2"},
        "news fluent": {"news-2"},
        "news which": set(),
        "": {"first", "news-2"},
        "%": set(),
    }
    for words, names in searches.items():
        assert {study.name for study in find_studies(every, StudySearch(words=words))} == names, words
    assert find_studies(every, StudySearch(mode="live")).get() == draft
    assert not find_studies(every, StudySearch(state="closed"))
    assert [study.name for study in find_studies(every, StudySearch(order="name"))] == ["first", "news-2"]


def test_a_search_that_makes_no_sense_counts_as_none() -> None:
    query = {"q": "  a\x00 ", "state": "nonsense", "mode": "x", "order": "random"}
    assert StudySearch.of(query) == StudySearch(words="a")
    assert StudySearch.of({}) == StudySearch()


def test_a_thousand_studies_take_as_many_queries_as_two(client: Client) -> None:
    client.force_login(User.objects.create_superuser("root"))
    scale = Scale.objects.ensure("any", [("0", "0", "")])

    def queries_with(first: int, count: int) -> int:
        Study.objects.bulk_create(
            Study(name=f"s{number}", mode="rehearsal", scale=scale, question="news") for number in range(first, count)
        )
        with CaptureQueriesContext(
            connection,
        ) as done:
            page = client.get(reverse("console:studies"), {"q": "news", "order": "name", "page": 2})
        assert page.status_code == 200
        return len(done)

    assert queries_with(0, 51) == queries_with(51, 1000)


def test_the_pages_of_the_list_keep_the_search(client: Client) -> None:
    client.force_login(User.objects.create_superuser("root"))
    scale = Scale.objects.ensure("any", [("0", "0", "")])
    Study.objects.bulk_create(Study(name=f"s{number}", mode="rehearsal", scale=scale) for number in range(60))
    page = client.get(reverse("console:studies"), {"q": "s", "order": "name"}).content.decode()
    assert "60 studies" in page
    assert "?q=s&amp;order=name&amp;page=2" in page
    assert "1 study" in client.get(reverse("console:studies"), {"q": "s59"}).content.decode()
    assert "No matching study" in client.get(reverse("console:studies"), {"q": "t"}).content.decode()


def test_the_pages_do_what_the_verbs_do(client: Client, draft: Study, django_user_model: Any) -> None:
    olga = django_user_model.objects.create_user("olga")
    Membership.objects.create(study=draft, user=olga, role=Role.OWNER)
    client.force_login(olga)
    post: Callable[..., Any] = lambda page_name, **given: client.post(  # noqa: E731
        reverse(f"console:manage{page_name}", args=[draft.uuid]), given, follow=True
    )
    assert "Study renamed." in post("-rename", name="second").content.decode()
    page = post("-copy", copy_name="third", with_texts="on").content.decode()
    assert "You are looking at the copy" in page
    assert Study.objects.get(name="third").texts.count() == 2
    assert "Study archived" in post("-archive").content.decode()
    assert b">second<" not in client.get("/console/").content
    assert "in the list of studies again" in post("-unarchive").content.decode()
    Membership.objects.update(role=Role.VIEWER)
    assert [post(name, name="x").status_code for name in ("-rename", "-archive", "-unarchive")] == [403, 403, 403]
    Study.objects.filter(pk=draft.pk).update(status="published")
    Membership.objects.update(role=Role.OWNER)
    refused = post("-archive")
    assert refused.status_code == 409
    assert "Close it, then archive it" in refused.content.decode()
