"""The steps of a rehearsal: the whole main job on a simulated crowd, each step by the verbs that a real study uses."""

from __future__ import annotations

import base64
import hashlib
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from django.core.management import call_command

from annotation.exceptions import DesignError
from annotation.pricing.currency import DEFAULT_CURRENCY, check_currency, example, parse_amount, plain_amount
from annotation.readers.records import TextRecord
from annotation.rehearsal.crowd.browser import Answer, Browser, Sheet
from annotation.rehearsal.crowd.crowd import Day, Member, sheets_on_offer, work_through
from annotation.rehearsal.world import World
from annotation.rehearsal.world.raters import RaterProfile, draw_crowd
from annotation.rehearsal.world.study import Design, allot_raters
from annotation.studies.create import Plan
from metrics.likelihood import Decoding

# A rater of the crowd meets the recruitment rules of the preset.
QUALIFICATIONS: dict[str, Any] = {"approved": 500, "percent": 99, "locale": "US"}
# Simulated reading: seconds a text, log-normal; spammers do not read.
READING_SECONDS, READING_SPREAD, SPAM_SECONDS = 22.0, 0.4, 1.5


def pay_in(currency: str, reward: str | None) -> tuple[str, int]:
    """Currency and reward of a task in its minor units. Raises DesignError: unknown, or no amount of the currency."""
    code = check_currency(currency)
    if reward is None and code != DEFAULT_CURRENCY:
        raise DesignError(f"State the reward in {code}, such as --reward {example(code)}: no amount is converted.")
    return code, parse_amount(reward or "1.00", code)


def plan(design: Design, *, seed: int, pay: tuple[str, int] = (DEFAULT_CURRENCY, 100)) -> Plan:
    """Return the study's settings: HUSE's preset at the size of `design`. pay: currency, and reward per task."""
    currency, reward_cents = pay
    return Plan(
        currency=currency,
        reward_cents=reward_cents,
        question="How typical is each headline?",
        noun="headline",
        seed=seed,
        raters_per_text=design.ratings,
        texts_per_hit=design.texts_per_hit,
        minimum_approved_hits=50,
        minimum_percent_approved=95,
        country="US",
    )


def generator_name(temperature: float) -> str:
    return f"t={temperature:.1f}"


def texts(world: World, design: Design, *, seed: int) -> list[TextRecord]:
    """References and the headlines of each temperature; the study's own scoring gives them their log p."""
    rng = np.random.default_rng(seed)
    references = world.sample_references(design.references, rng)
    records = [TextRecord(id=f"ref-{i:03d}", body=body, source="reference") for i, body in enumerate(references)]
    for t in design.temperatures:
        records += [
            TextRecord(
                id=f"{generator_name(t)}-{i:03d}",
                body=body,
                source="model",
                generator=generator_name(t),
                decoding=str(Decoding(t)),
            )
            for i, body in enumerate(world.sample_model(design.generated, t, rng))
        ]
    return records


def requester(name: str, *, balance: int, currency: str) -> dict[str, str]:
    """An access key of a marketplace account with that balance, in minor units of the currency."""
    key: dict[str, str] = _json_of("requester", name, "--balance", f"{plain_amount(balance, currency)} {currency}")
    return key


@dataclass(frozen=True, slots=True)
class Mind:
    """How one simulated person answers a form: by the world's rules, with dice that hang on rater and headline."""

    world: World
    rater: RaterProfile
    seed: int

    def __call__(self, sheet: Sheet) -> list[Answer]:
        bodies = [field.text for field in sheet.fields]
        labels = self.world.labels(bodies, self.rater, self.seed)
        rng = np.random.default_rng(number(self.seed, self.rater.id, *bodies))
        seconds = READING_SECONDS * np.exp(READING_SPREAD * rng.standard_normal(len(bodies)))
        if self.rater.spam:
            seconds = np.full(len(bodies), SPAM_SECONDS)
        return [Answer(label, round(1000 * float(s))) for label, s in zip(labels, seconds, strict=True)]


def crowd(world: World, design: Design, *, seed: int) -> list[Member]:
    """Workers' accounts on the marketplace, each with a mind of its own."""
    people = draw_crowd(design.crowd, design.spam_share, np.random.default_rng([seed, 1]))
    return [Member(sign_in_url(f"{rater.id}", seed), Mind(world, rater, seed)) for rater in people]


def rate(
    members: Sequence[Member], design: Design, *, seed: int, progress: Callable[[int], object] | None = None
) -> Day:
    """Let the crowd find the HITs on offer and do them; who does which is drawn by `seed` and what the HITs hold."""
    with Browser(sign_in_url("scout", seed)) as scout:
        sheets = sheets_on_offer(scout)
    offers = sorted(sheets, key=lambda offer: number(seed, *(field.text for field in sheets[offer].fields)))
    turns = allot_raters(len(offers), len(members), design.ratings, np.random.default_rng([seed, 2]))
    places = [
        (member, [offer for offer, raters in zip(offers, turns, strict=True) if number in raters])
        for number, member in enumerate(members)
    ]
    return work_through(places, progress=progress)


def sign_in_url(name: str, seed: int, *, approved: int = 0) -> str:
    """Where a simulated person signs in. approved: HITs approved before, where that is more than usual."""
    worker_id = "A" + base64.b32encode(hashlib.sha256(f"{seed}:{name}".encode()).digest()).decode()[:13]
    record = {**QUALIFICATIONS, "approved": max(QUALIFICATIONS["approved"], approved)}
    options = [word for key, value in record.items() for word in (f"--{key}", str(value))]
    return str(_json_of("worker", f"{name}-{seed}", "--worker-id", worker_id, *options)["sign_in_url"])


def _json_of(command: str, *words: str) -> dict[str, str]:
    out = io.StringIO()
    call_command(command, *words, "--json", stdout=out)
    answer: dict[str, str] = json.loads(out.getvalue())
    return answer


def number(*parts: object) -> int:
    return int.from_bytes(hashlib.sha256("\0".join(map(str, parts)).encode()).digest()[:8], "big")


def stamped(now: datetime) -> str:
    """A study name of its own for each rehearsal in one database."""
    return f"rehearsal-{now:%Y%m%d-%H%M%S}"
