from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.stats import chisquare

from annotation.rehearsal.world.model import WEIGHTS_FILE, TinyTransformer
from annotation.rehearsal.world.vocabulary import END, MAX_WORDS, Vocabulary


def toy(words: int = 2, width: int = 4, heads: int = 2, layers: int = 2) -> TinyTransformer:
    """A model of few words with random weights, so that every headline can be listed."""
    rng = np.random.default_rng(5)

    def random(*shape: int) -> np.ndarray:
        return rng.normal(0, 0.7, shape).astype(np.float32)

    weights = {"embed": random(words + 2, width), "place": random(MAX_WORDS + 1, width), "norm": random(width)}
    for layer in range(layers):
        weights |= {f"{layer}.{name}": random(width, width) for name in ("query", "key", "value", "mix")}
        weights |= {f"{layer}.norm1": random(width), f"{layer}.norm2": random(width)}
        weights |= {f"{layer}.up": random(width, 4 * width), f"{layer}.down": random(4 * width, width)}
    return TinyTransformer(weights, heads, Vocabulary(("yes", "no")[:words]))


def test_the_probabilities_of_all_headlines_a_model_can_write_sum_to_one():
    model = toy(layers=1)
    every = [words for n in range(1, MAX_WORDS + 1) for words in itertools.product((1, 2), repeat=n)]
    ids = np.zeros((len(every), MAX_WORDS + 1), dtype=np.int16)
    for row, words in zip(ids, every, strict=True):
        row[: len(words)] = words
    assert np.exp(model.log_probs(ids, [1.0, 0.7])).sum(axis=1) == pytest.approx([1, 1], abs=1e-4)


@pytest.mark.parametrize("temperature", [1.0, 0.9, 0.7])
def test_a_headline_scores_as_the_product_of_its_steps(world, temperature):
    text = "Museum opens show of toy trains this winter"
    ids = [*world.model.vocabulary.encode([text])[0, :8].tolist(), END]
    total, begin = 0.0, len(world.model.vocabulary) + 1
    for position, word in enumerate(ids):
        logits, _ = world.model.logits(np.array([[begin, *ids[:position]]]))
        steps = world.model.next_chances(logits[:, -1], position, temperature)
        assert steps.sum() == pytest.approx(1, abs=1e-9)
        total += math.log(steps[0, word])
    assert world.log_prob_model([text], temperature)[0] == pytest.approx(total, abs=1e-4)


@pytest.mark.parametrize(
    ("temperature", "expected"),
    [(0.7, (0.570736, 0.275111, 0.154152)), (0.5, (0.657895, 0.236842, 0.105263)), (1.0, (0.5, 0.3, 0.2))],
)
def test_annealing_follows_the_worked_example(temperature, expected):
    logits = np.log(np.array([[0.5, 0.3, 0.2]], dtype=np.float32)) + np.float32(2)
    found = TinyTransformer.next_chances(logits, position=3, temperature=temperature)
    assert found[0] == pytest.approx(expected, abs=1e-6)


def test_no_headline_is_empty():
    found = TinyTransformer.next_chances(np.zeros((1, 3), dtype=np.float32), position=0, temperature=1.0)
    assert found[0] == pytest.approx((0, 0.5, 0.5))


@pytest.mark.parametrize("temperature", [0.0, -1.0, math.nan])
def test_a_temperature_of_zero_or_below_is_refused(world, temperature):
    with pytest.raises(ValueError, match="temperature"):
        world.log_prob_model(["Storm hits coast"], temperature)
    with pytest.raises(ValueError, match="temperature"):
        world.sample_model(1, temperature, np.random.default_rng(0))


def test_what_the_model_cannot_say_has_probability_zero(world):
    found = world.log_prob_model(["", "Storm hits Atlantis", "storm " * 17, "storm " * 16], 1.0)
    assert found[:3].tolist() == [-math.inf] * 3
    assert np.isfinite(found[3])


def test_a_score_does_not_depend_on_its_company(world):
    texts = world.sample_references(2500, np.random.default_rng(4))
    together = world.log_prob_model(texts, 0.9)
    alone = np.concatenate([world.log_prob_model([text], 0.9) for text in texts[:20]])
    assert together[:20] == pytest.approx(alone, abs=1e-4)


@pytest.mark.parametrize("temperature", [1.0, 0.7])
def test_a_model_is_sampled_as_often_as_it_scores(temperature):
    model, n = toy(), 20_000
    drawn = model.sample(n, temperature, np.random.default_rng(6))
    short = np.zeros((6, MAX_WORDS + 1), dtype=np.int16)
    short[:, :2] = [(1, 0), (2, 0), (1, 1), (1, 2), (2, 1), (2, 2)]
    counts = [int((drawn == row).all(axis=1).sum()) for row in short]
    expected = n * np.exp(model.log_prob(short, temperature))
    counts.append(n - sum(counts))
    assert chisquare(counts, [*expected, n - expected.sum()]).pvalue > 1e-4


def test_both_sides_of_the_overlap_with_the_grammar_agree(world):
    # The sum of min(p_ref, p_model) is E_ref[min(1, p_model / p_ref)] and E_model[min(1, p_ref / p_model)] alike.
    n, rng = 10_000, np.random.default_rng(7)
    written, copied = world.model.sample(n, 1.0, rng), world.grammar.sample(n, rng)
    ours = np.exp(np.minimum(world.grammar.log_prob(written) - world.model.log_prob(written), 0))
    theirs = np.exp(np.minimum(world.model.log_prob(copied) - world.grammar.log_prob(copied), 0))
    assert abs(ours.mean() - theirs.mean()) < 5 * math.hypot(ours.std(), theirs.std()) / math.sqrt(n)


def test_the_weights_file_is_small():
    assert WEIGHTS_FILE.stat().st_size < 3_000_000


def test_numpy_and_torch_agree_on_the_shipped_weights(world):
    torch = pytest.importorskip("torch")
    from annotation.rehearsal.world.train import Recipe, TorchModel

    recipe, model = Recipe(), world.model
    twin = TorchModel(len(model.vocabulary), recipe.width, recipe.heads, recipe.layers)
    state = {name: torch.from_numpy(np.array(array)) for name, array in model.weights.items()}
    renamed = {"embed": state["embed"], "place": state["place"], "norm.gain": state["norm"]}
    for layer in range(recipe.layers):
        parts = ("query", "key", "value", "mix", "up", "down")
        renamed |= {f"blocks.{layer}.{name}.weight": state[f"{layer}.{name}"].T for name in parts}
        renamed |= {f"blocks.{layer}.norm{i}.gain": state[f"{layer}.norm{i}"] for i in (1, 2)}
    twin.load_state_dict(renamed)
    inputs = np.random.default_rng(1).integers(0, len(model.vocabulary) + 2, (40, MAX_WORDS))
    with torch.no_grad():
        theirs = twin(torch.from_numpy(inputs)).numpy()
    ours, _ = model.logits(inputs)
    assert np.abs(ours - theirs).max() < 1e-4


def test_the_shipped_weights_carry_the_grammars_words(world):
    assert world.model.vocabulary == world.grammar.vocabulary
    assert world.model.heads == 2
