"""The rehearsal of `clark-2021`: fifteen cells, and an evaluator for every place, each of whom takes part once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from annotation.design.presets import CLARK, CellPlan, clark_cells
from annotation.design.wording import Practice, PracticePair, Wording
from annotation.readers.records import TextRecord
from annotation.rehearsal import script
from annotation.rehearsal.crowd.browser import Browser, RefusedError
from annotation.rehearsal.crowd.crowd import Day, Member, sheets_on_offer, work_through
from annotation.rehearsal.judges import Judge
from annotation.rehearsal.world import World
from annotation.studies.create import Plan

DOMAINS = ("stories", "news", "recipes")
TEMPERATURES = (0.7, 1.0)  # trained evaluators meet the last one
MARGIN = 5  # percentage points
ROUNDS = 3


@dataclass(frozen=True, slots=True)
class Size:
    """texts: of each source in a domain; evaluators: in each cell."""

    texts: int = 50
    evaluators: int = 130


def plan(size: Size, *, seed: int) -> Plan:
    """The preset at this size, with a margin for tests of equivalence. The simulated crowd meets its rules."""
    settings = {**CLARK.settings, "evaluators_per_cell": size.evaluators, "minimum_approved_hits": 100}
    settings["margin_points"] = MARGIN
    return Plan(question="Who wrote this headline?", noun="headline", seed=seed, **settings)  # type: ignore[arg-type]


def wording(world: World, *, seed: int) -> Wording:
    """The preset's words, with practice texts from the world (whose sources are known)."""
    rng = np.random.default_rng([seed, 7])
    people, machine = world.sample_references(2 * ROUNDS, rng), world.sample_model(2 * ROUNDS, TEMPERATURES[-1], rng)
    examples = [
        Practice(people[i], "human", "A whole thought that a newspaper could print.")
        if i % 2
        else Practice(machine[i], "machine", "The words follow each other, but do not add up to news.")
        for i in range(ROUNDS)
    ]
    pairs = [
        PracticePair(people[ROUNDS + i], machine[ROUNDS + i], "One of them says something that could have happened.")
        for i in range(ROUNDS)
    ]
    training = replace(CLARK.wording.training, examples=tuple(examples), comparison=tuple(pairs))
    return replace(CLARK.wording, noun="headline", nouns="headlines", training=training)


def cells() -> list[CellPlan]:
    return clark_cells(DOMAINS, tuple(script.generator_name(t) for t in TEMPERATURES))


def texts(world: World, size: Size, *, seed: int) -> list[TextRecord]:
    """References and headlines of both temperatures for each domain (the world has one grammar for all of them)."""
    rng = np.random.default_rng(seed)
    records = []
    for domain in DOMAINS:
        for i, body in enumerate(world.sample_references(size.texts, rng)):
            records.append(TextRecord(id=f"{domain}-ref-{i:03d}", body=body, source="reference", domain=domain))
        for t in TEMPERATURES:
            name = script.generator_name(t)
            records += [
                TextRecord(
                    id=f"{domain}-{name}-{i:03d}",
                    body=body,
                    source="model",
                    generator=name,
                    decoding=f"sampling, {name}",
                    domain=domain,
                )
                for i, body in enumerate(world.sample_model(size.texts, t, rng))
            ]
    return records


def evaluators(world: World, places: int, *, seed: int) -> list[Member]:
    """A worker for every place."""
    names = [f"evaluator-{i + 1:05d}" for i in range(places)]
    return [Member(script.sign_in_url(name, seed), Judge(world, name, seed)) for name in names]


def offers(*, seed: int) -> list[str]:
    """Addresses of the HITs on offer, in an order that hangs on what they hold."""
    with Browser(script.sign_in_url("scout", seed)) as scout:
        sheets = sheets_on_offer(scout)
    return sorted(sheets, key=lambda offer: script.number(seed, *(field.text for field in sheets[offer].fields)))


def take_part(
    members: Sequence[Member], offers: Sequence[str], *, progress: Callable[[int], object] | None = None
) -> Day:
    """Each member takes one HIT; one who meets a full HIT goes on to the next."""
    return work_through(
        [(member, _offers(offers, i)) for i, member in enumerate(members)], max_hits=1, progress=progress
    )


def _offers(offers: Sequence[str], number: int) -> list[str]:
    """All HITs, beginning with one that is the next in turn."""
    first = number % len(offers)
    return [*offers[first:], *offers[:first]]


def tries_again(name: str, offers: Sequence[str], *, seed: int) -> str:
    """Return what an evaluator who has taken part reads on another HIT, before starting; "" if nothing stops them."""
    with Browser(script.sign_in_url(name, seed)) as browser:
        try:
            browser.accept(offers[0])
        except RefusedError as refusal:
            return str(refusal)
    return ""
