"""The steps of a rehearsal on the stub of Prolific: a whole study, by the verbs that a real one uses."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any

from django.core.management import call_command
from django.utils import timezone

from annotation import ledger
from annotation import settings as conf
from annotation.accounts.models import User
from annotation.design.lay_out import design
from annotation.exceptions import StateError
from annotation.importing.add_texts import add_texts
from annotation.models import Study, Submission
from annotation.mturk import prolific
from annotation.mturk.client import Market
from annotation.mturk.prolific import ProlificDraft, ProlificStudyRecord
from annotation.publishing.publish import publish
from annotation.readers.records import TextRecord
from annotation.recruiting import publish_prolific as deeds
from annotation.recruiting.open_channel import ChannelPlan, open_channel
from annotation.rehearsal.prolific_people import FATES, PanelCrowd
from annotation.rehearsal.prolific_stub.controls import Controls
from annotation.review import reject
from annotation.review.approve import approve
from annotation.review.prolific_work import ask_to_return, category_for
from annotation.studies.create import Plan, create

REWARD = 100
# How long the rehearsal waits for what the work loop does.
PATIENCE = 120.0
REASON = (
    "The code that you entered is not a code of this study. We asked you to return the submission, and you did not. "
    "Please write to us if you think that this is a mistake."
)


@dataclass
class ProlificRehearsal:
    """A study on the stub. `say`: told each step."""

    stub: Controls
    name: str
    people: int
    seed: int
    say: Callable[[str], object]

    def run(self) -> list[tuple[str, int, int]]:
        """The whole study; each sum as the study's books have it, and as the stub has it."""
        self.market = Market(conf.endpoint())
        self._prepare()
        crowd = PanelCrowd(self.stub, self.seed, self.say)
        came = self._people_come(crowd)
        self.say(f"People came: {', '.join(f'{number} {fate}' for fate, number in came.items())}")
        self._decide()
        self.say("Stopping recruitment and booking the fees")
        deeds.change_recruitment(self.study, self.channel, "stop", **self._by("olga"))
        self._until("recruitment has ended", lambda known: known.status == prolific.COMPLETED and not known.waiting)
        deeds.settle_costs(self.study, self.channel, **self._by("olga"))
        return self._compare()

    def _by(self, actor: str) -> dict[str, Any]:
        return {"market": self.market, "actor": actor, "now": timezone.now()}

    def _prepare(self) -> None:
        self.say("Connecting the account and drafting the study")
        account = prolific.connect_account(self.market, self.stub.token)
        workspace = account.workspaces[0]
        chosen = {"workspace_id": workspace.workspace_id, "project_id": workspace.projects[0].project_id}
        prolific.choose_project(self.market, **chosen)
        now = timezone.now()
        plan = Plan(noun="sentence", raters_per_text=self.people, texts_per_hit=4, reward_cents=REWARD)
        self.study = create(self.name, mode=Study.Mode.LIVE, plan=plan, actor="olga", now=now)
        texts = [TextRecord(f"r{number}", f"A person wrote sentence {number}.", "reference") for number in (1, 2)]
        texts += [TextRecord(f"m{n}", f"A model wrote sentence {n}.", "model", generator="m") for n in (1, 2)]
        add_texts(self.study, texts, actor="olga", now=now)
        design(self.study, actor="olga", now=now)
        self.channel = open_channel(self.study, ChannelPlan("prolific"), **self._by("olga")).channel_id
        draft = ProlificDraft(
            description="You rate four sentences.", minutes=5, reward_minor=REWARD, places=self.people
        )
        deeds.set_draft(self.study, self.channel, draft, **self._by("olga"))
        publish(self.study, actor="olga", now=timezone.now())
        quote = deeds.quote_on_prolific(self.study, self.channel, self.market)
        self.say(
            f"Publishing for {quote.total_minor / 100:.2f} {quote.currency}, of it {quote.fees_minor / 100:.2f} fees"
        )
        deeds.publish_on_prolific(self.study, self.channel, total_minor=quote.total_minor, **self._by("olga"))
        self._until("the study is published", lambda known: known.status == prolific.ACTIVE)

    def _people_come(self, crowd: PanelCrowd) -> Counter[str]:
        """People come until every place is taken by somebody who finished; places that are left come back."""
        came: Counter[str] = Counter()
        until = time.monotonic() + PATIENCE
        while len(self._works()) < self.people or sum(came.values()) < len(FATES):
            if time.monotonic() > until:
                raise StateError(f"Places stayed empty: {dict(came)}.")
            came += crowd.come()
            self._pass()
        # Who closed the tab is completed from the researcher's side after some minutes.
        self._until("everybody has ended", lambda known: not known.counts.get("ACTIVE"), seconds=4 * PATIENCE)
        return came

    def _works(self) -> list[Submission]:
        """Work of people who did not return it."""
        left = {key for row in self._rows() if row.has_left for key in row.assignment_ids}
        works = Submission.objects.filter(hit__study=self.study).exclude(market_id__in=left)
        return list(works.order_by("pk"))

    def _rows(self) -> list[prolific.ProlificSubmissionRecord]:
        return prolific.list_submissions(self.market, self.channel)

    def _decide(self) -> None:
        """Who entered a wrong code is asked to return, then rejected by two people; all others are approved."""
        self.say("Deciding: one rejection by two people, all others approved")
        wrong = {key for row in self._rows() if row.path == "unknown code" for key in row.assignment_ids}
        works = Submission.objects.filter(hit__study=self.study)
        first, second = (User.objects.get_or_create(username=f"rehearsal-{name}")[0] for name in ("ada", "ben"))
        for submission in works.filter(market_id__in=wrong):
            ask_to_return(self.study, submission, reason="The code is not of this study.", **self._by("olga"))
            category = category_for(self.study, submission, self.market, "BAD_CODE")
            reject.propose_rejection(
                self.study, submission, reason=REASON, category=category, actor=first, now=timezone.now()
            )
            confirm = partial(reject.confirm_rejection, beyond_guard=True, window=timedelta(0))
            confirm(self.study, submission, actor=second, now=timezone.now())
        approve(self.study, works.exclude(market_id__in=wrong), actor=first, now=timezone.now())
        self._until("all is decided on Prolific", lambda known: not known.counts.get("AWAITING REVIEW"))

    def _pass(self) -> None:
        call_command("work", "--study", self.name, "--only", "market", "--collect", verbosity=0, stdout=_Silent())

    def _until(self, what: str, happened: Callable[[ProlificStudyRecord], bool], seconds: float = PATIENCE) -> None:
        until = time.monotonic() + seconds
        while True:
            self._pass()
            open_intents = self.study.intents.filter(state__in=["waiting", "taken"]).exists()
            if not open_intents and happened(prolific.get_study(self.market, self.channel)):
                return
            if time.monotonic() > until:
                raise StateError(f"After {seconds:.0f} seconds still waiting until {what}.")
            time.sleep(0.2)

    def _compare(self) -> list[tuple[str, int, int]]:
        known = prolific.get_study(self.market, self.channel)
        there = self.stub.read_facts()["studies"][-1]
        rewards, bonuses = there["paid_rewards"], there["paid_bonuses"]
        fees = sum(part[name] for part in (rewards, bonuses) for name in ("fees", "vat"))
        return [
            ("rewards", known.paid_minor, rewards["amount"]),
            ("bonuses", known.bonus_paid_minor, bonuses["amount"]),
            ("fees and tax", known.fees_minor, fees),
            ("spent by the study", ledger.sums(self.study).spent, rewards["amount"] + bonuses["amount"] + fees),
        ]


class _Silent:
    """Takes what a command prints."""

    def write(self, text: str) -> int:
        return len(text)

    def flush(self) -> None:
        return None
