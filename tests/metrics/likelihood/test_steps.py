"""From one step's distribution to probabilities and statistics."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from metrics.errors import BadInput
from metrics.likelihood import Decoding, decoded, decoding_from
from metrics.likelihood.torch_logits import Logits
from metrics.likelihood.torch_steps import decoded_logits, reading_log_prob, reading_statistics

ROW = np.log([0.5, 0.3, 0.2])


@pytest.mark.parametrize(
    ("temperature", "wanted"), [(0.7, [-0.560828, -1.290579, -1.869815]), (0.5, np.log([0.657895, 0.236842, 0.105263]))]
)
def test_annealing_has_the_numbers_of_the_specification(temperature: float, wanted: list[float]) -> None:
    np.testing.assert_allclose(decoded(ROW, Decoding(temperature)), wanted, atol=1e-5)


def test_top_p_keeps_the_smallest_set_that_has_the_mass() -> None:
    np.testing.assert_allclose(np.exp(decoded(ROW, Decoding(top_p=0.6))), [0.625, 0.375, 0], atol=1e-12)


def test_what_is_never_sampled_has_no_probability() -> None:
    assert decoded(ROW, Decoding(top_k=1)).tolist() == [0, -np.inf, -np.inf]


@pytest.mark.parametrize("bad", [{"temperature": 0}, {"temperature": float("nan")}, {"top_k": 0}, {"top_p": 1.5}])
def test_a_setting_that_defines_no_distribution_is_refused(bad: dict[str, float]) -> None:
    with pytest.raises(BadInput):
        Decoding(**bad)


@pytest.mark.parametrize("how", [Decoding(), Decoding(0.7), Decoding(0.9, top_k=50), Decoding(top_p=0.95)])
def test_a_setting_is_read_back_from_its_name(how: Decoding) -> None:
    assert decoding_from(str(how)) == how


@pytest.mark.parametrize("words", ["beam search", "", "sampling, t at 0.7", "t=hot"])
def test_other_words_are_no_setting(words: str) -> None:
    assert decoding_from(words) is None


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.integers(-40, 40), min_size=3, max_size=12, unique=True),
    st.floats(0.3, 2),
    st.none() | st.integers(1, 12),
    st.none() | st.floats(0.05, 1),
)
def test_batches_of_logits_agree_with_the_plain_definition(
    logits: list[int], temperature: float, top_k: int | None, top_p: float | None
) -> None:
    how = Decoding(temperature, top_k, top_p)
    row = np.asarray(logits) / 5
    mass = np.cumsum(np.sort(np.exp(decoded(row - np.logaddexp.reduce(row), Decoding(temperature, top_k))))[::-1])
    # A set whose mass is top_p to the last bit is in or out by rounding.
    assume(top_p is None or np.abs(mass - top_p).min() > 1e-9)
    wanted = decoded(row - np.logaddexp.reduce(row), how)
    ours = decoded_logits(torch.tensor(row)[None], how).log_softmax(1)[0].numpy()
    np.testing.assert_allclose(np.exp(ours), np.exp(wanted), atol=1e-9)


def in_blocks(logits: np.ndarray, width: int) -> Logits:
    whole = torch.tensor(logits)
    return Logits(*whole.shape, width, lambda start, end: whole[:, start:end])


@pytest.mark.parametrize("width", [40, 7, 1])
@pytest.mark.parametrize("how", [Decoding(), Decoding(0.8), Decoding(0.8, top_k=5)])
def test_statistics_equal_their_definitions_in_blocks_of_any_width(how: Decoding, width: int) -> None:
    rng = np.random.default_rng(1)
    logits, targets = rng.normal(0, 3, (7, 40)), rng.integers(0, 40, 7)
    ours = reading_statistics(how).read(in_blocks(logits, width), torch.tensor(targets)).numpy()
    for row, target, one in zip(logits, targets, ours, strict=True):
        log_p = decoded(row - np.logaddexp.reduce(row), how)
        kept = log_p[np.isfinite(log_p)]
        p = np.exp(kept)
        mean = (p * kept).sum()
        variance = (p * (kept - mean) ** 2).sum()
        rank = 1 + (log_p > log_p[target]).sum()
        np.testing.assert_allclose(one, [log_p[target], log_p.max(), rank, -mean, mean, variance], atol=1e-9)


@pytest.mark.parametrize("width", [3, 1])
def test_logits_without_a_finite_sum_give_no_number(width: int) -> None:
    for bad in (np.nan, np.inf):
        row = np.array([[0.0, bad, 1.0]])
        assert torch.isnan(reading_log_prob(Decoding()).read(in_blocks(row, width), torch.tensor([0]))).all()


def test_a_block_without_any_probability_adds_nothing() -> None:
    row = np.array([[-np.inf, -np.inf, 0.0, 0.0]])
    found = reading_log_prob(Decoding()).read(in_blocks(row, 2), torch.tensor([3]))
    assert found.item() == pytest.approx(np.log(0.5))
