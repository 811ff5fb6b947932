"""Slow, obvious references written from the description of the method: loops that share nothing with metrics."""

from __future__ import annotations

from fractions import Fraction

import numpy as np


def loop_twice_error(features: np.ndarray, is_model: np.ndarray, k: int = 16, tolerance: float = 0.0) -> float:
    """Algorithm 1 as the original runs it: leave one out, sort its distances, vote with all within the cut.

    features: one row a text. is_model: 1 for model, 0 for reference; equal votes give 0. tolerance: relative, on the
    cut; the original has none.
    """
    scaled = features / np.array([np.std(column) for column in features.T])
    right = 0
    for i in range(len(scaled)):
        others = np.concatenate((scaled[:i], scaled[i + 1 :]))
        labels = np.concatenate((is_model[:i], is_model[i + 1 :]))
        distances = np.sum((others - scaled[i]) ** 2, axis=1)
        cut = np.sort(distances)[k - 1]
        votes = np.bincount(labels[distances <= cut * (1 + tolerance)], minlength=2)
        right += int(votes.argmax() == is_model[i])
    return 2 * (1 - right / len(scaled))


def loop_huse(hj: np.ndarray, q: np.ndarray, is_model: np.ndarray, k: int = 16) -> tuple[float, float, float]:
    """HUSE, HUSE-Q and log p alone, one leave-one-out run each."""
    both = loop_twice_error(np.stack((q, hj), axis=1), is_model, k)
    return both, loop_twice_error(hj[:, None], is_model, k), loop_twice_error(q[:, None], is_model, k)


def variance(values: list[Fraction]) -> Fraction:
    """Population variance, exactly."""
    mean = sum(values, Fraction(0)) / len(values)
    return sum(((v - mean) ** 2 for v in values), Fraction(0)) / len(values)


def fraction_votes(features: list[list[Fraction]], is_reference: list[bool], k: int) -> list[tuple[int, int]]:
    """(reference votes, model votes) of each point by rational arithmetic; features of no variance are left out."""
    columns = [(column, variance(column)) for column in features if len(set(column)) > 1]
    votes = []
    for i in range(len(is_reference)):
        distances = {
            j: sum(((c[j] - c[i]) ** 2 / v for c, v in columns), Fraction(0))
            for j in range(len(is_reference))
            if j != i
        }
        cut = sorted(distances.values())[k - 1]
        near = [is_reference[j] for j, d in distances.items() if d <= cut]
        votes.append((sum(near), len(near) - sum(near)))
    return votes


def fraction_twice_error(
    features: list[list[Fraction]], is_reference: list[bool], k: int, vote_tie: str = "reference"
) -> Fraction:
    """Twice the error by rational arithmetic, each source weighing the same, in the votes as in the error."""
    n_ref, n_model = sum(is_reference), len(is_reference) - sum(is_reference)
    if all(len(set(column)) == 1 for column in features):
        return Fraction(1)
    errors: dict[bool, list[Fraction]] = {True: [], False: []}
    for truth, (ref, model) in zip(is_reference, fraction_votes(features, is_reference, k), strict=True):
        ref, model = Fraction(ref, n_ref), Fraction(model, n_model)
        if ref == model:
            wrong = {"reference": Fraction(not truth), "model": Fraction(truth), "half": Fraction(1, 2)}[vote_tie]
        else:
            wrong = Fraction((ref > model) != truth)
        errors[truth].append(wrong)
    return sum((sum(part, Fraction(0)) / len(part) for part in errors.values()), Fraction(0))
