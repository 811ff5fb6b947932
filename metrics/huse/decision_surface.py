"""What the classifier behind HUSE says of each text, and of any point of the plane (for the paper's Figure 4)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from metrics.data.arrays import Bools, Floats
from metrics.data.columns import check_column
from metrics.data.items import check_items
from metrics.errors import BadInput, DegenerateInput
from metrics.huse.classifier import HJ, LOG_PROB, Classifier
from metrics.huse.estimate import MODES, predict_sources
from metrics.huse.neighbors import FLOAT_TOLERANCE, squared_distances
from metrics.huse.neighbors_1d import CELLS
from metrics.types import MODEL, REFERENCE, Classified, Item, Mode, VoteTie

FARTHEST = 1e150  # standard deviations: squares of more would overflow, and nothing is nearer or farther out there


def classify(
    items: Sequence[Item], mode: Mode = "exact", k: int = 16, vote_tie: VoteTie = "reference"
) -> list[Classified]:
    """The leave-one-out prediction of each item on both features, in the order of `items`.

    Twice the share of wrong ones is HUSE (mean of both sources' shares where they differ in number). Where the
    features do not vary every share is 1/2. Raises as `evaluate`.
    """
    classifier = _classifier(items, mode, k)
    table = classifier.table
    useful = [feature for feature in (HJ, LOG_PROB) if classifier.varies(feature)]
    if useful:
        votes = classifier.votes(useful)
        lead, share, count = votes.weighed(*classifier.sizes), votes.share(*classifier.sizes), votes.count
    else:
        lead, share = np.zeros(len(table), dtype=np.int64), np.full(len(table), 0.5)
        count = np.full(len(table), len(table) - 1)
    predicted = predict_sources(lead, vote_tie)
    names = {1: REFERENCE, -1: MODEL, 0: None}
    return [
        Classified(item.id, item.source, float(share[i]), int(count[i]), names[p], names[p] == item.source)
        for i, (item, p) in enumerate(zip(table.items, predicted.tolist(), strict=True))
    ]


def reference_share(
    items: Sequence[Item], hj: Sequence[float], q: Sequence[float], mode: Mode = "exact", k: int = 16
) -> Floats:
    """Share of reference votes among the neighbours of each grid point: (len(q), len(hj)) in [0, 1].

    In exact mode a vote weighs 1 / size of its source, as in `classify`; in paper mode all votes weigh the same.

    hj: human judgments, in the units of the items. q: log-probabilities per unit of length. Both finite, up to 1e100.
    The neighbours are all items not farther than the k-th nearest one; features are scaled as for HUSE. Items with
    log p = -inf have no place in the plane and are skipped (paper mode places them at -1000 / length). Raises as
    `evaluate`.
    """
    classifier = _classifier(items, mode, k)
    check_column(hj, "hj"), check_column(q, "q")
    placed = classifier.place_hj([Fraction(float(value)) for value in hj])
    points = np.array(np.meshgrid(placed, np.asarray(q, dtype=np.float64))).reshape(2, -1)
    is_finite = classifier.finite
    if not is_finite.any():
        raise DegenerateInput("Every item has log p = -inf, so no item has a place in the plane.")
    scales = [classifier.scale[HJ], classifier.scale[LOG_PROB]]
    axes = [(values[is_finite], s) for values, s in zip((classifier.hj, classifier.q), scales, strict=True)]
    scaled = [values / s if s else values * 0 for values, s in axes]
    with np.errstate(over="ignore"):
        at = [np.clip(row / s, -FARTHEST, FARTHEST) if s else row * 0 for row, s in zip(points, scales, strict=True)]
    sign, (n_ref, n_model) = classifier.table.sign[is_finite], classifier.sizes
    weight = np.where(sign > 0, float(n_model), float(n_ref))
    shares = _shares(at, scaled, sign > 0, weight, min(k, int(is_finite.sum())), mode)
    return shares.reshape(len(q), len(hj))


def _classifier(items: Sequence[Item], mode: Mode, k: int) -> Classifier:
    if mode not in MODES:
        raise BadInput(f"a mode is 'exact' or 'paper', not {mode!r}", column="mode")
    return Classifier(check_items(items, k=k), mode, k)


def _shares(at: list[Floats], scaled: list[Floats], reference: Bools, weight: Floats, k: int, mode: Mode) -> Floats:
    """weight: (items,) of each item's vote, whole numbers."""
    slack = FLOAT_TOLERANCE if mode == "exact" else 0.0
    out = np.empty(len(at[0]))
    height = max(1, CELLS // len(weight))
    for begin in range(0, len(out), height):
        part = slice(begin, begin + height)
        squared = squared_distances([row[part] for row in at], scaled)
        cut = np.partition(squared, k - 1, axis=1)[:, k - 1 : k]
        near = squared <= cut * (1 + slack)
        out[part] = (near @ (weight * reference)) / (near @ weight)
    return out
