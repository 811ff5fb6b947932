"""What the world implies for accuracy by training, near-negative tests and frac(p), as measured once and stored.

`python -m annotation.rehearsal.implied_truths` (a part of `make truth`) measures them in some minutes and writes
`implied_truths.json`. No study's answers are looked at: the means are over texts, crowds and dice of their own.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from annotation.rehearsal.judges import BIAS, CUTS, GIFT, SKILL, USUAL, chance_right
from annotation.rehearsal.world import Design, Fingerprint, World
from annotation.rehearsal.world.implied import SEED, ImpliedPassRate, mean_fractions, pass_rates
from annotation.rehearsal.world.truths import TruthsError

FILE = Path(__file__).with_name("implied_truths.json")
TEXTS, STUDIES = 100_000, 2_000
JUDGED_AT = 1.0  # the temperature of the model whose texts evaluators tell from people's


@dataclass(frozen=True, slots=True)
class ImpliedTruths:
    """accuracies: by training, of new evaluators on new texts, half of them people's. pass_rates: by temperature.

    references, machine: mean frac(p) of people's texts, and of the model's in equal parts of its temperatures.
    """

    accuracies: Mapping[str, float]
    pass_rates: Mapping[float, ImpliedPassRate]
    references: float
    machine: float


def find_truths(world: World, design: Design, path: Path = FILE) -> ImpliedTruths:
    """The stored truths; for another design than the demo's, pass rates are measured now, on fewer studies.

    Raises TruthsError where the stored ones belong to another world.
    """
    stored = load(path)
    if design == Design():
        return stored
    rates = pass_rates(world, design, design.temperatures)
    return ImpliedTruths(stored.accuracies, rates, stored.references, stored.machine)


def load(path: Path = FILE) -> ImpliedTruths:
    """Read the stored truths. Raises TruthsError where they belong to another world or to other evaluators."""
    stored = json.loads(path.read_text(encoding="utf-8"))
    if stored["of"] != _of():
        raise TruthsError(f"{path.name} belongs to another world: run `python -m annotation.rehearsal.implied_truths`")
    return ImpliedTruths(
        stored["accuracies"],
        {float(t): ImpliedPassRate(**rate) for t, rate in stored["pass_rates"].items()},
        stored["references"],
        stored["machine"],
    )


def expected_accuracies(world: World, *, texts: int = TEXTS, seed: int = SEED) -> dict[str, float]:
    """By training, the share that new evaluators get right of new texts; exact but for `texts` of each source."""
    rng = np.random.default_rng([seed, 5])
    sides = (world.sample_references(texts, rng), world.sample_model(texts, JUDGED_AT, rng))
    impressions = [world.features(side).impression for side in sides]
    return {
        training: float(np.mean([chance_right(impressions[i], np.full(texts, bool(i)), training) for i in (0, 1)]))
        for training in SKILL
    }


def measure(world: World) -> ImpliedTruths:
    """All of them at full size, for the demo's design."""
    design = Design()
    rates = pass_rates(world, design, design.temperatures, studies=STUDIES)
    references, machine = mean_fractions(world, design.temperatures, texts=TEXTS)
    return ImpliedTruths(expected_accuracies(world), rates, references, machine)


def save(truths: ImpliedTruths, path: Path = FILE) -> None:
    """Write truths as `load` reads them."""
    body = {"of": _of(), "seed": SEED, "texts": TEXTS, "studies": STUDIES, **asdict(truths)}
    path.write_text(json.dumps(body, indent=1) + "\n", encoding="utf-8")


def _of() -> dict[str, Any]:
    """What the truths belong to: the world, the evaluators' rule and the demo's design."""
    rule = hashlib.sha256(repr((SKILL, USUAL, CUTS, GIFT, BIAS)).encode()).hexdigest()
    design = json.loads(json.dumps(asdict(Design())))
    return {"world": asdict(Fingerprint.shipped()), "evaluators": rule, "design": design}


def main() -> None:
    """Measure and store."""
    save(measure(World.load()))
    print(f"Wrote {FILE}", flush=True)


if __name__ == "__main__":
    main()
