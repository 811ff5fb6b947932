"""Every form of the console, by a table: what is wrong stands beside its field, and above all of them."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, NamedTuple

import pyotp
import pytest
from django import forms as django_forms
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from lxml import html

from annotation import settings as conf
from annotation.accounts import links, vault
from annotation.accounts.models import SecondFactor, User
from annotation.console import forms
from annotation.console.forms import (
    channels as channel_forms,
)
from annotation.console.forms import (
    columns,
    comparing,
    members,
    new_batch,
    on_prolific,
    owed_amounts,
    person,
    publish,
    release,
    running,
    scores,
    studies,
    study_names,
    text_measures,
    texts,
    training_items,
    worker_list,
)
from annotation.console.forms import review as desk
from annotation.console.forms import sign_in as entrance
from annotation.console.forms.design import ArmsForm, DesignForm, LaterForm
from annotation.console.forms.ethics_answers import EthicsForm
from annotation.console.forms.plan_answers import PlanForm
from annotation.console.forms.statements import MissingFactsForm, StatementsForm
from annotation.console.forms.wording import WordingFile, WordingForm, to_json_text
from annotation.design.kinds import default_wording
from annotation.design.wording import from_json
from annotation.jobs.run import run_due
from annotation.models import Intent, Job, Remark, Result, Study, Submission
from annotation.mturk import payouts as payout_calls
from annotation.mturk.channels import ChannelFunnel, ChannelRecord, InvitedPeople
from annotation.mturk.client import Market
from annotation.mturk.payouts import OwedList, OwedRow, PayoutRecord
from annotation.mturk.prolific import FilterOption, ProlificAccountRecord, ProlificProject, ProlificWorkspace
from annotation.mturk.records import RequesterName
from annotation.publishing import preflight_result as prechecked
from annotation.quality.code_explanations import edit_codebook
from annotation.readers.foreign.look import look_from_json
from annotation.readers.foreign.ratings_mapping import ratings_mapping_from_json
from annotation.readers.foreign.text_mapping import mapping_from_json
from annotation.reports.take_snapshot import take
from annotation.review.approve import approve
from annotation.studies.create import reword
from annotation.studies.invite_member import invite_colleague
from annotation.studies.plan_document import document_of, questions
from annotation.studies.unblind import unblind
from metrics.likelihood import TINY
from tests.annotation.console.factories import SOUND, brought, csv
from tests.annotation.recruiting.prolific_double import CHANNEL, PretendMarketplace, pretend
from tests.annotation.review.factories import make

pytestmark = pytest.mark.django_db

Given = dict[str, Any]
LONG = "x" * 10_000
FUTURE = "2099-01-01"
LIST_CHANNEL = ChannelRecord(
    channel_id="list",
    study="s",
    version=1,
    name="List",
    title="",
    kind="list",
    pays="volunteer",
    pay_words="",
    places=None,
    overlap=None,
    max_tasks=None,
    opens_at=None,
    closes_at=None,
    closed_at=None,
    retain_until=None,
    created_at=timezone.now(),
    consent="",
    consent_version="",
    debrief="",
    debrief_version="",
    return_url="",
    completion_code="",
    codes_left=None,
    codes_missing=0,
    stop_code="",
    contact="",
    link="",
    id_parameters=(),
    id_optional=False,
    invited=0,
    funnel=ChannelFunnel(),
)
REASON = "These answers were copied from the text before."


PROLIFIC_CHANNEL = replace(LIST_CHANNEL, channel_id=CHANNEL, kind="prolific")
AGE_FILTER = FilterOption("age", "Age", "In years.", "range", (), 18, 100)


class Place(NamedTuple):
    """Where a form is posted to, what is posted where nothing is wrong, and the form's prefix on its page."""

    address: str
    given: Given
    form: django_forms.BaseForm
    prefix: str = ""

    def named(self, field: str) -> str:
        return f"{self.prefix}-{field}" if self.prefix else field


class World:
    """A draft with texts and a study with work to review; who looks owns both."""

    def __init__(self, draft: Study, marketplace: PretendMarketplace) -> None:
        self.marketplace = marketplace
        self.owner = User.objects.create_superuser("root", password="a long password 1")
        self.client, self.draft = Client(), draft
        self.client.force_login(self.owner)
        self.running = make(workers=3, hits=2, texts=4, reasons=True, now=timezone.now())
        reword(self.running, default_wording("typicality"), now=timezone.now())
        self.work, self.decided = (one.market_id for one in Submission.objects.order_by("pk")[:2])
        decided = Submission.objects.filter(market_id=self.decided)
        approve(self.running, decided, actor=self.owner, now=timezone.now())
        Intent.objects.update(state=Intent.State.DONE)
        edit_codebook(self.running, "criteria", [["a", ["b", "c"]]], actor=self.owner, now=timezone.now())

    def at(self, name: str, *more: Any, study: Study | None = None) -> str:
        return reverse(f"console:{name}", args=[(study or self.running).uuid, *more])

    def with_texts(self) -> Study:
        if not self.draft.texts.exists():
            file = SOUND.replace(" is about", " stands here. It is about")
            job = brought(self.client, self.at("texts-add", study=self.draft), file)
            self.client.post(self.at("texts-confirm", study=self.draft), {"job": str(job.uuid)})
            run_due(clock=timezone.now)
        return self.draft

    def looked_at(self) -> Study:
        if not self.running.snapshots.exists():
            take(self.running, actor="root", reason="results", now=timezone.now())
        return self.running

    def laid_out(self) -> Study:
        if not self.draft.hits.exists():
            self.client.post(self.at("design-save", study=self.with_texts()), {**of_design(self.draft), "lay_out": "1"})
        return self.draft


@pytest.fixture
def world(study: Study, settings: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> World:
    settings.VAR, settings.DETECTOR_MODEL = tmp_path, str(tmp_path)
    # No marketplace listens here that could be asked for the account.
    monkeypatch.setattr("annotation.console.views.publish.afford", lambda study, endpoint, by_invitation: ())
    monkeypatch.setattr(payout_calls, "list_owed", lambda *_, **__: OwedList((OWED,)))
    monkeypatch.setattr(payout_calls, "list_files", lambda *_, **__: [FILE])
    monkeypatch.setattr(payout_calls, "get_file", lambda *_, **__: FILE)
    monkeypatch.setattr(payout_calls, "create_file", lambda *_, **__: FILE)
    monkeypatch.setattr(payout_calls, "mark_sent", lambda *_, **__: True)
    monkeypatch.setattr("annotation.recruiting.queries.channel_of", lambda *_: LIST_CHANNEL)
    monkeypatch.setattr("annotation.recruiting.queries.people_of", lambda *_: [])
    monkeypatch.setattr("annotation.console.views.recruit.open_channel", lambda *_, **__: LIST_CHANNEL)
    monkeypatch.setattr("annotation.console.views.recruit.add_codes", lambda *_, **__: LIST_CHANNEL)
    changes = SimpleNamespace(change_channel=lambda *_, **__: LIST_CHANNEL)
    monkeypatch.setattr("annotation.console.views.recruit.changes", changes)
    monkeypatch.setattr("annotation.console.views.recruit.invite_people", lambda *_, **__: InvitedPeople((), 0))
    marketplace = pretend(monkeypatch)
    monkeypatch.setattr("annotation.recruiting.publish_prolific.channel_of", lambda *_: PROLIFIC_CHANNEL)
    monkeypatch.setattr(Market, "requester", lambda _: RequesterName("lab", ""))
    monkeypatch.setattr(Market, "name_requester", lambda _, name: RequesterName("lab", name))
    return World(study, marketplace)


def posted(form: django_forms.BaseForm) -> Given:
    """What the form's page posts where nobody changes anything."""
    values = {one.html_name: one.value() for one in form}
    return {name: value for name, value in values.items() if value is not None and value is not False}


def of_design(study: Study) -> Given:
    return posted(DesignForm.of(study)) | posted(ArmsForm.of(study))


def of_wording(world: World) -> Place:
    form = WordingForm.of(from_json(world.draft.wordings.get().body))
    return Place(world.at("design-wording", study=world.draft), posted(form), form)


def of_wording_file(world: World) -> Place:
    words = to_json_text(from_json(world.draft.wordings.latest("version").body))
    return Place(
        world.at("design-wording-upload", study=world.draft), {"file": csv(words, "words.json")}, WordingFile()
    )


def of_item(arm: str, **values: str) -> Callable[[World], Place]:
    """A form for one training item."""
    form = training_items.ITEM_FORMS[arm]()
    return lambda world: Place(world.at("design-training-add", arm, study=world.draft), values, form)


def of_items(world: World) -> Place:
    return Place(
        world.at("design-training-import", study=world.draft),
        {"file": csv("training,text\ninstructions,Read to the end.\n"), "how": "replace"},
        training_items.ImportTraining(),
    )


def to_columns(world: World) -> Place:
    """The menus of a file with columns of odd names."""
    file = csv("story,who\n" + "The rain falls on us,human\nThe rain is falling,tiny\n" * 2)
    address = world.client.post(world.at("texts-add", study=world.draft), {"file": file})["Location"]
    job = Job.objects.get(uuid=address.rstrip("/").split("/")[-1])
    initial = columns.MapTexts.initial_of(mapping_from_json(job.outcome["mapping"]))
    form = columns.MapTexts(initial=initial, look=look_from_json(job.outcome["look"]))
    return Place(address, posted(form), form)


def to_rating_columns(world: World) -> Place:
    """The menus of a file of ratings."""
    file = csv("item,rater,value,who\n" + "t1,ann,3,human\nt2,ann,4,tiny\nt1,bob,3,human\nt2,bob,4,tiny\n")
    address = world.client.post(reverse("console:studies-ratings"), {"name": "rated", "file": file})["Location"]
    job = Job.objects.get(uuid=address.rstrip("/").split("/")[-1])
    initial = columns.MapRatings.initial_of(ratings_mapping_from_json(job.outcome["mapping"]))
    form = columns.MapRatings(initial=initial, look=look_from_json(job.outcome["look"]))
    return Place(address, posted(form), form)


def to_publish(world: World) -> Place:
    study, endpoint = world.laid_out(), conf.endpoint()
    found = prechecked.Preflight((), 1, 1, 1, 1)
    Job.objects.get_or_create(
        study=study, kind="preflight", state="done", settings=prechecked.state_of(study, endpoint=endpoint.url),
        defaults={"outcome": found.as_json(), "created_at": timezone.now(), "finished_at": timezone.now()},
    )  # fmt: skip
    return Place(world.at("publish-confirm", study=study), {"name": study.name}, publish.Publish(study_name=study.name))


def to_share(world: World) -> Place:
    report, _ = Job.objects.get_or_create(
        study=world.running, kind="report", state="done", defaults={"created_at": timezone.now()}
    )
    return Place(reverse("console:job-links", args=[report.uuid]), {"days": "7"}, comparing.Share())


def to_build_tests(world: World) -> Place:
    unblind(world.running, actor="owner", now=timezone.now())
    form = text_measures.NndRule(study=world.running)
    return Place(world.at("results-nnd-build"), {"kind": "mean", "minimum_gap": "0", "minimum_ratings": "1"}, form)


def to_run_tests(world: World) -> Place:
    outcome = {"files": ["tests.json"], "tests": 1, "candidates": 2, "contexts": 1, "by_category": [["vague", 1]]}
    built, _ = Job.objects.get_or_create(
        kind="nnd_tests",
        state="done",
        asked_by=world.owner,
        defaults={"created_at": timezone.now(), "outcome": outcome},
    )
    given = {"models": [TINY], "start": "auto", "ties": "fail"}
    return Place(reverse("console:studies-nnd-job", args=[built.uuid]), given, text_measures.NndModels())


def to_compare(world: World) -> Place:
    for study in (world.draft, world.running):
        unblind(study, actor="owner", now=timezone.now())
    both = [world.draft, world.running]
    given = {"studies": [str(one.uuid) for one in both]}
    return Place(reverse("console:compare"), given, comparing.Compare(studies=both))


def to_state(world: World) -> Place:
    """A report that lacks a fact."""
    numbers = {"missing": [{"key": "ethics", "name": "Ethics approval", "hint": "board and number"}]}
    Result.objects.create(study=world.running, made_at=timezone.now(), data_sha256="0" * 64, numbers=numbers)
    form = MissingFactsForm.of(world.running, numbers)
    return Place(world.at("results-missing"), {"ethics": "Approved as 12/26."}, form)


def to_code(world: World) -> Place:
    world.client.post(world.at("coding-book", "criteria"), {"lines": "form: grammar"})
    remark = Remark.objects.filter(presentation__submission__hit__study=world.running).order_by("pk")[0]
    given = {"codes": ["grammar"]}
    return Place(world.at("coding-code", "criteria", remark.pk), given, desk.CodesForm(given))


APP_SECRET = "JBSWY3DPEHPK3PXP" * 2


def to_add_factor(world: World) -> Place:
    """Of an owner who has read the secret and not shown a code yet."""
    SecondFactor.objects.update_or_create(
        user=world.owner, defaults={"sealed_secret": vault.seal(APP_SECRET), "confirmed_at": None, "last_step": 0}
    )
    return Place(reverse("console:keys-factor-add"), {"code": pyotp.TOTP(APP_SECRET).now()}, entrance.FirstCode())


def to_renew_codes(world: World) -> Place:
    """Of an owner who has a second factor, in the session in which it was added."""
    first = to_add_factor(world)
    SecondFactor.objects.update(confirmed_at=timezone.now())
    return Place(reverse("console:keys-factor-renew"), first.given, entrance.FactorCode())


def to_enter(world: World) -> Place:
    link = links.new_link(world.owner, now=timezone.now())
    given = {"password": "another long phrase"}
    return Place(link[link.index("/console/") :], given, entrance.FirstPassword(world.owner))


def a_rater(world: World) -> str:
    return str(world.running.participations.order_by("pk")[0].worker.pseudonym)


OWED = OwedRow("A1", "elsewhere", "USD", 1, 120, "class", "CODE", "Ann", "", "", None)
FILE = PayoutRecord("3F", "", "USD", "open", 1, 120, "root", timezone.now(), "", None, (OWED,))


def to_pay(world: World) -> Place:
    return Place(world.at("workers-payouts-create"), {"chosen": ["A1"]}, owed_amounts.ChosenPayouts(worker_ids=("A1",)))


def to_delete_ids(world: World) -> Place:
    Study.objects.filter(pk=world.running.pk).update(status="closed")
    given = {"workers": "3", "identities": "0", "name": world.running.name}
    form = owed_amounts.DeleteIds(study_name=world.running.name)
    return Place(world.at("workers-retention-delete"), given, form)


def to_mark(world: World) -> Place:
    given = {"people": "1", "amount_minor": "120"}
    return Place(world.at("workers-payouts-sent", FILE.file_id), given, owed_amounts.SentAmounts())


def to_join(world: World) -> Place:
    issued = invite_colleague(by=world.owner, now=timezone.now())
    given = {"username": "ada", "password1": "another long phrase", "password2": "another long phrase"}
    return Place(reverse("console:join", args=[issued.token]), given, members.NewAccount())


def of_work(name: str, form: django_forms.BaseForm, *, decided: bool = False, **given: str) -> Callable[[World], Place]:
    """A form on the page of one assignment."""
    prefix = name.removeprefix("review-")
    told = {f"{prefix}-{field}": value for field, value in given.items()}
    return lambda world: Place(world.at(name, world.decided if decided else world.work), told, form, prefix)


def of_worker(
    name: str, form: django_forms.BaseForm, *, decided: bool = False, prefix: str = "", **given: str
) -> Callable[[World], Place]:
    """A form on the page of a worker."""
    prefix = prefix or name.removeprefix("workers-")
    told = {f"{prefix}-{field}": value for field, value in given.items()}

    def placed(world: World) -> Place:
        work = Submission.objects.get(market_id=world.decided if decided else world.work)
        return Place(world.at(name, work.worker.pseudonym), told, form, prefix)

    return placed


def from_prolific(name: str, form: django_forms.BaseForm, **values: str) -> Callable[[World], Place]:
    """A form on the page of work by a person from Prolific."""

    def placed(world: World) -> Place:
        world.marketplace.tag = "judged-1"
        Study.objects.filter(pk=world.running.pk).update(channel_tag="judged-1")
        if not world.marketplace.submissions:
            Intent.of(world.running, Intent.Kind.RECRUIT, world.running.pk, slot=CHANNEL).save()
        world.marketplace.submissions = [{"Key": "k", "Status": "AWAITING REVIEW", "AssignmentIds": [world.work]}]
        return of_work(name, form, **values)(world)

    return placed


def to_recruit(world: World) -> Study:
    """The running study, published on Prolific for what is asked there."""
    world.marketplace.study["Status"] = "active"
    return world.running


LAB = ProlificAccountRecord(
    connected=True,
    workspaces=(ProlificWorkspace("w1", "Language lab", "GBP", 1, (ProlificProject("p1", "Ratings"),)),),
)
PROLIFIC_DRAFT = {"description": "You read sentences.", "minutes": "10", "reward_minor": "1.50", "places": "12"}
PROLIFIC_DRAFT |= {"label": "ai_evaluation"}


def to_choose_project(world: World) -> Place:
    world.marketplace.connect_prolific(Token="a-token-of-prolific")
    address = reverse("console:keys-prolific-project")
    return Place(address, {"project": "w1 p1"}, on_prolific.ProjectForm(account=LAB))


PASSWORDS = {
    "old_password": "a long password 1",
    "new_password1": "b long phrase 22",
    "new_password2": "b long phrase 22",
}
NEW = {"name": "mine", "preset": "huse-2019", "mode": "rehearsal", "noun": "story"}


def batch() -> Given:
    """A template with one variable, its table of one row, and what workers read."""
    return {
        "name": "cities",
        "template": csv("<p>${city}</p><input name='capital'>", "task.html"),
        "table": csv("city\nBonn\n"),
        "title": "Capitals",
        "description": "Name a capital",
        "reward_cents": "0.05",
        "max_assignments": "1",
        "assignment_seconds": "10",
        "lifetime_seconds": "7",
        "auto_approval_seconds": "3",
    }


PLACES: dict[type[django_forms.BaseForm], Callable[[World], Place]] = {
    studies.NewStudy: lambda world: Place(reverse("console:studies-new"), NEW, studies.NewStudy()),
    studies.ImportBatch: lambda world: Place(
        reverse("console:studies-import"), {"name": "b", "file": csv("a,b\n")}, studies.ImportBatch()
    ),
    studies.ImportRatings: lambda world: Place(
        reverse("console:studies-ratings"), {"name": "b", "file": csv("a,b\n")}, studies.ImportRatings()
    ),
    columns.MapTexts: to_columns,
    columns.MapRatings: to_rating_columns,
    studies.Enrol: lambda world: Place(world.at("people-save"), {"user": "root", "role": "owner"}, studies.Enrol()),
    members.InviteMember: lambda world: Place(
        world.at("people-invite"), {"invited_role": "editor"}, members.InviteMember()
    ),
    members.NewAccount: to_join,
    owed_amounts.RetentionDate: lambda world: Place(
        world.at("workers-retention-date", study=world.draft), {"retain_until": FUTURE}, owed_amounts.RetentionDate()
    ),
    owed_amounts.DeleteIds: to_delete_ids,
    owed_amounts.ChosenPayouts: to_pay,
    owed_amounts.SentAmounts: to_mark,
    study_names.RenameStudy: lambda world: Place(
        world.at("manage-rename"), {"name": "renamed"}, study_names.RenameStudy()
    ),
    study_names.CopyStudy: lambda world: Place(
        world.at("manage-copy"), {"copy_name": "copied"}, study_names.CopyStudy()
    ),
    study_names.RepeatStudy: lambda world: Place(
        world.at("manage-repeat", study=world.looked_at()),
        {"repeat_name": "repeated", "people": "anyone"},
        study_names.RepeatStudy(),
    ),
    worker_list.ImportWorkers: lambda world: Place(
        reverse("console:everybody-import"), {"file": csv("worker\nA1EXAMPLE\n")}, worker_list.ImportWorkers()
    ),
    person.FindPerson: lambda world: Place(
        reverse("console:everybody-person"), {"name": a_rater(world), "reason": "their request"}, person.FindPerson()
    ),
    person.ErasePerson: lambda world: Place(
        reverse("console:everybody-person-erase"),
        {"name": a_rater(world), "reason": "their request", "answers": "keep", "sure": "on"},
        person.ErasePerson(),
    ),
    release.ReleaseForm: lambda world: Place(
        world.at("exports-release-create", study=world.looked_at()),
        {"licence": "CC0-1.0", "consent": "Asked before the task."},
        release.ReleaseForm(),
    ),
    release.ObjectionsForm: lambda world: Place(
        world.at("exports-release-objections", study=world.looked_at()), {"withheld": ""}, release.ObjectionsForm()
    ),
    new_batch.NewBatch: lambda world: Place(reverse("console:batches-new"), batch(), new_batch.NewBatch()),
    texts.UploadTexts: lambda world: Place(
        world.at("texts-add", study=world.draft), {"file": csv(SOUND)}, texts.UploadTexts()
    ),
    texts.SelectTexts: lambda world: Place(
        world.at("texts-select", study=world.with_texts()), {"no_duplicates": "on"}, texts.SelectTexts()
    ),
    training_items.InstructionForm: of_item("instructions", text="Read to the end."),
    training_items.PracticeForm: of_item("examples", text="A headline.", source="human", explanation="It is one."),
    training_items.PairForm: of_item(
        "comparison", human="A headline.", machine="An headline.", explanation="{human} is one."
    ),
    training_items.ImportTraining: of_items,
    DesignForm: lambda world: Place(
        world.at("design-save", study=world.with_texts()), of_design(world.draft), DesignForm.of(world.draft)
    ),
    ArmsForm: lambda world: Place(
        world.at("design-save", study=world.with_texts()), of_design(world.draft), ArmsForm.of(world.draft)
    ),
    LaterForm: lambda world: Place(
        world.at("design-later", study=world.laid_out()), posted(LaterForm.of(world.draft)), LaterForm.of(world.draft)
    ),
    WordingForm: of_wording,
    WordingFile: of_wording_file,
    channel_forms.NewChannelForm: lambda world: Place(
        world.at("recruit-new", "link", study=world.draft),
        {"shown_name": "Ada Lovelace", "pays": "volunteer", "consent": "Questions: ada@example.org"},
        channel_forms.NewChannelForm(kind="link"),
    ),
    channel_forms.EditChannelForm: lambda world: Place(
        world.at("recruit-edit", "list"),
        {"pays": "volunteer", "version": "1"},
        channel_forms.EditChannelForm(kind="list"),
    ),
    channel_forms.AddCodesForm: lambda world: Place(
        world.at("recruit-codes", "list"), {"codes": "AB-1\nAB-2"}, channel_forms.AddCodesForm()
    ),
    channel_forms.InvitePeopleForm: lambda world: Place(
        world.at("recruit-invite", "list"),
        {"people": csv("email\nkim@example.org\n")},
        channel_forms.InvitePeopleForm(),
    ),
    on_prolific.TokenForm: lambda world: Place(
        reverse("console:keys-prolific"), {"token": "a-token-of-prolific"}, on_prolific.TokenForm()
    ),
    on_prolific.ProjectForm: to_choose_project,
    on_prolific.DraftForm: lambda world: Place(
        world.at("recruit-prolific", CHANNEL), PROLIFIC_DRAFT, on_prolific.DraftForm(currency="USD")
    ),
    on_prolific.FilterForm: lambda world: Place(
        world.at("recruit-prolific-filters", CHANNEL) + "?filter=age",
        {"lower": "18", "upper": "60"},
        on_prolific.FilterForm(option=AGE_FILTER),
    ),
    on_prolific.PlacesForm: lambda world: Place(
        world.at("publish-prolific-places", CHANNEL, study=to_recruit(world)),
        {"places": "15"},
        on_prolific.PlacesForm(),
    ),
    on_prolific.PublishForm: lambda world: Place(
        world.at("publish-prolific", CHANNEL), {"total_minor": "2519"}, on_prolific.PublishForm()
    ),
    publish.Publish: to_publish,
    publish.ShownName: lambda world: Place(
        world.at("publish-name"), {"shown_name": "Ada Lovelace"}, publish.ShownName()
    ),
    running.Floor: lambda world: Place(world.at("running-pay"), {"floor": "15.00"}, running.Floor()),
    desk.Approve: of_work("review-approve", desk.Approve()),
    desk.Propose: of_work("review-propose", desk.Propose(), reason=REASON),
    desk.ProposeOnProlific: from_prolific(
        "review-propose", desk.ProposeOnProlific(), reason=REASON * 3, category="LOW_EFFORT"
    ),
    desk.RejectPerson: of_worker("review-people-propose", desk.RejectPerson(), prefix="propose", reason=REASON),
    desk.ReturnForm: from_prolific("review-return", desk.ReturnForm(), reason="You did not finish."),
    desk.Reason: of_work("review-analysis", desk.Reason(), decided=True, reason=REASON),
    desk.ReplyForm: of_work("review-reply", desk.ReplyForm(), decided=True, body="I read it all."),
    desk.HoldForm: of_worker("workers-hold", desk.HoldForm(), reason=REASON, until=FUTURE),
    desk.BlockForm: of_worker("workers-block", desk.BlockForm(), reason=REASON),
    desk.NoticeForm: of_worker(
        "workers-write", desk.NoticeForm(), decided=True, prefix="notice", subject="Hello", text="Thank you."
    ),
    desk.Bulk: lambda world: Place(
        world.at("review-bulk"),
        {"chosen": [world.work], "action": "leave_out", "confirmed": "on", "reason": REASON},
        desk.Bulk(),
    ),
    desk.Rules: lambda world: Place(world.at("quality-fix"), {"name": "strict"}, desk.Rules()),
    desk.Detect: lambda world: Place(world.at("quality-detect"), {"threshold": "-3"}, desk.Detect()),
    desk.CodebookForm: lambda world: Place(
        world.at("coding-book", "criteria"), {"lines": "form: grammar"}, desk.CodebookForm()
    ),
    desk.CodesForm: to_code,
    MissingFactsForm: to_state,
    PlanForm: lambda world: Place(
        world.at("plan-save"),
        {"hypotheses": "A is better than B."},
        PlanForm.of(questions(document_of(world.running, {})), {}, sealed=False, fixed=False),
    ),
    EthicsForm: lambda world: Place(world.at("ethics-save", "de"), {"risks": "Keine."}, EthicsForm.of({})),
    StatementsForm: lambda world: Place(
        world.at("exports-statements"), {"ethics": "Approved as 12/26."}, StatementsForm.of(world.running)
    ),
    scores.AttachScores: lambda world: Place(
        world.at("exports-scores"),
        {"file": csv("id,score\nt1,0.5\n"), "model": "m", "version": "1"},
        scores.AttachScores(),
    ),
    text_measures.NndUpload: lambda world: Place(
        reverse("console:studies-nnd"),
        {"format": "tests", "file": csv("{}", "tests.json")},
        text_measures.NndUpload(),
    ),
    text_measures.NndModels: to_run_tests,
    text_measures.NndRule: to_build_tests,
    text_measures.HUpload: lambda world: Place(
        reverse("console:studies-h"),
        {"format": "lines", "texts": csv("A text.\n", "texts.txt"), "model": TINY},
        text_measures.HUpload(),
    ),
    text_measures.StudyTexts: lambda world: Place(
        world.at("results-h-score"), {"model": TINY}, text_measures.StudyTexts()
    ),
    text_measures.LogProbsForm: lambda world: Place(
        world.at("texts-log-probs"),
        {"generator": "tiny", "model": TINY},
        text_measures.LogProbsForm(study=world.running),
    ),
    comparing.Compare: to_compare,
    comparing.Share: to_share,
    entrance.SignIn: lambda world: Place(
        reverse("console:sign-in"), {"username": "root", "password": "a long password 1"}, entrance.SignIn()
    ),
    entrance.FirstPassword: to_enter,
    entrance.NewPassword: lambda world: Place(
        reverse("console:keys-password"), PASSWORDS, entrance.NewPassword(world.owner)
    ),
    entrance.FirstCode: to_add_factor,
    entrance.FactorCode: to_renew_codes,
    entrance.NewToken: lambda world: Place(reverse("console:keys-token"), {"name": "ci"}, entrance.NewToken()),
}
# Refused by a rule of the form's own or by its verb: what is given beside the rest, the field, the sentence.
REFUSED: list[tuple[type[django_forms.BaseForm], Given, str, str]] = [
    (studies.NewStudy, {"name": "headlines"}, "name", "There is already a study called headlines."),
    (studies.ImportBatch, {"name": "headlines"}, "name", "A study with this name exists. Choose another name."),
    (studies.Enrol, {"user": "nobody"}, "user", "No active user has this name."),
    (studies.Enrol, {"role": "viewer"}, "role", "A study has at least one owner."),
    (texts.UploadTexts, {"file": ""}, "file", "This field is required."),
    (texts.UploadTexts, {"columns": "text"}, "columns", "is not of the form"),
    (texts.UploadTexts, {"columns": "mood = m"}, "columns", "Unknown column mood"),
    (texts.UploadTexts, {"sources": "a = b"}, "sources", 'The value after "=" must be'),
    (texts.SelectTexts, {"exclude": "r77 = odd"}, "exclude", "the study has no text with the id 'r77'"),
    (
        texts.SelectTexts,
        {"truncate": "2", "apply": "1"},
        "drop_log_probs",
        "20 texts with a log-probability, 'r0' the first",
    ),
    (DesignForm, {"mix": "fixed", "lay_out": "1"}, "references_per_hit", "fixed"),
    (DesignForm, {"gold_per_hit": "3", "lay_out": "1"}, "gold_per_hit", "Each HIT is to hold 3 gold texts"),
    (DesignForm, {"retain_until": "2020-01-01"}, "retain_until", "That day is not in the future."),
    (LaterForm, {"budget_cents": "-1"}, "budget_cents", "is not an amount of USD"),
    (training_items.ImportTraining, {"file": csv("training,text\nexamples,x\n")}, "file", "must be human or machine"),
    (training_items.ImportTraining, {"file": csv("training,text\n")}, "file", "a header and no rows"),
    (WordingForm, {"labels": "Typical"}, "labels", "is not of the form label | number | meaning"),
    (WordingForm, {"labels": "Typical | 1"}, "labels", "has at least two labels"),
    (WordingForm, {"labels": "Typical | one\nRare | 0"}, "labels", "A code of typicality is a number"),
    (WordingFile, {"file": csv("{", "words.json")}, "file", "is not valid JSON"),
    (WordingFile, {"file": csv("{}", "words.json")}, "file", "schema_version is"),
    (WordingForm, {"follow_1_kind": "study"}, "follow_1_text", "Write the question, or choose another one above."),
    (
        WordingForm,
        {"follow_1_kind": "reason", "follow_1_when": ["5"], "labels": "Typical | 1\nRare | 0"},
        "follow_1_when",
        "which is no longer on a scale",
    ),
    (WordingForm, {"language": "German"}, "language", "Enter a valid value."),
    (WordingForm, {"title": "{noun} " * 18}, "title", "The title has 1 to 128 characters"),
    (channel_forms.NewChannelForm, {"consent": "About [N] minutes"}, "consent", "Replace “[N]”"),
    (channel_forms.EditChannelForm, {"pays": "voucher"}, "pay_words", "Say what participants receive"),
    (channel_forms.AddCodesForm, {"codes": "AB-1\nAB-1"}, "codes", "Row 2: the same code as in row 1."),
    (channel_forms.InvitePeopleForm, {"people": csv("name\nKim\n")}, "people", "a column named email or id is missing"),
    (on_prolific.DraftForm, {"reward_minor": "0"}, "reward_minor", "Enter what people are paid."),
    (on_prolific.DraftForm, {"highest_reward_minor": "1"}, "highest_reward_minor", "at least the reward per person"),
    (on_prolific.FilterForm, {"lower": "70"}, "upper", "at least the lower end"),
    (on_prolific.FilterForm, {"upper": "101"}, "upper", "Enter a number from 18 to 100."),
    (on_prolific.PlacesForm, {"places": "12"}, "places", "enter more than 12"),
    (desk.ProposeOnProlific, {"propose-reason": REASON}, "reason", "at least 100 characters"),
    (publish.Publish, {"name": "other"}, "name", "Nothing was published"),
    (desk.Approve, {"leave": "1"}, "leave_out", "Enter a reason for the exclusion."),
    (desk.Propose, {"propose-reason": "bad"}, "reason", "at least 20 characters"),
    (desk.HoldForm, {"hold-until": "2020-01-01"}, "until", "The last day must be in the future."),
    (desk.Rules, {"machine_written": "on"}, "machine_written", "Add another rule."),
    (desk.CodebookForm, {"lines": "form: a\ngrammar"}, "lines", "Line 2 is not of the form"),
    (desk.CodebookForm, {"lines": "form: a, a"}, "lines", "a"),
    (comparing.Compare, {"studies": [], "csrfmiddlewaretoken": "x"}, "studies", "Choose two or more studies."),
    (desk.CodesForm, {"codes": ["grammar", "null"]}, "codes", "each once, or null alone."),
    (desk.CodesForm, {"codes": ["weather"]}, "codes", "is not in the codebook"),
    (scores.AttachScores, {"version": ""}, "version", "Say which version made these scores"),
    (scores.AttachScores, {"columns": "other"}, "file", "other"),
    (text_measures.NndUpload, {"texts": csv("[]", "texts.json")}, "texts", "Only FRANK has its texts in a file"),
    (text_measures.NndModels, {"models": []}, "models", "Choose a model, or a file of log-probabilities."),
    (text_measures.NndRule, {"kind": "labels"}, "best", "Choose the label of a text without error"),
    (text_measures.NndRule, {"better": "5 > good"}, "better", "The scale has no label good."),
    (text_measures.HUpload, {"threshold": "0.6:0.4"}, "threshold", "the lower one first"),
    (text_measures.HUpload, {"texts": [csv("a"), csv("b")]}, "texts", "Texts of this format come in one file."),
    (entrance.NewPassword, {"old_password": "wrong"}, "old_password", "incorrectly"),
    (entrance.FirstCode, {"code": "1234567"}, "code", "This code is not right"),
    (entrance.FactorCode, {"code": "1234567"}, "code", "This code is not right"),
]


# These are filled in by whoever is not signed in; the first two are answered by Django's own views.
OF_DJANGO = (entrance.SignIn, entrance.FirstPassword)
STRANGERS = (*OF_DJANGO, members.NewAccount)
# Not fields to fill in: buttons, and what a page sends by itself.
PRESSED = {("Bulk", "action"), ("SentAmounts", "people"), ("SentAmounts", "amount_minor"), ("DeleteIds", "workers")}
PRESSED |= {("DeleteIds", "identities"), ("EditChannelForm", "version"), ("PublishForm", "total_minor")}


def every_form() -> set[type[django_forms.BaseForm]]:
    modules = [importlib.import_module(f"{forms.__name__}.{one.name}") for one in pkgutil.iter_modules(forms.__path__)]
    found = {thing for module in modules for thing in vars(module).values() if isinstance(thing, type)}
    return {
        one for one in found if issubclass(one, django_forms.BaseForm) and one.__module__.startswith(forms.__name__)
    }


def test_every_form_is_in_the_table() -> None:
    # The form of no page, of which two are made; and a file beside a button, without which a page says what to choose.
    assert every_form() - {channel_forms.ChannelForm, new_batch.ReviewedFile} == set(PLACES)


def bad(field: django_forms.Field) -> Any:
    """A value that cannot be right; None where anything can."""
    if isinstance(field, django_forms.ChoiceField):
        return "nonsense"
    if isinstance(field, (django_forms.IntegerField, django_forms.FloatField, django_forms.DecimalField)):
        return "x"
    if isinstance(field, django_forms.DateField):
        return "yesterday"
    if isinstance(field, django_forms.SlugField):
        return "no slug!"
    if isinstance(field, django_forms.CharField):
        return "" if field.required else LONG if field.max_length else None
    return "" if isinstance(field, django_forms.FileField) and field.required else None


def refused(world: World, place: Place, changes: Given) -> html.HtmlElement:
    """The page that comes instead of the deed. Who comes in is answered with 200 by Django's own view."""
    client = Client() if isinstance(place.form, STRANGERS) else world.client
    answer = client.post(place.address, {**place.given, **changes})
    assert answer.status_code == (200 if isinstance(place.form, OF_DJANGO) else 422), answer.content.decode()[-2000:]
    return html.fromstring(answer.content)


def wrong_fields(page: html.HtmlElement) -> set[str]:
    """Names of the fields beside which something is said to be wrong."""
    names = {name for told in page.find_class("errorlist") for name in told.getparent().xpath(".//@name")}
    return {name for name in names if not name.startswith("initial-")}  # what a field held when its form was opened


def summary(page: html.HtmlElement) -> str:
    return " ".join(" ".join(one.text_content().split()) for one in page.find_class("problems"))


def faults(place: Place) -> Iterator[tuple[str, Any]]:
    for name, field in place.form.fields.items():
        if (value := bad(field)) is not None:
            yield name, value


@pytest.mark.parametrize("form", PLACES, ids=lambda form: form.__name__)
def test_a_bad_value_of_each_field_is_told_beside_it_and_above(form: type, world: World) -> None:
    for name, value in list(faults(PLACES[form](world))):
        place = PLACES[form](world)
        page = refused(world, place, {place.named(name): value})
        assert summary(page), name
        shown = page.xpath("//*[@name=$name][not(@type='hidden')]", name=place.named(name))
        assert wrong_fields(page) == ({place.named(name)} if shown else set()), name
        assert shown or (form.__name__, name) in PRESSED, f"{name} is not on the page"


@pytest.mark.parametrize(("form", "changes", "field", "sentence"), REFUSED)
def test_what_is_refused_by_a_rule_is_told_beside_its_field_and_above(
    form: type, changes: Given, field: str, sentence: str, world: World
) -> None:
    place = PLACES[form](world)
    page = refused(world, place, changes)
    assert sentence in summary(page)
    assert wrong_fields(page) == {place.named(field)}


@pytest.mark.parametrize("form", PLACES, ids=lambda form: form.__name__)
def test_what_is_right_is_not_refused(form: type, world: World) -> None:
    """Else the bad values above could be refused for another reason."""
    place = PLACES[form](world)
    client = Client() if isinstance(place.form, STRANGERS) else world.client
    answer = client.post(place.address, place.given)
    assert answer.status_code in {200, 302}, summary(html.fromstring(answer.content))
    assert not html.fromstring(answer.content or b"<p></p>").find_class("problems")
