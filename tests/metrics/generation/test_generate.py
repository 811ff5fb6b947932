"""Texts sampled from tiny models: reproducible, recorded, and scored in the pass that made them."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest

from metrics.errors import BadInput
from metrics.generation import Priming, Settings, overlap
from metrics.generation.generate import generate, prime_prompt
from metrics.likelihood import Decoding
from metrics.likelihood.errors import TextTooLong
from metrics.likelihood.packing import Job
from metrics.likelihood.torch_steps import reading_log_prob
from tests.metrics.likelihood.test_agreement import backend

PROMPTS = ["the cat", "a red dog ran under the tree and then", "blue", "not very far"]
HOW = Settings(decoding=Decoding(0.8, top_k=12, top_p=0.95), max_tokens=9, seed=5)


@pytest.mark.parametrize("kind", ["gpt2", "llama", "bart", "t5"])
def test_the_log_probability_of_what_was_sampled_is_that_of_scoring_it(kind: str) -> None:
    scorer = backend(kind, decoding=HOW.decoding)
    encoding, two_sided = scorer.encoding, scorer.loaded.two_sided
    for one in generate(backend(kind), PROMPTS, HOW):
        prefix = encoding.source(one.prompt, "") if two_sided else encoding.prompt(one.prompt, "")
        job = Job(prefix, one.token_ids, encoding.lead("a") if two_sided else ())
        (columns,) = scorer.engine.run([job], reading_log_prob(HOW.decoding))
        steps = columns[:, 0]
        assert one.log_prob == pytest.approx(steps.sum(), abs=1e-4)
        assert one.tokens == len(steps)
        assert (one.token_ids[-1] == scorer.tokenizer.eos_token_id) == (one.stopped == "end")


def test_a_seed_gives_the_same_texts_in_any_batch() -> None:
    found = backend("gpt2")
    whole, single = generate(found, PROMPTS, HOW), generate(found, PROMPTS, Settings(HOW.decoding, 9, 5, batch=1))
    assert [one.text for one in whole] == [one.text for one in single]
    other = generate(found, PROMPTS, Settings(HOW.decoding, 9, seed=6))
    assert [one.text for one in whole] != [one.text for one in other]


def test_draws_follow_the_models_distribution() -> None:
    found, how = backend("gpt2"), Decoding(0.7)
    n = 1200
    drawn = generate(found, ["the cat"] * n, Settings(how, max_tokens=1, seed=1, batch=400))
    counts = Counter(one.token_ids[0] for one in drawn)
    wanted = np.exp(backend("gpt2", decoding=how).distributions(("the cat", "sat"))[0].astype(float))
    for token, p in enumerate(wanted):
        # Five standard errors: a chance of one in a million a token.
        assert abs(counts[token] / n - p) < 5 * np.sqrt(p * (1 - p) / n) + 1e-9


def test_refused_texts_are_sampled_again_and_the_last_is_marked() -> None:
    found = backend("gpt2")
    first = [one.text for one in generate(found, PROMPTS, HOW)]
    again = generate(found, PROMPTS, HOW, check=lambda prompt, text: text not in first)
    assert all(one.accepted and one.attempt > 1 for one in again)
    never = generate(found, PROMPTS, Settings(HOW.decoding, 9, 5, attempts=2), check=lambda prompt, text: False)
    assert [(one.attempt, one.accepted) for one in never] == [(2, False)] * 4


def test_every_setting_stands_in_the_record() -> None:
    how = Settings(HOW.decoding, 9, 5, Priming(("the cat sat", "a dog ran"), ids=("p1", "p2")))
    (one,) = generate(backend("gpt2"), ["the"], how)
    told = json.loads(json.dumps(one.record))
    wanted = {"model": "gpt2", "temperature": 0.8, "top_k": 12, "top_p": 0.95, "seed": 5, "max_tokens": 9}
    assert wanted.items() <= told.items()
    assert (told["decoding"], told["priming_ids"], told["separator"]) == (
        "sample t=0.8 top_k=12 top_p=0.95",
        "p1,p2",
        "</s>",
    )


def test_priming_stands_before_the_prompt_with_the_separator() -> None:
    examples = ("the cat sat", "a dog ran")
    found = backend("gpt2")
    assert prime_prompt(found, "the", Settings(priming=Priming(examples))) == "the cat sat</s>a dog ran</s>the"
    assert (
        prime_prompt(found, "the", Settings(priming=Priming(examples, separator=" and ")))
        == "the cat sat and a dog ran and the"
    )


def test_a_prompt_that_leaves_no_room_is_refused() -> None:
    with pytest.raises(TextTooLong, match="'the cat' with 64 tokens"):
        generate(backend("gpt2"), ["the cat"], Settings(max_tokens=64))


def test_settings_that_ask_for_nothing_are_refused() -> None:
    with pytest.raises(BadInput, match="max_tokens"):
        Settings(max_tokens=0)


def test_overlap_has_the_number_of_the_specification() -> None:
    one = "once upon a time there was a king who had three sons"
    assert overlap(one, "once upon a time there was a king who ruled wisely") == 0.75
