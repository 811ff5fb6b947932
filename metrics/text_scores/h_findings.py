"""All that is said of a collection of texts from a model's predictions: Fp, verdicts, shares, calibration, people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from metrics.data.evaluator_judgments import HUMAN, MACHINE
from metrics.errors import BadInput
from metrics.text_scores.calibration import Calibration, Method, WithPeople, against_people, calibrate
from metrics.text_scores.h_score import DEFAULT, HScore, TextScore, Thresholds, h_score, mean_fraction, score_text
from metrics.text_scores.h_score_json import h_score_json
from metrics.text_scores.token_predictions import Backend, Predictions


@dataclass(frozen=True, slots=True)
class Rules:
    """How Fp becomes verdicts.

    thresholds: used where no origins are given. per_word: the tokens of a word are averaged first. method, band: of
    the calibration. level: of the intervals. seed: of the calibration's folds.
    """

    thresholds: Thresholds = DEFAULT
    per_word: bool = False
    method: Method = "youden"
    band: bool = False
    level: float = 0.95
    seed: int = 0


@dataclass(frozen=True)
class HFindings:
    """The texts in the order given, and the collection. curvatures: Fast-DetectGPT by text, empty where not known."""

    predictions: Sequence[Predictions]
    scores: Sequence[TextScore]
    result: HScore
    calibration: Calibration | None
    people: WithPeople | None
    curvatures: Mapping[str, float]

    @property
    def backend(self) -> Backend:
        """The model behind the predictions."""
        return self.predictions[0].backend

    def document(self) -> dict[str, Any]:
        """The output of `hscore --json`."""
        return h_score_json(self.scores, self.result, self.backend, self.calibration, self.people, self.curvatures)


def summarise_texts(
    predictions: Sequence[Predictions],
    *,
    rules: Rules | None = None,
    origins: Mapping[str, str] | None = None,
    human_share: Mapping[str, float] | None = None,
    curvatures: Mapping[str, float] | None = None,
) -> HFindings:
    """Score texts and their collection.

    origins: `human` or `machine` by text, which calibrates the threshold. human_share: share of people who said human,
    by text. Raises InsufficientData, DegenerateInput where no threshold separates the origins, BadInput.
    """
    how = rules or Rules()
    fp = fp_by_text(predictions, how)
    calibration = calibrate_by_origin(fp, origins, how) if origins else None
    thresholds = calibration.thresholds if calibration else how.thresholds
    return HFindings(
        predictions,
        [score_text(text, thresholds, per_word=how.per_word) for text in predictions],
        h_score(fp, thresholds, level=how.level),
        calibration,
        against_people(fp, human_share, thresholds, level=how.level) if human_share else None,
        curvatures or {},
    )


def parse_thresholds(text: str | None, *, column: str = "--threshold") -> Thresholds:
    """`FP`, or `FP:FP` with undecided texts between; None: the default. Raises BadInput."""
    if text is None:
        return DEFAULT
    try:
        limits = [float(part) for part in text.split(":")]
    except ValueError:
        raise BadInput(f"FP or FP:FP was expected, not {text!r}", column=column) from None
    if len(limits) > 2:
        raise BadInput("one or two thresholds were expected", column=column)
    return Thresholds(limits[0], limits[-1], origin="given")


def fp_by_text(predictions: Sequence[Predictions], rules: Rules) -> dict[str, float]:
    """Fp of each text, by its name."""
    return {text.id: mean_fraction(text, per_word=rules.per_word) for text in predictions}


def calibrate_by_origin(fp: Mapping[str, float], origins: Mapping[str, str], rules: Rules) -> Calibration:
    """A threshold from the texts whose origin is known. Raises InsufficientData, DegenerateInput, BadInput."""
    human, machine = ([fp[name] for name, origin in origins.items() if origin == side] for side in (HUMAN, MACHINE))
    return calibrate(human, machine, method=rules.method, band=rules.band, level=rules.level, seed=rules.seed)
