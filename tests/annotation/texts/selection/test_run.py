"""Rules one after the other: whom each leaves out, and what is counted."""

from __future__ import annotations

import random
from typing import Any

import pytest

from annotation.exceptions import DesignError
from annotation.texts.selection.plan import plan_of
from annotation.texts.selection.records import Candidate, Outcome
from annotation.texts.selection.run import digest_of_outcome, run_selection


def selected(pool: list[Candidate], *steps: dict[str, Any], seed: int = 1) -> Outcome:
    return run_selection(pool, plan_of({"steps": list(steps)}, seed=seed))


def left(outcome: Outcome) -> list[str]:
    return [key for key, fate in outcome.fates.items() if not fate.left_out]


def reference(key: str, body: str, context: str | None = None, domain: str = "") -> Candidate:
    return Candidate(key, body, None, context, domain)


def model(key: str, body: str, context: str | None = None, generator: str = "g") -> Candidate:
    return Candidate(key, body, generator, context)


TEXTS = [
    reference("r1", "Once upon a time there was a king."),
    reference("r2", "once upon a TIME there was a king"),
    reference("r3", "A short one."),
    model("m1", "Once upon a time there was a king."),
    model("m2", "Damn the weather and the rain and the snow."),
]


@pytest.mark.parametrize(
    ("step", "kept"),
    [
        ({"rule": "minimum-words", "words": 8}, ["r1", "r2", "m1", "m2"]),
        ({"rule": "maximum-words", "words": 8}, ["r1", "r2", "r3", "m1"]),
        ({"rule": "starts-with", "text": "Once upon a time"}, ["r1", "r2", "m1"]),
        ({"rule": "duplicates"}, ["r1", "r3", "m1", "m2"]),
        ({"rule": "forbidden-words", "words": ["damn!"]}, ["r1", "r2", "r3", "m1"]),
        ({"rule": "vocabulary", "most_frequent": 7}, ["r1", "r2", "m1"]),
        ({"rule": "vocabulary", "words": ["a", "short"], "unknown": 0.4}, ["r3"]),
        ({"rule": "minimum-words", "words": 9, "of": "models"}, ["r1", "r2", "r3", "m2"]),
        ({"rule": "exclude", "texts": {"r1": "about a king"}}, ["r2", "r3", "m1", "m2"]),
        ({"rule": "overlap", "priming": ["Once upon a time there was a king."]}, ["r1", "r2", "r3", "m2"]),
    ],
)
def test_a_rule_keeps(step: dict[str, Any], kept: list[str]) -> None:
    assert left(selected(TEXTS, step)) == kept


def test_the_funnel_counts_each_rule_by_side() -> None:
    outcome = selected(TEXTS, {"rule": "duplicates"}, {"rule": "minimum-words", "words": 8})
    told = [(line.before, line.removed, line.after, dict(line.by_side)) for line in outcome.funnel]
    assert told == [
        (5, 1, 4, {"reference": (3, 2), "g": (2, 2)}),
        (4, 1, 3, {"reference": (2, 1), "g": (2, 2)}),
    ]
    assert outcome.fates["r2"].left_out == "1 duplicates"
    assert outcome.funnel[1].told == "at least 8 words"


def test_a_cut_keeps_the_place_and_later_rules_see_what_is_left() -> None:
    pool = [reference("r", "One two three. Damn it all.")]
    outcome = selected(pool, {"rule": "truncate", "words": 2}, {"rule": "forbidden-words", "words": ["damn"]})
    assert (outcome.fates["r"].body, outcome.fates["r"].cut_at) == ("One two three.", 14)
    assert outcome.funnel[0].changed == 1
    assert left(outcome) == ["r"]


def test_a_context_that_lost_a_side_goes() -> None:
    pool = [
        reference("r1", "a b c", "c1"),
        model("m1", "d", "c1"),
        reference("r2", "a b d", "c2"),
        model("m2", "a b e", "c2"),
        model("n2", "a b f", "c2", "h"),
        reference("r3", "alone with no context"),
    ]
    short = {"rule": "minimum-words", "words": 3}
    assert left(selected(pool, short, {"rule": "pairs"})) == ["r2", "m2", "n2", "r3"]
    pool[4] = model("n2", "f", "c2", "h")
    pool.append(model("n9", "a b c d", "c9", "h"))
    assert left(selected(pool, short, {"rule": "pairs", "every_generator": True})) == ["r3"]


def many(domains: tuple[str, ...] = ("news", "stories"), of_each: int = 40) -> list[Candidate]:
    pool = []
    for domain in domains:
        for at in range(of_each):
            pool += [
                reference(f"{domain}-r{at}", f"{domain} said thing {at}", f"{domain}{at}", domain),
                Candidate(f"{domain}-m{at}", f"{domain} made thing {at}", "g", f"{domain}{at}", domain),
            ]
    return pool


SPLIT = {"rule": "split", "sizes": {"evaluate": 10, "prompt": 20}, "by": ["domain"]}


def test_splits_are_disjoint_by_context_and_complete_in_each_domain() -> None:
    pool = many()
    outcome = selected(pool, SPLIT, seed=5)
    contexts: dict[str, set[str]] = {"evaluate": set(), "prompt": set()}
    for text in pool:
        fate = outcome.fates[text.id]
        reasons = {"evaluate": "", "prompt": "1 split: split prompt", "": "1 split: not drawn"}
        assert fate.left_out == reasons[fate.split]
        if fate.split:
            contexts[fate.split].add(str(text.context))
    assert {name: len(found) for name, found in contexts.items()} == {"evaluate": 20, "prompt": 40}
    assert contexts["evaluate"].isdisjoint(contexts["prompt"])
    assert len(left(outcome)) == 40


def test_the_same_seed_draws_the_same_whatever_the_order_of_the_pool_and_another_seed_another() -> None:
    pool = many()
    shuffled = random.Random(3).sample(pool, len(pool))
    assert sorted(left(selected(pool, SPLIT, seed=5))) == sorted(left(selected(shuffled, SPLIT, seed=5)))
    first, second = selected(pool, SPLIT, seed=5), selected(pool, SPLIT, seed=6)
    assert digest_of_outcome(first) != digest_of_outcome(second)
    assert digest_of_outcome(first) == digest_of_outcome(selected(pool, SPLIT, seed=5))


def test_a_draw_does_not_depend_on_the_order_in_which_the_sizes_are_stored() -> None:
    turned = {**SPLIT, "sizes": {"prompt": 20, "evaluate": 10}}
    assert digest_of_outcome(selected(many(), SPLIT)) == digest_of_outcome(selected(many(), turned))


def test_two_splits_never_share_a_wording() -> None:
    pool = [reference(f"r{at}", f"Thing number {at // 2}!") for at in range(60)]
    outcome = selected(pool, {"rule": "split", "sizes": {"evaluate": 15, "prompt": 10}})
    said = {name: {t.body for t in pool if outcome.fates[t.id].split == name} for name in ("evaluate", "prompt")}
    assert said["evaluate"].isdisjoint(said["prompt"])


def test_too_few_texts_for_a_split_are_named() -> None:
    with pytest.raises(DesignError, match="The split 'prompt' needs 31 contexts or texts of news; only 30 are left"):
        selected(many(), {"rule": "split", "sizes": {"evaluate": 10, "prompt": 31}, "by": ["domain"]})


@pytest.mark.parametrize(
    ("plan", "sentence"),
    [
        ({}, "at least one step"),
        ({"steps": [], "colour": 1}, "no 'colour'"),
        ({"steps": [{"rule": "magic"}]}, "Step 1: the rule must be one of minimum-words"),
        ({"steps": [{"rule": "minimum-words"}]}, "Step 1, minimum-words: 'words' is missing"),
        ({"steps": [{"rule": "minimum-words", "words": 0}]}, "must be a whole number of 1 or more, not 0"),
        ({"steps": [{"rule": "minimum-words", "words": True}]}, "whole number"),
        ({"steps": [{"rule": "pairs", "mood": 1}]}, "no setting 'mood'"),
        ({"steps": [{"rule": "pairs", "of": "cats"}]}, "one of all, references, models"),
        ({"steps": [{"rule": "overlap", "priming": ["a"], "share": 1.5}]}, "a share from 0 to 1"),
        ({"steps": [{"rule": "exclude", "texts": {"r1": " "}}]}, "the exclusion of 'r1' needs a reason"),
        ({"steps": [{"rule": "exclude", "texts": {"nobody": "why"}}]}, "no text with the id 'nobody'"),
        ({"steps": [{"rule": "vocabulary"}]}, "either words or most_frequent"),
        ({"steps": [{"rule": "split", "sizes": {"a": 1}}]}, "the judged split 'evaluate' is not one of its sizes"),
        ({"steps": [{"rule": "duplicates"}], "seed": -1}, "seed"),
    ],
)
def test_a_plan_that_cannot_be_kept_is_told_by_step_and_setting(plan: dict[str, Any], sentence: str) -> None:
    with pytest.raises(DesignError, match=sentence):
        run_selection(TEXTS, plan_of(plan, seed=1))


def test_a_plan_survives_being_stored() -> None:
    plan = plan_of({"steps": [SPLIT, {"rule": "overlap", "priming": ["a b"]}]}, seed=9)
    assert plan_of(plan.as_json(), seed=0) == plan
