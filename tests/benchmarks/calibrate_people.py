"""Fit the stated chance of bad work to its frequency, on crowds that no other benchmark draws.

    python -m tests.benchmarks.calibrate_people [studies]

Prints slope and shift for `metrics.worker_models.ways_of_working.CALIBRATION`: a logistic regression of who did bad
work on the log odds that the model states before calibration. A study's readers have personal thresholds with normal or
logistic noise; some texts can be read in two ways; attention comes and goes; the careless click, give one label, turn
the scale around, or stop reading at some position. Sizes, scales, noise and shares differ from study to study.
"""

from __future__ import annotations

import sys

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from metrics.worker_models import ways_of_working
from metrics.worker_models.ways_of_working import BINS, CAREFUL, MODEL_LIKE, LabeledTexts, infer_ways

STUDIES, SEED = 300, 7001
MIDDLE = 5.0  # log odds: beyond, a chance is stated as nearly sure, and one mistake would outweigh the others
KINDS = ("careful", "clicks", "line", "reversed", "tires")


def draw(rng: np.random.Generator) -> tuple[LabeledTexts, np.ndarray]:
    """A study, and (people,) whether each did bad work."""
    labels, tasks = int(rng.integers(4, 8)), int(rng.integers(8, 16))
    people = int(rng.integers(40, 90))
    middle = rng.normal(0, 1, (tasks * BINS, 2))
    middle[:, 1] = np.where(rng.random(len(middle)) < rng.uniform(0, 0.15), middle[:, 1], middle[:, 0])
    usual, noise = rng.uniform(0.25, 0.7), rng.choice(["normal", "logistic"])
    shares = rng.dirichlet([20, 1.2, 0.6, 0.6, 1.4])
    kinds = rng.choice(len(KINDS), people, p=shares)
    columns: list[list[np.ndarray]] = [[], [], [], [], []]
    assignments = 0
    for person, kind in enumerate(kinds):
        chosen = rng.choice(tasks, int(rng.integers(1, 6)), replace=False)
        cuts = np.sort(rng.normal(0, 0.3) + np.linspace(-1.4, 1.4, labels - 1) * np.exp(rng.normal(0, 0.25)))
        blur, drop, favorite = usual * np.exp(rng.normal(0, 0.35)), int(rng.integers(7, 19)), int(rng.integers(labels))
        habits = rng.dirichlet(np.full(labels, rng.uniform(2, 30)))
        for task in chosen:
            text = task * BINS + rng.permutation(BINS)
            reading = middle[text, rng.integers(0, 2, BINS)]
            reading = reading + (rng.normal if noise == "normal" else rng.logistic)(
                0, blur if noise == "normal" else 0.55 * blur, BINS
            )
            label = (reading[:, None] > cuts).sum(axis=1)
            clicks = rng.choice(labels, BINS, p=habits)
            away = rng.random(BINS) < rng.beta(1, 40)
            label = np.where(away, clicks, label)
            place = np.arange(BINS)
            label = {
                "careful": label,
                "clicks": clicks,
                "line": np.where(rng.random(BINS) < 0.05, clicks, favorite),
                "reversed": labels - 1 - label,
                "tires": np.where(place < drop + rng.integers(-2, 3), label, clicks),
            }[KINDS[kind]]
            rows = (np.full(BINS, person), np.full(BINS, assignments), text, label, place)
            for column, row in zip(columns, rows, strict=True):
                column.append(row)
            assignments += 1
    joined = [np.concatenate(column).astype(np.int64) for column in columns]
    return LabeledTexts(*joined, labels=labels, people=people, texts=tasks * BINS), kinds > 0


def main(studies: int) -> None:
    """Fit, and print slope, shift and their standard errors."""
    rng = np.random.default_rng(SEED)
    stated, bad = [], []
    ways_of_working.CALIBRATION = (1.0, 0.0)
    for _ in range(studies):
        work, careless = draw(rng)
        ways = infer_ways(work)
        fine = np.clip(ways.chance[:, CAREFUL] + ways.chance[:, MODEL_LIKE], 1e-12, 1 - 1e-12)
        stated.append((np.log1p(-fine) - np.log(fine))[ways.answers > 0])
        bad.append(careless[ways.answers > 0])
    x, y = np.concatenate(stated), np.concatenate(bad).astype(float)
    x, y = x[np.abs(x) < MIDDLE], y[np.abs(x) < MIDDLE]
    design = np.column_stack([x, np.ones_like(x)])
    result = minimize(
        lambda fit: np.logaddexp(0, design @ fit).sum() - y @ design @ fit,
        [1.0, 0.0],
        jac=lambda fit: design.T @ (expit(design @ fit) - y),
    )
    fit, chance = result.x, expit(design @ result.x)
    errors = np.sqrt(np.diag(np.linalg.inv(design.T @ (design * (chance * (1 - chance))[:, None]))))
    print(f"{len(x):,} people of the middle: slope {fit[0]:.2f} ± {errors[0]:.2f}, ", end="")
    print(f"shift {fit[1]:.2f} ± {errors[1]:.2f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else STUDIES)
