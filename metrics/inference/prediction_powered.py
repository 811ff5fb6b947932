"""Prediction-powered mean (Angelopoulos et al. 2023): few human labels, many predictions, an interval that is valid.

The mean of the predictions on all unlabelled items, corrected by their mean error on the labelled ones. However bad
the predictor, the interval is right for the human mean; a good one makes it narrow.
"""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from metrics.data.columns import check_column
from metrics.errors import BadInput, InsufficientData
from metrics.types import Estimate, Interval, Setting
from metrics.version import __version__


def prediction_powered_mean(
    labels: ArrayLike, predicted: ArrayLike, unlabelled: ArrayLike, *, level: float = 0.95
) -> Estimate:
    """Mean human label over the items that both samples come from, in units of the labels.

    labels: (n,) human labels; predicted: (n,) predictions for the same items; unlabelled: (m,) predictions for the
    others. Labelled items must be drawn at random. Interval: normal, for both samples; settings hold its `se` and the
    `se_labels_only` of the labels without predictions; flag `predictions_do_not_help` where that is the smaller.
    Raises InsufficientData below 2 of each, BadInput.
    """
    if not 0 < level < 1:
        raise BadInput("a level lies between 0 and 1", column="level")
    y, f, g = (
        check_column(v, name) for v, name in ((labels, "labels"), (predicted, "predicted"), (unlabelled, "unlabelled"))
    )
    if len(y) != len(f):
        raise BadInput(f"each label needs a prediction, and there are {len(y)} and {len(f)}", column="predicted")
    if min(len(y), len(g)) < 2:
        raise InsufficientData(f"2 labels and 2 unlabeled items are needed; there are {len(y)} and {len(g)}.")
    value = float(g.mean() + (y - f).mean())
    se = float(np.sqrt(g.var(ddof=1) / len(g) + (y - f).var(ddof=1) / len(y)))
    alone = float(np.sqrt(y.var(ddof=1) / len(y)))
    half = NormalDist().inv_cdf((1 + level) / 2) * se
    settings: dict[str, Setting] = {"labelled": len(y), "unlabelled": len(g), "se": se, "se_labels_only": alone}
    flags = ("predictions_do_not_help",) if se > alone else ()
    interval = Interval(value - half, value + half, level, "prediction-powered, normal")
    signature = f"prediction_powered_mean|n:{len(y)}|unlabelled:{len(g)}|v:{__version__}"
    return Estimate(value, len(y), interval, settings, flags, signature)
