"""What must hold of the arrivals, and of the log of the draws when every line is replayed."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from scipy import stats

from annotation.marketplace.models import Assignment, DrawEvent, Hit, Requester, StudyDraw
from tests.benchmarks.arrivals.people import STUDY, Arrivals, Plan

SMALLEST_P = 0.001


@dataclass(frozen=True)
class Finding:
    """One thing that must hold: in words, what was seen, and whether it holds."""

    rule: str
    seen: str
    holds: bool


def findings(arrivals: Arrivals, plan: Plan, requester: Requester, *, equal: bool) -> list[Finding]:
    """Everything that is checked. equal: every cell has the same drop-out."""
    draw = StudyDraw.objects.get(requester=requester, study=STUDY)
    events = list(DrawEvent.objects.filter(study_draw=draw).order_by("number"))
    p_seen = tie_p(((len(allowed), allowed.index(cell)) for _, allowed, cell in arrivals.drawn if cell in allowed))
    p_log = tie_p((len(event.tied), event.tied.index(event.cell)) for event in events if event.kind == "drawn")
    faults = replay(events, draw.seed)
    found = [
        _none("arrivals put into a cell that was not among the least filled", arrivals.misplaced),
        _none("people who came back to another cell", arrivals.moved),
        _none("moments at which a cell held more people than places", arrivals.over),
        Finding("ties are uniform, by who came", f"p = {p_seen:.3f}", p_seen > SMALLEST_P),
        Finding("ties are uniform, by the log", f"p = {p_log:.3f}", p_log > SMALLEST_P),
        _none("lines of the log that do not replay", faults),
        Finding(
            "every cell has its planned number of finished people",
            ", ".join(f"{cell} {number}" for cell, number in arrivals.finished.items()),
            set(arrivals.finished.values()) == {plan.places} and set(_submitted(requester).values()) == {plan.places},
        ),
    ]
    if equal:
        p = independence_p([cell for _, _, cell in arrivals.drawn])
        found.append(Finding("arrival number and cell are independent", f"p = {p:.3f}", p > SMALLEST_P))
    return found


def _none(rule: str, faults: Sequence[str]) -> Finding:
    return Finding(f"0 {rule}", f"{len(faults)}{f', first: {faults[0]}' if faults else ''}", not faults)


def _submitted(requester: Requester) -> Counter[str]:
    """Submitted assignments by cell, of the marketplace's own rows."""
    cells = dict(Hit.objects.filter(requester=requester).values_list("pk", "hit_type__cell"))
    rows = Assignment.objects.filter(hit__requester=requester, submitted_at__isnull=False)
    return Counter(cells[hit] for hit in rows.values_list("hit_id", flat=True))


def tie_p(ties: Iterable[tuple[int, int]]) -> float:
    """Chi-square over all sizes of a tie: that each of its places was chosen as often. (size, place chosen)."""
    chosen: dict[int, Counter[int]] = defaultdict(Counter)
    for size, place in ties:
        chosen[size][place] += 1
    statistic, freedom = 0.0, 0
    for size, places in chosen.items():
        expected = places.total() / size
        if size > 1 and expected >= 5:
            statistic += sum((places[place] - expected) ** 2 / expected for place in range(size))
            freedom += size - 1
    return float(stats.chi2.sf(statistic, freedom)) if freedom else 0.0


def independence_p(cells: Sequence[str]) -> float:
    """Kruskal-Wallis: whether the arrival numbers of some cell are higher than those of another."""
    numbers: dict[str, list[int]] = defaultdict(list)
    for number, cell in enumerate(cells):
        numbers[cell].append(number)
    return float(stats.kruskal(*numbers.values()).pvalue)


def replay(events: Sequence[DrawEvent], seed: str) -> list[str]:
    """Lines of the log whose counts do not follow from the lines before, or whose cell is not the one they lead to."""
    faults, counts, inside = [], Counter[str](), set[int]()
    steps: Mapping[str, Callable[[DrawEvent], str]] = {
        "drawn": lambda event: _drawn_wrongly(event, counts, seed),
        "left": lambda event: "" if event.worker_id in inside else "leaves and was not inside",
        "came back": lambda event: "comes back and had not left" if event.worker_id in inside else "",
    }
    for expected, event in enumerate(events, 1):
        fault = steps[event.kind](event)
        if {cell: count for cell, count in counts.items() if count} != event.counts:
            fault = fault or f"saw {event.counts}, not {dict(counts)}"
        if event.number != expected:
            fault = fault or f"has the number {event.number}"
        if fault:
            faults.append(f"line {expected} {fault}")
        counts[event.cell] += -1 if event.kind == "left" else 1
        (inside.discard if event.kind == "left" else inside.add)(event.worker_id)
    return faults


def _drawn_wrongly(event: DrawEvent, counts: Counter[str], seed: str) -> str:
    least = min(counts[cell] for cell in event.eligible)
    tied = sorted(cell for cell in event.eligible if counts[cell] == least)
    number = random.Random(f"{seed}:{STUDY}:{event.number}").random()
    if tied != event.tied:
        return f"was tied between {event.tied}, not {tied}"
    if number != event.random_number:
        return "has another random number"
    return "" if tied[int(number * len(tied))] == event.cell else f"fell on {event.cell}"
