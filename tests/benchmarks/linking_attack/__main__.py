"""Link the raters of two simulated releases by their habits: `python -m tests.benchmarks.linking_attack`.

The same 30 people take part in two studies. Each has habits that last: an hour of the day, a pace, a place in the
order of arrival, a length of comments. The attacker has both snapshots, knows that the people are the same, measures
every habit that the snapshot shows, and assigns the people of one to those of the other with the smallest total
distance. Chance is 1 in 30. Where people do not share, only those of both releases can be linked, and chance is 1 in
the number of raters of the larger release. As a control the same attack runs on the studies' own snapshots, where
pseudonyms were drawn anew but times, seconds, order and comments stayed.
"""

from __future__ import annotations

import argparse
import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import numpy as np
from scipy.optimize import linear_sum_assignment

from metrics.report.records import RatingRow, ReportInput, TextRow
from metrics.report.release.public import ReleaseChoices, make_public
from metrics.report.row_records import AssignmentRow, CommentRow
from metrics.report.snapshot import Header, Snapshot, content_of, sha256_of
from tests.metrics.report.samples import STUDY

PAGE = Path(__file__).resolve().parents[3] / "docs" / "linking.md"
PEOPLE, TASKS, TEXTS = 30, 3, 4
# Of 10 people how many do not share, on average, drawn for each release.
NOT_SHARING = 2
START = datetime(2026, 3, 2, tzinfo=UTC)
CHOICES = ReleaseChoices("CC-BY-4.0", "asked")


@dataclass(frozen=True)
class Habits:
    hour: float
    seconds: float
    order: float
    length: float


def people(random: Random) -> list[Habits]:
    return [
        Habits(random.uniform(6, 23), random.lognormvariate(5, 0.5), random.random(), random.lognormvariate(4, 0.6))
        for _ in range(PEOPLE)
    ]


def take_part(crowd: Sequence[Habits], random: Random) -> tuple[Snapshot, list[str]]:
    """A study's snapshot and the pseudonym of each person in it."""
    names = [f"w{random.getrandbits(64):016x}" for _ in crowd]
    texts = tuple(TextRow(f"t{i}", "reference", None, f"Text number {i}.") for i in range(TASKS * TEXTS))
    ratings, assignments, comments = [], [], []
    arrivals = sorted(range(len(crowd)), key=lambda i: crowd[i].order + random.gauss(0, 0.02))
    for i in arrivals:
        habits = crowd[i]
        for task in range(TASKS):
            hour = habits.hour + random.gauss(0, 0.5)
            seconds = max(1, round(habits.seconds * random.lognormvariate(0, 0.1)))
            at = START + timedelta(days=task, hours=hour)
            assignments.append(
                AssignmentRow(f"A{len(assignments):05d}", names[i], f"HIT {task}", submitted_at=at, seconds=seconds)
            )
            for j in range(TEXTS):
                text = texts[task * TEXTS + j].id
                ratings.append(RatingRow(text, names[i], "Typical", random.randint(0, 5), f"HIT {task}", j + 1))
            length = max(1, round(habits.length * random.lognormvariate(0, 0.1)))
            comments.append(CommentRow(text, names[i], "why", "x" * length))
    data = ReportInput(STUDY, (), texts, tuple(ratings), assignments=tuple(assignments), comments=tuple(comments))
    content = content_of(data)
    return Snapshot(Header("s", 1, START, "", "r", sha256_of(content)), content), names


def published(
    snapshot: Snapshot, names: list[str], random: Random, *, with_comments: bool, withheld: frozenset[str] = frozenset()
) -> tuple[ReportInput, list[str]]:
    """The public data, and each person's public pseudonym, "" where they do not share: the judge finds it by the
    answers, the attack does not."""
    data = snapshot.report_input
    chosen = (
        frozenset((row.text, row.rater, row.question) for row in data.comments if row.rater not in withheld)
        if with_comments
        else frozenset()
    )
    choices = replace(CHOICES, comments=chosen, withheld=withheld)
    public = make_public(snapshot, choices, number=1, now=START, random=random).snapshot.report_input
    answers = {name: _answers(data, name) for name in names}
    if len(set(answers.values())) < len(names):
        raise RuntimeError("two people answered alike: the judge cannot tell who is who")
    public_names = {_answers(public, row.rater): row.rater for row in public.ratings}
    return public, [public_names.get(answers[name], "") for name in names]


def _answers(data: ReportInput, rater: str) -> tuple[tuple[str, int], ...]:
    return tuple(sorted((row.text, int(row.value)) for row in data.ratings if row.rater == rater))


def features(data: ReportInput, raters: Sequence[str]) -> np.ndarray:
    """What the data show of each rater's habits; nan for what they do not show. Answers themselves are not used."""
    rows = []
    order = {rater: place for place, rater in enumerate(dict.fromkeys(row.rater for row in data.ratings))}
    first = {rater: place for place, rater in enumerate(dict.fromkeys(row.rater for row in data.assignments))}
    for rater in raters:
        mine = [row for row in data.assignments if row.rater == rater]
        hours = [row.submitted_at.hour + row.submitted_at.minute / 60 for row in mine if row.submitted_at]
        seconds = [math.log(row.seconds) for row in mine if row.seconds]
        lengths = [math.log(len(row.body)) for row in data.comments if row.rater == rater]
        means = [statistics.fmean(values) if values else math.nan for values in (hours, seconds, lengths)]
        rows.append([*means, order[rater], first[rater], len(lengths)])
    return np.array(rows, dtype=float)


def linked(first: ReportInput, second: ReportInput, pairs: Sequence[tuple[str, str]], random: Random) -> float:
    """The share of people in both whom the attack links rightly, above that of chance. The order is drawn."""
    one, two = [name for name, _ in pairs if name], [name for _, name in pairs if name]
    random.shuffle(one)
    random.shuffle(two)
    a, b = features(first, one), features(second, two)
    shown = ~(np.isnan(a).any(axis=0) | np.isnan(b).any(axis=0))
    a, b = a[:, shown], b[:, shown]
    scale = np.vstack([a, b]).std(axis=0)
    a, b = a[:, scale > 0] / scale[scale > 0], b[:, scale > 0] / scale[scale > 0]
    distances = ((a[:, None, :] - b[None, :, :]) ** 2).sum(axis=2)
    rows, columns = linear_sum_assignment(distances)
    guess = {one[i]: two[j] for i, j in zip(rows, columns, strict=True)}
    both = [(left, right) for left, right in pairs if left and right]
    return sum(guess.get(left) == right for left, right in both) / len(both) - 1 / max(len(one), len(two))


def simulate(seed: int) -> dict[str, float]:
    random = Random(seed)
    crowd = people(random)
    (first, names_1), (second, names_2) = take_part(crowd, random), take_part(crowd, random)
    pairs = list(zip(names_1, names_2, strict=True))
    results = {"the studies' own snapshots": linked(first.report_input, second.report_input, pairs, random)}
    for label, with_comments in (("public releases", False), ("public releases with every comment", True)):
        one, public_1 = published(first, names_1, random, with_comments=with_comments)
        two, public_2 = published(second, names_2, random, with_comments=with_comments)
        results[label] = linked(one, two, list(zip(public_1, public_2, strict=True)), random)
    withheld = [frozenset(name for name in names if random.random() < NOT_SHARING / 10) for names in (names_1, names_2)]
    one, public_1 = published(first, names_1, random, with_comments=True, withheld=withheld[0])
    two, public_2 = published(second, names_2, random, with_comments=True, withheld=withheld[1])
    results["the same, where people do not share"] = linked(
        one, two, list(zip(public_1, public_2, strict=True)), random
    )
    return results


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--simulations", type=int, default=100)
    number = arguments.parse_args().simulations
    runs = [simulate(seed) for seed in range(number)]
    lines = [
        "# Linking two public releases",
        "",
        "For those who release data: how well the raters of two releases of one installation can be linked.",
        f"{number} simulations of {PEOPLE} people who take part in two studies. The attack uses times, order, lengths",
        "and comments (`python -m tests.benchmarks.linking_attack`, which describes it). In the last row",
        f"{NOT_SHARING} of 10 people on average do not share, drawn for each release. Chance links {100 / PEOPLE:.2f}%",
        "of people, and more where some do not share.",
        "",
        "| attack on | linked above chance, in points | standard error |",
        "|---|---|---|",
    ]
    for label in runs[0]:
        shares = [100 * run[label] for run in runs]
        error = statistics.stdev(shares) / math.sqrt(number) if number > 1 else math.nan
        mean = statistics.fmean(shares)
        lines.append(f"| {label} | {mean:+.2f} | {error:.2f} |")
    lines += [
        "",
        "Not part of the attack: the answers themselves. A person who answers in an unusual way, or does an unusual",
        "number of tasks, can be recognized by that in any data that are worth sharing.",
    ]
    text = "\n".join(lines) + "\n"
    PAGE.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
