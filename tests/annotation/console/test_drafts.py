"""From an empty draft to a layout that can be published, by the doors of the console."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from lxml import html

from annotation.console.forms.design import ArmsForm, DesignForm
from annotation.console.forms.wording import WordingForm
from annotation.design.lay_out import deal_texts, design, store_design
from annotation.design.wording import from_json
from annotation.exceptions import StateError
from annotation.jobs.run import run_due
from annotation.models import AuditEvent, Job, Study, StudyWording
from annotation.pricing.estimates import CellSize, Sketch, estimate
from annotation.pricing.fees import Fees
from annotation.publishing import cost_estimate as bills
from annotation.readers.problem_codes import CATALOGUE, Code
from tests.annotation.console.factories import BROKEN, SOUND, brought

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def own_folder(settings: Any, tmp_path: Any) -> None:
    settings.VAR = tmp_path


def at(study: Study, place: str) -> str:
    return reverse(f"console:{place}", args=[study.uuid])


def seen(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    return answer.content.decode()


def filled(study: Study, **changes: Any) -> dict[str, Any]:
    """What the design's form posts when nothing but `changes` is changed."""
    form, arms = DesignForm.of(study), ArmsForm.of(study)
    fields = [form[name] for name in form.fields] + [arms[name] for name in arms.fields]
    given = {one.html_name: one.value() for one in fields}
    return {name: value for name, value in {**given, **changes}.items() if value is not None and value is not False}


@pytest.fixture
def owner(person: Any) -> Client:
    return person("owner")


@pytest.fixture
def with_texts(study: Study, owner: Client) -> Study:
    job = brought(owner, at(study, "texts-add"), SOUND)
    owner.post(at(study, "texts-confirm"), {"job": str(job.uuid)})
    run_due(clock=timezone.now)
    return study


def test_a_new_study_begins_with_a_papers_design(owner: Client) -> None:
    given = {"name": "mine", "preset": "clark-2021", "mode": "rehearsal", "noun": "story", "question": "Who wrote it?"}
    owner.post("/console/new/", given)
    made = Study.objects.get(name="mine")
    # Clark et al. 2021: five texts a HIT, 130 evaluators a condition, $1.25 untrained, each person once.
    assert (made.texts_per_hit, made.evaluators_per_cell, made.reward_cents, made.once) == (5, 130, 125, True)
    assert made.memberships.get().role == "owner"
    # Section 3.1: instructions for $1.25, examples for $1.75, comparison for $2.25.
    assert dict(made.arms.values_list("training", "reward_cents")) == {
        "none": 125,
        "instructions": 125,
        "examples": 175,
        "comparison": 225,
    }
    page = html.fromstring(owner.get(at(made, "design")).content)
    assert len(page.xpath("//div[@class='arms']//input[@type='checkbox'][@checked]")) == 4


def test_a_margin_around_chance_is_asked_for_where_people_say_who_wrote_a_text(study: Study, owner: Client) -> None:
    owner.post("/console/new/", {"name": "mine", "preset": "clark-2021", "mode": "rehearsal", "noun": "story"})
    mine = Study.objects.get(name="mine")
    assert "Margin around chance" in seen(owner, at(mine, "design"))
    assert "Margin around chance" not in seen(owner, at(study, "design"))
    assert owner.post(at(mine, "design-save"), filled(mine, margin_points="5", store="1")).status_code == 302
    mine.refresh_from_db()
    assert mine.margin_points == 5


def test_a_name_with_a_space_is_refused_in_plain_words(owner: Client) -> None:
    given = {"name": "my texts", "preset": "huse-2019", "mode": "rehearsal", "noun": "text"}
    page = owner.post("/console/new/", given).content.decode()
    assert "no spaces" in page
    assert "slug" not in page
    assert not Study.objects.filter(name="my texts").exists()


def test_a_file_with_faults_shows_each_by_row_and_imports_nothing(study: Study, owner: Client) -> None:
    job = brought(owner, at(study, "texts-add"), BROKEN)
    page = seen(owner, reverse("console:job", args=[job.uuid]))
    assert "2 problems in 3 rows" in page
    assert "duplicate-id" in page
    assert "Nothing was imported" in page
    assert not study.texts.exists()


def test_what_to_do_about_a_fault_names_what_the_page_has(study: Study, owner: Client) -> None:
    faults = "r1,a <script>b</script>,reference,,\nr2,c,human,,\nm1,d,model,,\n"
    job = brought(owner, at(study, "texts-add"), "id,text,source,generator,log_prob\n" + faults)
    page, form = seen(owner, reverse("console:job", args=[job.uuid])), seen(owner, at(study, "texts-add"))
    for place in ("Treat these problems as warnings", "Names of sources in your file", "Generator"):
        assert f"“{place}”" in page
        assert place in form
    assert "tick “HTML tags in texts”" in page
    assert "HTML tags in texts (markup)" in form
    assert "--" not in page.partition("<h1>")[2]


def test_no_advice_for_a_page_names_an_option_of_a_command() -> None:
    told = [fault.page or fault.do for code, fault in CATALOGUE.items() if code is not Code.WHICH_SPLIT]
    assert not [one for one in told if "--" in one]


def test_a_file_from_excel_is_read_by_its_encoding_and_delimiter(study: Study, owner: Client) -> None:
    page = seen(owner, at(study, "texts-add"))
    assert 'name="encoding"' in page
    assert 'name="delimiter"' in page
    content = "id;text;source\nr1;Größe, zählt;reference\n".encode("cp1252")
    for encoding, texts in (("", 0), ("cp1252", 1)):
        given = {"file": SimpleUploadedFile("excel.csv", content), "encoding": encoding, "delimiter": ";"}
        answer = owner.post(at(study, "texts-add"), given)
        run_due(clock=timezone.now)
        assert Job.objects.get(uuid=answer["Location"].split("/")[-2]).outcome["texts"] == texts


def test_the_new_page_says_where_a_preset_is_safer_and_takes_a_plural(owner: Client) -> None:
    assert "No text threatens rejection." in seen(owner, "/console/new/")
    given = {"name": "mine", "preset": "huse-2019", "mode": "rehearsal", "noun": "story", "nouns": "stories"}
    owner.post("/console/new/", given)
    assert Study.objects.get(name="mine").wordings.get().body["nouns"] == "stories"


def test_a_file_that_was_not_found_sound_cannot_be_confirmed(study: Study, owner: Client) -> None:
    job = brought(owner, at(study, "texts-add"), BROKEN)
    owner.post(at(study, "texts-confirm"), {"job": str(job.uuid)})
    run_due(clock=timezone.now)
    assert not study.texts.exists()
    assert Job.objects.filter(kind="add_texts").get().state == "failed"


def test_texts_are_found_by_words_and_source(with_texts: Study, owner: Client) -> None:
    page = seen(owner, at(with_texts, "texts") + "?words=harbour&side=reference")
    assert "10 found" in page
    assert "Model number" not in page


def test_texts_are_escaped(study: Study, owner: Client) -> None:
    content = "id,text,source\nr1,<b onclick=alert(1)>& bold,reference\n"
    job = brought(owner, at(study, "texts-add"), content, allow="markup")
    owner.post(at(study, "texts-confirm"), {"job": str(job.uuid)})
    run_due(clock=timezone.now)
    assert "&lt;b onclick=alert(1)&gt;&amp; bold" in seen(owner, at(study, "texts"))


def test_rules_are_tried_before_they_are_applied(with_texts: Study, owner: Client) -> None:
    rules = {"exclude": "r0 = about our own town"}
    tried = owner.post(at(with_texts, "texts-select"), {**rules, "try": ""}).content.decode()
    assert "19 of 20 texts would be included" in tried
    assert not with_texts.texts.exclude(left_out="").exists()
    owner.post(at(with_texts, "texts-select"), {**rules, "apply": ""})
    assert with_texts.texts.exclude(left_out="").get().key == "r0"


def test_the_bill_of_the_specification(study: Study) -> None:
    """method.md §2.10: 200 people at $2.00 cost $560 in one HIT and $480 in HITs of nine."""
    large, nines = (
        estimate(Sketch((CellSize(25, 200),), per_hit=25, raters=200, fees=Fees.MTURK, in_nines=in_nines))
        for in_nines in (False, True)
    )
    assert (large.total_cents, nines.total_cents) == (56_000, 48_000)


def test_the_price_of_what_stands_in_the_form_comes_without_storing_it(with_texts: Study, owner: Client) -> None:
    answer = owner.post(at(with_texts, "design-price"), filled(with_texts, reward_cents="2.00", raters_per_text="5"))
    # One HIT of 20 texts, five places at $2.00, and no fee.
    assert "$10.00" in answer.content.decode()
    with_texts.refresh_from_db()
    assert with_texts.reward_cents == 100


def test_what_the_page_estimates_is_what_the_layout_costs(with_texts: Study, owner: Client) -> None:
    changes = {
        "raters_per_text": 7,
        "texts_per_hit": 5,
        "arm_examples": "on",
        "pays_examples": "1.75",
        "in_nines": "on",
    }
    owner.post(at(with_texts, "design-save"), {**filled(with_texts, **changes), "store": 1})
    with_texts.refresh_from_db()
    expected = bills.estimate_study(with_texts).estimate
    owner.post(at(with_texts, "design-save"), {**filled(with_texts), "lay_out": 1})
    hits = list(with_texts.hits.select_related("cell__arm__study"))
    assert expected.hits == len(hits)
    assert expected.assignments == sum(hit.max_assignments for hit in hits)
    assert expected.reward_cents == sum(hit.max_assignments * hit.cell.reward_cents for hit in hits)


def test_one_tick_pays_the_same_in_every_training(with_texts: Study, owner: Client) -> None:
    changes = {"arm_examples": "on", "pays_examples": "1.75"}
    owner.post(at(with_texts, "design-save"), {**filled(with_texts, **changes), "store": 1})
    assert with_texts.arms.get(training="examples").reward_cents == 175
    owner.post(at(with_texts, "design-save"), {**filled(with_texts, **changes, same_pay="on"), "store": 1})
    assert {arm.reward_cents for arm in with_texts.arms.filter(cells__isnull=False)} == {with_texts.reward_cents}


def test_a_layout_can_be_taken_back_and_the_design_changed(with_texts: Study, owner: Client) -> None:
    owner.post(at(with_texts, "design-save"), {**filled(with_texts), "lay_out": 1})
    assert with_texts.hits.exists()
    owner.post(at(with_texts, "design-clear"))
    assert not with_texts.hits.exists()
    owner.post(at(with_texts, "design-save"), {**filled(with_texts, raters_per_text=3), "store": 1})
    with_texts.refresh_from_db()
    assert with_texts.raters_per_text == 3


@pytest.fixture
def large(with_texts: Study, monkeypatch: pytest.MonkeyPatch) -> Study:
    """A study that counts as large, for laying it out is a job."""
    monkeypatch.setattr("annotation.design.lay_out.MAX_TEXTS_AT_ONCE", 1)
    return with_texts


def test_a_large_layout_is_a_job_that_its_page_shows_and_that_gives_the_same_hits(large: Study, owner: Client) -> None:
    answer = owner.post(at(large, "design-save"), {**filled(large), "lay_out": 1})
    job = Job.objects.get(kind="lay_out")
    assert answer["Location"] == reverse("console:job", args=[job.uuid])
    assert not large.hits.exists()
    assert answer["Location"] in seen(owner, at(large, "design"))
    assert "Cancel job" in seen(owner, answer["Location"])
    run_due(clock=timezone.now)
    by_job = list(large.hits.order_by("slot").values_list("items__text__key", "items__position", "max_assignments"))
    assert len(by_job) > 1
    assert "1 task with" in seen(owner, answer["Location"])
    owner.post(at(large, "design-clear"))
    design(large, actor="ada", now=timezone.now())
    at_once = large.hits.order_by("slot").values_list("items__text__key", "items__position", "max_assignments")
    assert sorted(at_once) == sorted(by_job)


def test_a_layout_that_is_canceled_leaves_no_hit_behind(
    large: Study, owner: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the last moment: everything is dealt, and nothing says any more how far it is."""
    owner.post(at(large, "design-save"), {**filled(large), "lay_out": 1})
    job = Job.objects.get(kind="lay_out")

    def canceled(study: Study, *_: Any) -> Any:
        dealt = deal_texts(study)
        assert owner.post(reverse("console:job-cancel", args=[job.uuid])).status_code == 302
        return dealt

    monkeypatch.setattr("annotation.jobs.run.deal_texts", canceled)
    run_due(clock=timezone.now)
    assert not large.hits.exists()
    assert "Canceled by" in seen(owner, reverse("console:job", args=[job.uuid]))


def test_a_layout_of_a_design_that_changed_meanwhile_is_not_stored(large: Study) -> None:
    dealt = deal_texts(large)
    Study.objects.update(seed=large.seed + 1)
    with pytest.raises(StateError, match="changed while its tasks were created"):
        store_design(large, dealt, actor="ada", now=timezone.now())
    assert not large.hits.exists()


def test_only_who_asked_and_editors_cancel_a_job(large: Study, owner: Client, person: Any) -> None:
    owner.post(at(large, "design-save"), {**filled(large), "lay_out": 1})
    job = Job.objects.get(kind="lay_out")
    viewer = person("viewer")
    assert "Cancel job" not in seen(viewer, reverse("console:job", args=[job.uuid]))
    assert viewer.post(reverse("console:job-cancel", args=[job.uuid])).status_code == 409
    job.refresh_from_db()
    assert job.state == "waiting"


def test_a_fixed_mix_must_say_how_many(with_texts: Study, owner: Client) -> None:
    answer = owner.post(at(with_texts, "design-save"), {**filled(with_texts, mix="fixed"), "store": 1})
    assert answer.status_code == 422
    with_texts.refresh_from_db()
    assert with_texts.mix == "balanced"


def test_words_are_stored_as_a_version_and_the_scale_follows(study: Study, owner: Client) -> None:
    form = WordingForm.of(from_json(study.wordings.last().body))
    given = {one.html_name: one.value() for one in form if one.value() is not None}
    changed = {**given, "heading": "How usual is it?", "labels": "Usual | 1 | you see it often\nUnusual | 0 |"}
    assert owner.post(at(study, "design-wording"), changed).status_code == 302
    study.refresh_from_db()
    assert study.wordings.last().body["heading"] == "How usual is it?"
    assert list(study.scale.labels.order_by("pk").values_list("label", "code")) == [("Usual", "1"), ("Unusual", "0")]


def test_a_study_without_words_has_no_page_of_words(study: Study, owner: Client) -> None:
    StudyWording.objects.filter(study=study).delete()
    assert owner.get(at(study, "design-wording")).status_code == 404


@pytest.mark.parametrize("asked", ["0", "-1", "²", "٣", "9" * 5000, "x", ""])
def test_an_address_that_asks_for_no_number_is_answered_all_the_same(study: Study, owner: Client, asked: str) -> None:
    assert owner.get(at(study, "preview"), {"hit": asked}).status_code == 200
    assert owner.get(at(study, "design-precision"), {"contexts": asked, "raters": asked}).status_code == 200
    found = owner.get(at(study, "design-wording"), {"version": asked}).status_code
    assert found == (404 if asked == "0" else 200)


def test_older_words_are_used_again_by_a_button(study: Study, owner: Client) -> None:
    form = WordingForm.of(from_json(study.wordings.last().body))
    given = {one.html_name: one.value() for one in form if one.value() is not None}
    owner.post(at(study, "design-wording"), {**given, "labels": "Usual | 1\nUnusual | 0"})
    shown = seen(owner, at(study, "design-wording"))
    assert "Use this version" in shown
    assert "2 versions" in seen(owner, at(study, "design"))
    owner.post(reverse("console:design-wording-use", args=[study.uuid, 1]))
    study.refresh_from_db()
    assert study.wordings.last().version == 3
    assert study.scale.labels.count() == 6
    assert owner.post(reverse("console:design-wording-use", args=[study.uuid, 9])).status_code == 404


def test_an_old_version_can_be_looked_at_and_changed_from_there(study: Study, owner: Client) -> None:
    form = WordingForm.of(from_json(study.wordings.last().body))
    given = {one.html_name: one.value() for one in form if one.value() is not None}
    owner.post(at(study, "design-wording"), {**given, "heading": "Newer"})
    assert 'value="Newer"' in seen(owner, at(study, "design-wording"))
    assert 'value="Newer"' not in seen(owner, at(study, "design-wording") + "?version=1")


def test_minutes_and_days_are_seconds_inside(with_texts: Study, owner: Client) -> None:
    times = {"assignment_seconds": "90", "lifetime_seconds": "2.5", "auto_approval_seconds": "30"}
    owner.post(at(with_texts, "design-save"), {**filled(with_texts, **times, retain_until="2099-01-31"), "store": 1})
    with_texts.refresh_from_db()
    assert (with_texts.assignment_seconds, with_texts.lifetime_seconds) == (5400, 216_000)
    assert with_texts.auto_approval_seconds == 2_592_000
    assert with_texts.retain_until == datetime(2099, 1, 31, tzinfo=UTC)
    page = seen(owner, at(with_texts, "design"))
    for value in ("90", "2.5", "30", "2099-01-31"):
        assert f'value="{value}"' in page


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ("auto_approval_seconds", "30.1", "From 0 to 30."),
        ("assignment_seconds", "0.4", "From 0.5 to 525600."),
        ("lifetime_seconds", "366", "From 0.0003 to 365."),
        ("retain_until", "2020-01-01", "That day is not in the future."),
    ],
)
def test_odd_times_are_refused_on_the_page(with_texts: Study, owner: Client, field: str, value: str, told: str) -> None:
    answer = owner.post(at(with_texts, "design-save"), {**filled(with_texts, **{field: value}), "store": 1})
    assert answer.status_code == 422
    assert told in answer.content.decode()


def test_the_bill_says_when_time_is_too_short(with_texts: Study, owner: Client) -> None:
    short = filled(with_texts, assignment_seconds="1")
    assert "and could not submit" in owner.post(at(with_texts, "design-price"), short).content.decode()
    assert "and could not submit" not in seen(owner, at(with_texts, "design"))


def test_times_and_money_change_without_taking_the_layout_back(with_texts: Study, owner: Client) -> None:
    owner.post(at(with_texts, "design-save"), {**filled(with_texts), "lay_out": 1})
    given = {"assignment_seconds": "30", "lifetime_seconds": "7", "auto_approval_seconds": "3", "budget_cents": "500"}
    assert owner.post(at(with_texts, "design-later"), given).status_code == 302
    with_texts.refresh_from_db()
    assert (with_texts.assignment_seconds, with_texts.budget_cents) == (1800, 50_000)
    assert with_texts.hits.exists()
    assert owner.post(at(with_texts, "design-later"), {**given, "country": "USA"}).status_code == 422


def test_of_a_published_study_only_retention_changes(with_texts: Study, owner: Client) -> None:
    owner.post(at(with_texts, "design-save"), {**filled(with_texts), "lay_out": 1})
    Study.objects.update(status="published")
    given = {"assignment_seconds": "30", "retain_until": "2099-01-31"}
    assert owner.post(at(with_texts, "design-later"), given).status_code == 409
    assert at(with_texts, "workers-retention") in seen(owner, at(with_texts, "design"))
    owner.post(at(with_texts, "workers-retention-date"), given)
    with_texts.refresh_from_db()
    assert (with_texts.assignment_seconds, with_texts.retain_until) == (3600, datetime(2099, 1, 31, tzinfo=UTC))


def test_an_upload_that_was_deleted_is_asked_for_again(study: Study, owner: Client) -> None:
    job = brought(owner, at(study, "texts-add"), SOUND)
    Path(job.settings["path"]).unlink()
    owner.post(at(study, "texts-confirm"), {"job": str(job.uuid)})
    run_due(clock=timezone.now)
    failed = Job.objects.get(kind="add_texts")
    assert "deleted after 7 days" in failed.problem
    assert "bring the file again" in seen(owner, reverse("console:job", args=[failed.uuid]))


@pytest.mark.parametrize("place", ["texts-add", "texts-select", "design-wording"])
def test_a_viewer_changes_nothing(study: Study, person: Any, place: str) -> None:
    assert person("viewer").get(at(study, place)).status_code == 403


@pytest.mark.parametrize(
    "place",
    ["texts-confirm", "design-save", "design-clear", "publish-confirm", "design-later", "publish-recheck",
     "progress-crowd", "progress-approve",
     "results-reveal", "results-compute"],
)  # fmt: skip
def test_no_deed_is_open_to_a_viewer_or_to_a_link(study: Study, person: Any, place: str) -> None:
    assert person("viewer").post(at(study, place)).status_code == 403
    assert person("owner").get(at(study, place)).status_code == 405


def test_only_an_owner_chooses_who_is_here_and_one_owner_stays(study: Study, owner: Client, person: Any) -> None:
    person("reviewer", "rob").post(at(study, "people-save"), {"user": "rob", "role": "owner"})
    assert study.memberships.get(user__username="rob").role == "reviewer"
    owner.post(at(study, "people-save"), {"user": "rob", "role": "editor"})
    assert study.memberships.get(user__username="rob").role == "editor"
    left = owner.post(at(study, "people-save"), {"user": "owner", "role": "owner", "remove": 1})
    assert "at least one owner" in left.content.decode()
    assert AuditEvent.objects.filter(study=study, verb="enrol").count() == 1


@pytest.mark.parametrize(
    ("task", "unit"),
    [("likert", "Text"), ("pairwise", "Pair"), ("which_machine", "Context"), ("document_rating", "Document")],
)
def test_the_page_task_names_what_a_task_holds(study: Study, owner: Client, task: str, unit: str) -> None:
    Study.objects.filter(pk=study.pk).update(task=task)
    page = html.fromstring(owner.get(at(study, "design")).content)
    labels = {label.get("for"): label.text_content().strip() for label in page.iter("label")}
    assert labels["id_texts_per_hit"] == f"{unit}s per task"
    assert labels["id_raters_per_text"] == f"Raters per {unit.lower()}"
    Study.objects.filter(pk=study.pk).update(status="closed")
    facts = html.fromstring(owner.get(at(study, "design")).content).xpath("//dl[@class='facts']/dt/text()")
    assert {f"{unit}s per task", f"Raters per {unit.lower()}"} <= {*facts}
