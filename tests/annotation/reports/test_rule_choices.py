"""Headline measures under rules that somebody ticks: the full computation of the ratings left, of random choices."""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from statistics import mean

import pytest

from annotation.reports.rule_choices import compute_choice, rules_to_choose, store_answers
from metrics.data.evaluator_judgments import check_judgments
from metrics.evaluators.accuracy import measure_accuracy
from metrics.huse.estimate import evaluate
from metrics.report.records import ReportInput, StudyFacts, TextRow
from metrics.report.row_records import AssignmentRow, RuleFacts
from metrics.report.sections.judgments import judgments as judgments_of
from tests.annotation.reports.test_headline_effects import rated
from tests.metrics.report.evaluators_study import evaluators
from tests.metrics.report.samples import study, with_assignments


def with_random_rules(given: ReportInput, rng: random.Random) -> ReportInput:
    """Four rules that exclude assignments at random, one of which stands alone, and one that excludes nothing."""
    pairs = sorted({(one.hit, one.rater) for one in given.ratings})
    rows = tuple(AssignmentRow(f"A{at:05d}", rater, hit) for at, (hit, rater) in enumerate(pairs, 1))
    rules = [
        RuleFacts(f"rule {at}", tuple(sorted(one.id for one in rng.sample(rows, len(rows) // part))), alone=at == 3)
        for at, part in enumerate((20, 10, 5, 3))
    ]
    return replace(with_assignments(given, rows), rules=(RuleFacts("idle", ()), *rules))


def left(given: ReportInput, names: set[str]) -> ReportInput:
    """The study with the ratings alone that these rules leave."""
    gone = {one for rule in given.rules or () if rule.name in names for one in rule.assignments}
    out = {(one.hit, one.rater) for one in given.assignments if one.id in gone}
    return replace(given, ratings=tuple(one for one in given.ratings if (one.hit, one.rater) not in out))


def compare(given: ReportInput, path: Path, rng: random.Random, by_hand) -> None:
    """Four choices of rules against the full computation of what each leaves, to 1e-12."""
    store_answers(given, path)
    names = [rule.name for rule in rules_to_choose(given)]
    for size in range(1, 5):
        chosen = sorted(rng.sample(range(4), size))
        rest = left(given, {names[at] for at in chosen})
        choice = compute_choice(path, chosen)
        assert choice.of - choice.submissions == len({(one.hit, one.rater) for one in rest.ratings})
        for at, known in ((1, by_hand(given)), (2, by_hand(rest))):
            told = {one.name: (one.before, one.after)[at - 1] for one in choice.measures}
            assert told == {name: pytest.approx(value, abs=1e-12) for name, value in known.items()}, chosen


def measures_of_huse(given: ReportInput) -> dict[str, float]:
    values = defaultdict(list)
    for rating in given.ratings:
        values[rating.text].append(Fraction(rating.value))
    told = {}
    for facts in given.generators:
        items = [replace(one, hj=Fraction(sum(values[one.id])) / len(values[one.id])) for one in facts.items]
        bare = all(one.log_prob is None for one in items)
        result = evaluate(items, ["exact"], draws=0, missing="quality_only")["exact"]
        measures = {"HUSE": result.huse, "HUSE-Q": result.huse_q, "HUSE-D": result.huse_d}
        told |= {f"{facts.name}: {name}": one.value for name, one in measures.items() if not bare or name == "HUSE-Q"}
    return told


@pytest.mark.parametrize("seed", range(3))
def test_huse_of_any_choice_is_that_of_the_ratings_it_leaves(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    given = with_random_rules(study({"t=1.0": (1.1, 0.1), "t=0.7": (0.2, 1.4)}, seed=seed, raters=12), rng)
    first, second = given.generators
    bare = replace(second, items=tuple(replace(one, log_prob=None) for one in second.items))
    compare(replace(given, generators=(first, bare)), tmp_path / "huse.npz", rng, measures_of_huse)


def test_accuracy_of_any_choice_is_that_of_the_judgments_it_leaves(tmp_path: Path) -> None:
    rng = random.Random(4)

    def by_hand(given: ReportInput) -> dict[str, float]:
        groups = defaultdict(list)
        for one in judgments_of(given, every=True):
            groups[f"{one.factors['training']}: accuracy"].append(one)
            groups["all judgments: accuracy"].append(one)
        return {
            name: measure_accuracy(check_judgments(group, repeats="keep")).accuracy.value
            for name, group in groups.items()
        }

    compare(with_random_rules(evaluators(), rng), tmp_path / "accuracy.npz", rng, by_hand)


def test_means_of_any_choice_are_those_of_the_texts_it_leaves(tmp_path: Path) -> None:
    """The mean over texts of the mean of each text's ratings; of two sources the difference."""
    rng = random.Random(5)
    texts = tuple(
        TextRow(f"{source}{n}", *(("model", "gpt") if source == "g" else ("reference", None)), "A text")
        for source in "ga"
        for n in range(6)
    )
    ratings = [replace(rated(rng.randrange(40), text.id, rng.randrange(1, 6)), hit=text.id[1:]) for text in texts * 20]
    facts = StudyFacts("s", "task", "q", "text", (), "", "live", answers=(("c", "ordinal"),))
    given = ReportInput(study=facts, generators=(), texts=texts, ratings=tuple(ratings))

    def by_hand(given: ReportInput) -> dict[str, float]:
        values = defaultdict(list)
        for rating in given.ratings:
            values[rating.text].append(float(rating.value))
        sides = [mean(mean(own) for text, own in values.items() if text[0] == side) for side in "ga"]
        return {"c, gpt less references": sides[0] - sides[1]}

    compare(with_random_rules(given, rng), tmp_path / "means.npz", rng, by_hand)


def test_shares_of_any_choice_are_those_of_the_answers_it_leaves(tmp_path: Path) -> None:
    """Of two labels of a generator's texts: every answer counts alike, however many a submission holds."""
    rng = random.Random(7)
    texts = tuple(TextRow(f"g{n}", "model", "gpt", "A text") for n in range(6))
    ratings = [rated(rng.randrange(40), text.id, rng.randrange(2), label="") for text in texts * 30]
    facts = StudyFacts("s", "task", "q", "text", (), "", "live", answers=(("c", "single_label"),))
    given = ReportInput(study=facts, generators=(), texts=texts, ratings=tuple(dict.fromkeys(ratings)))

    def by_hand(given: ReportInput) -> dict[str, float]:
        answers: dict[tuple[str, str], set[str]] = defaultdict(set)
        for rating in given.ratings:
            answers[rating.rater, rating.text].add(rating.label)
        return {f"gpt: {label}": mean(label in own for own in answers.values()) for label in "01"}

    compare(with_random_rules(given, rng), tmp_path / "shares.npz", rng, by_hand)


def test_a_choice_that_leaves_a_text_or_everybody_without_an_answer_has_no_value(tmp_path: Path) -> None:
    given = with_random_rules(study({"tiny": (0.5, 0.5)}, texts=10, raters=5), random.Random(6))
    everybody = RuleFacts("everybody", tuple(one.id for one in given.assignments))
    store_answers(replace(given, rules=(everybody,)), tmp_path / "none.npz")
    choice = compute_choice(tmp_path / "none.npz", [0])
    assert choice.lacks
    assert choice.submissions == choice.of == len(given.assignments)
    assert [one.after for one in choice.measures] == [None, None, None]
    assert None not in [one.before for one in choice.measures]
