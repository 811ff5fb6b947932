"""Studies in the states that pictures of the console show, and long work in each of its states."""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from annotation import settings as conf
from annotation.accounts import links
from annotation.accounts.models import ApiToken, User
from annotation.collecting.collect import collect
from annotation.collecting.parse_submissions import read
from annotation.design.arrange_cells import arrange
from annotation.design.lay_out import design
from annotation.design.presets import CLARK, HUSE, CellPlan, Preset
from annotation.design.wording import PracticePair
from annotation.importing.add_texts import add_texts
from annotation.jobs import queue as jobs
from annotation.jobs.look_now import look_now
from annotation.jobs.run import run_due
from annotation.marketplace.models import Channel, PayoutFile, Requester
from annotation.marketplace.workers.settlements import Scope, create_file, list_owed
from annotation.models import (
    Batch,
    Codebook,
    Hit,
    Intent,
    Job,
    Membership,
    Remark,
    Reply,
    Role,
    Study,
    Submission,
    Text,
)
from annotation.mturk import prolific
from annotation.mturk.channels import ChannelSettings, GuestRecord
from annotation.mturk.client import Market
from annotation.outbox.worker import work
from annotation.publishing import preflight_result as prechecked
from annotation.publishing.publish import publish
from annotation.quality.assess import assess
from annotation.quality.code_explanations import code, edit_codebook
from annotation.quality.codebooks import DEFAULTS, book_of
from annotation.quality.rules import Rule
from annotation.recruiting.invite_people import invite_people
from annotation.recruiting.open_channel import ChannelPlan, open_channel
from annotation.recruiting.publish_prolific import set_draft
from annotation.recruiting.queries import channels_of
from annotation.rehearsal import script
from annotation.rehearsal.crowd.crowd import Member, work_through
from annotation.rehearsal.passers import Passer
from annotation.rehearsal.prolific_stub.account_state import TOKEN
from annotation.rehearsal.world import Design, World
from annotation.reports.attach_scores import attach
from annotation.reports.share import revoke, share
from annotation.review import reject
from annotation.review.approve import approve
from annotation.review.exclude import apply_rules, fix_rules
from annotation.studies.change_training import add_item
from annotation.studies.create import Plan, create
from annotation.studies.invite_member import invite_member
from annotation.studies.unblind import unblind
from metrics.likelihood import TINY
from tests.annotation.console.factories import BROKEN, draft_batch
from tests.annotation.review.factories import make
from tests.marketplace import owed

TEXTS = 20
LONG_NAME = "typicality-of-replies-in-three-languages-of-the-second-wave-after-the-pilot-of-2026"
# Files whose columns are to be chosen.
WIDE = "prompt,human,gpt2\n" + "".join(f"What of {at}?,A person wrote of {at},A model wrote {at}\n" for at in range(20))
RATED = "doc,annotator,score\n" + "".join(f"t{at},ann,{at % 5 + 1}\nt{at},ben,{at % 3 + 1}\n" for at in range(20))
LONG_QUESTION = "How natural does each reply sound to people who use the language every day? " * 4
PAIR = PracticePair(
    "Council votes to reopen the old swimming pool in spring",
    "Council votes to vote on the vote of the council",
    "{machine} says the same word three times, {human} says what will happen.",
)
WORDS = "I read every text twice, and most of them are typical.\nPlease look at the third and the seventh again."
HUSE_SMALL: dict[str, Any] = {
    "raters_per_text": 4,
    "texts_per_hit": 10,
    "reward_cents": 140,
    "budget_cents": 10_000,
    "question": "How typical is each headline?",
}


def plant(owner: User) -> None:
    """Every state, once: an installation that has them stays as it is."""
    if Study.objects.filter(name="judged").exists():
        return
    now = timezone.now()
    looked = [Study.objects.get(name=name) for name in ("demo", "later", "evaluated")]
    create("draft", mode="live", plan=Plan(question="How natural is each reply?"), actor="owner", now=now)
    Requester.objects.filter(user__username="console-requester").update(display_name="Reading Lab, Example University")
    create(LONG_NAME, mode="rehearsal", plan=Plan(question=LONG_QUESTION), actor="owner", now=now)
    _with_texts("chosen", HUSE, mode="live", **HUSE_SMALL)
    for name, preset in (("planned", HUSE), ("waiting", CLARK)):
        _laid_out(name, preset)
    waiting = Study.objects.get(name="waiting")
    add_item(waiting, "comparison", PAIR, actor="owner", now=now)
    add_item(waiting, "comparison", replace(PAIR, explanation="The second one repeats itself."), actor="owner", now=now)
    _underway("underway")
    judged = _judged(owner, now)
    _large(now)
    _recruited(now)
    for study in Study.objects.all():
        Membership.objects.get_or_create(study=study, user=owner, defaults={"role": Role.OWNER})
    for name, role in (("ada", Role.EDITOR), ("ben", Role.REVIEWER), ("cem", Role.VIEWER)):
        Membership.objects.create(study=judged, user=User.objects.get_or_create(username=name)[0], role=role)
    _looked_at(looked, judged, owner, now)
    _long_work(owner, now)
    with tempfile.TemporaryDirectory() as folder:
        draft_batch(owner, Path(folder), now)
    ApiToken.objects.issue(owner, name="the lab's notebook", now=now)


def ids() -> dict[str, str]:
    """What stands in addresses."""
    names = ("draft", "chosen", "planned", "waiting", "underway", "judged", "large", "evaluated")
    found = {name: str(Study.objects.get(name=name).uuid) for name in names}
    of = Submission.objects.filter(hit__study__name="judged").select_related("worker").order_by("pk")[0]
    newest = Job.objects.order_by("-pk")
    asked = {
        "report": newest.filter(kind="report", state="done", study__name="demo"),
        "partial": newest.filter(kind="report", study__name="judged"),
        "evaluators": newest.filter(kind="report", study__name="evaluated"),
        "comparison": newest.filter(kind="comparison"),
        "exclusions": newest.filter(kind="exclusions"),
        "failed": newest.filter(kind="report", state="failed"),
        "sound": newest.filter(kind="check_texts", study__name="chosen"),
        "look_texts": newest.filter(kind="look_at_file", study__name="chosen"),
        "look_ratings": newest.filter(kind="look_at_file", study=None),
        "nnd_tests": newest.filter(kind="nnd_tests"),
        "nnd_run": newest.filter(kind="nnd_run"),
        "h_score": newest.filter(kind="h_score"),
        "faulty": newest.filter(kind="check_texts", study__name="draft"),
        "open": newest.filter(state="running"),
        "stuck": newest.filter(state="waiting"),
    }
    found |= {f"job_{name}": str(found_jobs[0].uuid) for name, found_jobs in asked.items()}
    link = share(newest.get(uuid=found["job_report"]), by=None, now=timezone.now()).token
    first = links.new_link(User.objects.get_or_create(username="newest")[0], now=timezone.now())
    judged, now = Study.objects.get(name="judged"), timezone.now()
    owner = User.objects.get(username="owner")
    market = Market(conf.endpoint())
    channels = {
        row.kind: row.channel_id
        for name in ("chosen", "waiting")
        for row in channels_of(Study.objects.get(name=name), market)
    }
    return {
        **found,
        **_payouts(owner, now),
        "member_link": invite_member(judged, "reviewer", by=owner, now=now).token,
        "link_channel": channels["link"],
        "list_channel": channels["list"],
        "prolific_channel": channels["prolific"],
        "study": str(Study.objects.get(name="demo").uuid),
        "assignment": of.market_id,
        "answered": Reply.objects.filter(submission__hit__study__name="judged")[0].submission.market_id,
        "worker": of.worker.pseudonym,
        "link": link,
        "batch": str(Batch.objects.get(name="moods").uuid),
        "entrance": first.rstrip("/").split("/")[-1],
    }


def _payouts(owner: User, now: datetime) -> dict[str, str]:
    """A closed study that owes two people and has a file out, and one that owes nobody."""
    for name in ("owing", "retained"):
        study = Study.objects.filter(name=name).first() or make(workers=3, hits=1, texts=2, name=name, mode="live")
        tag = f"{name}-1"
        Study.objects.filter(pk=study.pk).update(channel_tag=tag, status="closed")
        Membership.objects.get_or_create(study=study, user=owner, defaults={"role": "owner"})
        requester = Requester.objects.get(user__username="console-requester")
        if not Channel.objects.filter(study=tag).exists():
            way = owed.channel(requester, tag, now=now)
            known = ({"name": "Ann Lee", "email": "ann@example.org"}, {"external_id": "5f3e9a"}, {"name": "Bea"})
            people = [owed.person(way, now=now, **person) for person in known]
            task = owed.hit(requester, tag, now=now)
            for person in people if name == "owing" else ():
                owed.work(person, task, now=now)
    owing = Study.objects.get(name="owing")
    file = PayoutFile.objects.filter(key=str(owing.uuid)).first()
    if file is None:
        scope = Scope(requester, "owing-1")
        first = list_owed(scope)[0]
        options = {"people": 1, "amount_minor": first.amount_minor, "worker_ids": [first.worker_id]}
        file = create_file(scope, str(owing.uuid), currency="USD", by="owner", now=now, **options)
    return {
        "owing": str(owing.uuid),
        "retained": str(Study.objects.get(name="retained").uuid),
        "payout_file": file.file_id,
    }


def _with_texts(name: str, preset: Preset, *, mode: str, **changes: Any) -> Study:
    """A draft by a preset, with headlines of the rehearsal's world in it."""
    world, now = World.load(), timezone.now()
    plan = Plan(**{**preset.settings, "noun": "headline", **changes})
    study = create(name, mode=mode, plan=plan, wording=preset.wording, actor="owner", now=now)
    written = script.texts(world, Design(references=TEXTS, generated=TEXTS, temperatures=(1.0,)), seed=5)
    add_texts(study, written, actor="owner", now=now)
    return study


def _laid_out(name: str, preset: Preset) -> Study:
    small = HUSE_SMALL if preset is HUSE else {"evaluators_per_cell": 12, "question": "Do trainings help?"}
    study = _with_texts(name, preset, mode="live", **small)
    now = timezone.now()
    if len(preset.arms) > 1:
        arrange(study, preset.arms, [CellPlan(one.training) for one in preset.arms], actor="owner", now=now)
    design(study, actor="owner", now=now)
    return study


def _underway(name: str) -> Study:
    """Published to the marketplace that is served; three people came, one HIT is decided, one effect is left."""
    study = _with_texts(name, HUSE, mode="rehearsal", **HUSE_SMALL)
    design(study, actor="owner", now=timezone.now())
    publish(study, actor="owner", now=timezone.now())
    market = Market(conf.endpoint())
    work(Q(study=study), market=market, clock=timezone.now)
    offers = [f"{settings.WORKER_ORIGIN}/hits/{hit.market_id}/" for hit in study.hits.order_by("slot")]
    people = [Member(script.sign_in_url(one, 1), Passer(one, 1)) for one in ("ada", "ben", "cem")]
    work_through([(one, offers[:3]) for one in people])
    gather(study)
    approve(study, Submission.objects.filter(hit__study=study, hit__slot=0), actor=None, now=timezone.now())
    work(Q(study=study), market=market, clock=timezone.now)
    return study


def gather(study: Study) -> None:
    """Collect, read and measure what was handed in."""
    collect(study, market=Market(conf.endpoint()), now=timezone.now())
    read(study, now=timezone.now())
    assess(study, now=timezone.now())


def _judged(owner: User, now: datetime) -> Study:
    """Work that waits for decisions, rules, and explanations that two people read."""
    judged = make(workers=8, hits=4, texts=10, reasons=True, now=now)
    assess(judged, now=now)
    stored = fix_rules(judged, "strict", [Rule("one_answer")], actor=owner, now=now)
    apply_rules(stored, actor=owner, now=now)
    fix_rules(judged, "stricter", [Rule("one_answer"), Rule("straight_lining")], actor=owner, now=now)
    purpose = Codebook.Purpose.COMMENTS
    book = edit_codebook(judged, purpose, DEFAULTS[purpose], actor=owner, now=now)
    names = book_of(DEFAULTS[purpose]).codes
    hit = judged.hits.order_by("slot")[0]
    told = "InsufficientFunds: the account holds $0.40."
    Intent.objects.create(study=judged, kind="add_places", key="pictured", subject=hit.pk, state="failed", outcome=told)
    Hit.objects.filter(study=judged).update(collected=Submission.objects.filter(hit=hit).count())
    second = User.objects.get_or_create(username="ben")[0]
    for at, remark in enumerate(Remark.objects.filter(presentation__submission__hit__study=judged).order_by("pk")[:12]):
        code(remark, book, [names[at % 3]], coder=owner, now=now)
        code(remark, book, [names[at % 3 if at % 5 else 3]], coder=second, now=now)
    _answered(judged, owner, second, now)
    scored(judged, now)
    return judged


def scored(study: Study, now: datetime) -> None:
    """A table of scores that another program computed, attached."""
    rows = "".join(f"{key},{at % 7 / 7:.3f}\n" for at, key in enumerate(study.texts.values_list("key", flat=True)))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "detector-of-another-laboratory-2026.csv"
        path.write_text(f"id,machine\n{rows}")
        attach(study, path, model="detector-large", version="2.1", actor="owner", now=now)


def _answered(judged: Study, owner: User, second: User, now: datetime) -> None:
    """Two rejections of which the marketplace was told, and what the workers answered."""
    for one in Submission.objects.filter(hit__study=judged).order_by("-pk")[:2]:
        reject.propose_rejection(judged, one, reason="One label was given for all of the texts.", actor=second, now=now)
        reject.confirm_rejection(judged, one, actor=owner, now=now, window=timedelta(0), beyond_guard=True)
        Intent.objects.filter(study=judged, kind="reject", subject=one.pk).update(state="done", outcome="reject")
        Reply.objects.create(submission=one, body=WORDS, at=now)


def _large(now: datetime) -> Study:
    large = create("large", mode="live", plan=Plan(noun="headline"), actor="owner", now=now)
    words = "The council votes on the harbour, the bridge and the old station again, number {}"
    texts = (Text(study=large, key=f"r{at:05d}", body=words.format(at), source="reference") for at in range(10_000))
    Text.objects.bulk_create(texts, batch_size=1_000)
    return large


def _looked_at(looked: list[Study], judged: Study, owner: User, now: datetime) -> None:
    """Results that somebody decided to see, what exclusions do to them, a comparison, and links to it all."""
    for one in (*looked, judged):
        unblind(one, actor="owner", now=now)
        jobs.ask("report", by=owner, now=now, study=one)
    jobs.ask("exclusions", by=owner, now=now, study=judged)
    jobs.ask("comparison", by=owner, now=now, settings={"studies": [str(one.uuid) for one in looked[:2]], "seed": 0})
    run_due()
    for kind in ("report", "comparison"):
        job = Job.objects.filter(kind=kind, state="done").order_by("pk")[0]
        for at, end in enumerate((None, now + timedelta(days=30), None)):
            made = share(job, by=owner, now=now + timedelta(minutes=at), ends_at=end)
            if at == 0:
                revoke(made.link, by=owner, now=now + timedelta(hours=1))


def _long_work(owner: User, now: datetime) -> None:
    """Checks that ended, a job that failed, one under way, and one that nothing takes up."""
    draft, chosen = (Study.objects.get(name=name) for name in ("draft", "chosen"))
    sound = "id,text,source\n" + "".join(f"n{at},A new headline about harbour {at},reference\n" for at in range(30))
    for study, content in ((draft, BROKEN), (chosen, sound)):
        path = settings.VAR / f"{study.name}.csv"
        path.write_text(content, encoding="utf-8")
        jobs.ask("check_texts", by=owner, now=now, study=study, settings={"path": str(path)})
    run_due()
    for study, name, content in ((chosen, "wide.csv", WIDE), (None, "ratings.csv", RATED)):
        path = settings.VAR / name
        path.write_text(content, encoding="utf-8")
        request = {"path": str(path)} | ({} if study else {"name": "rated", "of": "ratings"})
        look_now(by=owner, study=study, settings=request, now=now)
    _text_measures(owner, now)
    Job.objects.create(
        study=draft, kind="report", state="failed", created_at=now, finished_at=now, asked_by=owner,
        problem="The study draft cannot be scored: it has no ratings.",
    )  # fmt: skip


def _text_measures(owner: User, now: datetime) -> None:
    """Near-negative tests that two models took, and human-likelihood of the judged study's texts."""
    path, other = settings.VAR / "questions.jsonl", settings.VAR / "another-model.csv"
    kinds = (("No error", "What did the town build in {}?"), ("disfluent", "What town what build {}?"))
    kinds = (*kinds, ("off_target", "Who is mayor {}?"))
    rows = [
        {
            "group_id": at,
            "answer_span": "the harbour",
            "context": f"In {1900 + at} the town built the harbour.",
            "questions": [{"question": text.format(1900 + at), "reason": reason} for reason, text in kinds],
        }
        for at in range(30)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    better = [(f"{at}/{place}", -20 - 9 * (place * at % 3)) for at in range(30) for place in range(3)]
    other.write_text("id,log_prob,tokens\n" + "".join(f"{name},{p},10\n" for name, p in better), encoding="utf-8")
    request = {"format": "quiz-design", "files": [str(path)]}
    built = jobs.ask("nnd_tests", by=owner, now=now, settings=request)
    run_due()
    request = {"tests": str(built.uuid), "models": [TINY], "scores": [str(other)], "start": "auto", "ties": "fail"}
    jobs.ask("nnd_run", by=owner, now=now, settings=request)
    jobs.ask("h_score", by=owner, now=now, study=Study.objects.get(name="judged"), settings={"model": TINY})
    run_due()


def _recruited(now: datetime) -> None:
    """A link to a study that is laid out, and a list of three people for one that is not."""
    market = Market(conf.endpoint())
    by: dict[str, Any] = {"market": market, "actor": "owner", "now": now}
    texts = {"consent": "Ada Lovelace asks you to take part. It takes about 5 minutes.\n\nQuestions: ada@example.org"}
    paid = ChannelSettings(pays="voucher", pay_words="a voucher of 5 euros by email", places=48, **texts)
    open_channel(Study.objects.get(name="waiting"), ChannelPlan("link", settings=paid), **by)
    chosen = Study.objects.get(name="chosen")
    unpaid = ChannelSettings(pays="volunteer", debrief="Half of the headlines were written by a program.", **texts)
    people = open_channel(chosen, ChannelPlan("list", settings=unpaid), **by)
    guests = [
        GuestRecord(f"{name}@example.org".lower(), "", name, row) for row, name in enumerate(("Kim", "Lee", "Ann"), 2)
    ]
    invite_people(chosen, people.channel_id, guests, **by)
    _drafted_on_prolific(chosen, by)


def _drafted_on_prolific(study: Study, by: dict[str, Any]) -> None:
    """A draft on the stand-in for Prolific."""
    account = prolific.connect_account(by["market"], TOKEN)
    workspace = account.workspaces[0]
    project = workspace.projects[0].project_id
    prolific.choose_project(by["market"], workspace_id=workspace.workspace_id, project_id=project)
    texts = ChannelSettings(consent="Ada Lovelace asks you to take part. Questions: ada@example.org")
    channel = open_channel(study, ChannelPlan("prolific", settings=texts), **by).channel_id
    chosen = (
        prolific.ChosenFilter("age", lower=18, upper=60),
        prolific.ChosenFilter("current-country-of-residence", ("0", "1")),
    )
    words = "You read twelve headlines and say of each how natural it is. It takes about 5 minutes."
    draft = prolific.ProlificDraft(
        description=words, minutes=5, reward_minor=100, highest_reward_minor=150, places=48, filters=chosen
    )
    set_draft(study, channel, draft, **by)


def refresh(owner: User) -> None:
    """What hangs on the address that is served, and on the time: a check, work under way, work that nobody takes."""
    planned, waiting, now = Study.objects.get(name="planned"), Study.objects.get(name="waiting"), timezone.now()
    Job.objects.filter(state__in=["waiting", "running"]).delete()
    jobs.ask("preflight", by=owner, now=now, study=planned, settings=_state(planned))
    run_due()
    jobs.ask("preflight", by=owner, now=now - timedelta(minutes=5), study=waiting, settings=_state(waiting))
    Job.objects.create(
        study=Study.objects.get(name="demo"), kind="report", state="running", created_at=now, beat_at=now, attempts=1,
        asked_by=owner, step="t=0.9: intervals", done=37, of=100,
    )  # fmt: skip


def _state(study: Study) -> dict[str, str]:
    return prechecked.state_of(study, endpoint=conf.endpoint().url)
