"""The truths of the four measures: each against a count made another way."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from annotation.design.presets import CLARK
from annotation.rehearsal import implied_truths
from annotation.rehearsal.crowd.browser import Field, Sheet
from annotation.rehearsal.judges import Judge, arm_of, chance_right
from annotation.rehearsal.lines import EstimateAndTruth, MeasureLine, lines_text
from annotation.rehearsal.management.commands.rehearse import Command, wished
from annotation.rehearsal.world import Design, World, implied
from annotation.rehearsal.world.truths import TruthsError
from annotation.rehearsal.world.vocabulary import END
from metrics.types import Estimate, Interval
from tests.benchmarks.simulation_studies import demo_studies

POINTS = ("Definitely human", "Possibly human", "Possibly machine", "Definitely machine")
PRACTICE = Field("practice-0", "practice-0-ms", "mayor opens zoo\nzoo", ("human", "machine"), kind="practice")
FOUR = Field("practice-0", "practice-0-ms", "", POINTS, kind="practice")


@pytest.mark.parametrize(
    ("arm", "practice", "instructed"),
    [("none", (), False), ("instructions", (), True), ("examples", (FOUR,), True), ("comparison", (PRACTICE,), True)],
)
def test_evaluators_are_right_as_often_as_the_world_says(
    world: World, arm: str, practice: tuple[Field, ...], instructed: bool
) -> None:
    rng = np.random.default_rng(8)
    bodies = [*world.sample_references(4, rng), *world.sample_model(4, 1.0, rng)]
    machine = np.repeat([False, True], 4)
    items = [Field(f"item-{i}", f"item-{i}-ms", body, POINTS) for i, body in enumerate(bodies)]
    sheet = Sheet("", (), (*practice, *items), instructed=instructed)
    assert arm_of(sheet) == arm
    right = np.zeros(8)
    people = 300
    for number in range(people):
        judge = Judge(world, f"somebody {number}", 3)
        answers = judge(sheet)[len(practice) :]
        right += [(POINTS.index(answer.label) > 1) == wrote for answer, wrote in zip(answers, machine, strict=True)]
    expected = chance_right(world.features(bodies).impression, machine, arm)
    # Four standard errors of a share over this many people.
    np.testing.assert_allclose(right / people, expected, atol=4 * 0.5 / np.sqrt(people))


def test_an_evaluator_answers_alike_in_whatever_order_texts_are_shown(world: World) -> None:
    bodies = world.sample_references(6, np.random.default_rng(4))
    items = [Field(f"item-{i}", f"item-{i}-ms", body, POINTS) for i, body in enumerate(bodies)]
    judge = Judge(world, "somebody", 1)
    forwards = judge(Sheet("", (), tuple(items)))
    assert judge(Sheet("", (), tuple(reversed(items)))) == forwards[::-1]


def test_the_implied_pass_rate_is_the_share_of_pairs_in_which_the_better_text_is_likelier(world: World) -> None:
    """Pair by pair, over the HITs of two studies."""
    design = Design(references=10, generated=10, ratings=4, texts_per_hit=10, crowd=8)
    passed = tests = 0
    for number in range(2):
        seed = implied.study_seed(7, number)
        ids, sources = implied.draw_texts(world, design, np.random.default_rng([seed, 3]))
        bodies = world.grammar.vocabulary.decode(ids)
        sums, hits = implied.sums_in_hits(world.features(bodies), sources, design, seed)
        per_token = world.log_prob_model(bodies, 0.7) / world.lengths(bodies)
        for rows in hits:
            for i in rows:
                for j in rows:
                    if sums[i] >= sums[j] + design.ratings and bodies[i].casefold() != bodies[j].casefold():
                        tests += 1
                        passed += per_token[i] > per_token[j]
    found = implied.pass_rates(world, design, (0.7,), studies=2, seed=7)[0.7]
    assert tests > 50
    assert found.by_crowd == pytest.approx(passed / tests)
    assert 0.5 < found.by_quality < 1


def test_frac_p_of_a_text_is_the_mean_over_its_words(world: World) -> None:
    ids = world.model.sample(5, 1.0, np.random.default_rng(6))
    for row, fp in zip(ids, implied.text_fractions(world, ids, 1.0), strict=True):
        log_chances = world.model.log_chances(row[None], 1.0)[0]
        words = [int(word) for word in row if word != END]
        shares = [float(np.exp(log_chances[at, word] - log_chances[at].max())) for at, word in enumerate(words)]
        assert fp == pytest.approx(np.mean(shares))


def test_a_line_says_whether_the_truth_is_unknown_and_counts_those_that_are_held() -> None:
    def estimate(value: float, low: float, high: float) -> Estimate:
        return Estimate(value, 10, Interval(low, high, 0.95, "t"), {}, (), "x")

    lines = [
        MeasureLine("HUSE, t=1.0", EstimateAndTruth(estimate(0.5, 0.4, 0.6), None)),
        MeasureLine(
            "Human or machine, examples",
            EstimateAndTruth(estimate(0.6, 0.5, 0.7), 0.72),
            EstimateAndTruth(estimate(0.05, -0.01, 0.11), 0.06),
            percent=True,
        ),
    ]
    said = lines_text(lines).splitlines()
    assert said[2].split() == ["HUSE,", "t=1.0", "0.50", "[0.40,", "0.60]", "-"]
    assert said[3].endswith("60.0 [50.0, 70.0]        72.0   +5.0 [-1.0, +11.0]         +6.0")
    assert said[-1] == "1 of 2 intervals hold their truth; each does so in 19 of 20 studies."


def test_the_simulated_studies_of_the_demo_have_its_size() -> None:
    design = Design()
    wish = wished({**vars(Command().create_parser("manage.py", "rehearse").parse_args(["--preset", "all"]))})
    assert wish.design == design
    assert (wish.size.texts, wish.size.evaluators) == (demo_studies.TEXTS, demo_studies.EVALUATORS)
    assert wish.size.temperatures == (demo_studies.TEMPERATURE,)
    assert dict(CLARK.settings)["texts_per_hit"] == demo_studies.TEXTS_A_HIT


def test_simulated_evaluators_are_right_as_often_as_expected() -> None:
    studies = demo_studies.four_trainings(10, (5,))
    # Four standard errors of the mean of 10 studies, each .038 at most (100 texts by 80 evaluators).
    assert (abs(studies["values"].mean(axis=0) - studies["targets"][0]) < 4 * 0.038 / 10**0.5).all()
    assert (studies["intervals"][..., 0] < studies["intervals"][..., 1]).all()


def test_the_stored_truths_are_those_of_this_world(world: World) -> None:
    """Each within four standard errors of a smaller count with other dice."""
    stored = implied_truths.load()
    accuracies = implied_truths.expected_accuracies(world, texts=2000, seed=12)
    assert list(stored.accuracies) == ["none", "instructions", "examples", "comparison"]
    np.testing.assert_allclose(list(accuracies.values()), list(stored.accuracies.values()), atol=4 * 0.3 / 4000**0.5)
    assert implied.mean_fractions(world, Design().temperatures, texts=1500, seed=12) == pytest.approx(
        (stored.references, stored.machine), abs=4 * 0.14 / 1500**0.5
    )
    small = implied.pass_rates(world, Design(), (1.0,), studies=6, seed=12)[1.0]
    # One study's pass rate has a standard deviation of .024.
    assert small.by_crowd == pytest.approx(stored.pass_rates[1.0].by_crowd, abs=4 * 0.024 / 6**0.5)
    assert small.by_quality > small.by_crowd


def test_truths_of_another_world_are_refused(tmp_path: Path) -> None:
    stored = json.loads(implied_truths.FILE.read_text(encoding="utf-8"))
    stored["of"]["evaluators"] = "of others"
    (tmp_path / "truths.json").write_text(json.dumps(stored))
    with pytest.raises(TruthsError, match="belongs to another world: run"):
        implied_truths.load(tmp_path / "truths.json")
