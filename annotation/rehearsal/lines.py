"""What a rehearsal of all four papers measured, a line each, beside the truth that the simulated world knows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from metrics import EvaluatorJudgment, compare_conditions, evaluate_judgments
from metrics.report.result import Report
from metrics.types import Estimate

UNTRAINED = "none"
TRAININGS = {
    UNTRAINED: "no training",
    "instructions": "instructions",
    "examples": "examples",
    "comparison": "comparison",
}
NAME, MEASURED, TRUTH, GAIN = 36, 22, 7, 24


@dataclass(frozen=True, slots=True)
class EstimateAndTruth:
    """An estimate and its truth; None where the truth of a study of this size was never measured."""

    estimate: Estimate
    truth: float | None

    @property
    def held(self) -> bool | None:
        """Whether the interval holds the truth; None without either."""
        interval = self.estimate.interval
        if interval is None or self.truth is None:
            return None
        return interval.low <= self.truth <= interval.high


@dataclass(frozen=True, slots=True)
class MeasureLine:
    """One measure. gain: of a training, the accuracy that it adds to that of untrained evaluators. percent: a share."""

    name: str
    measured: EstimateAndTruth
    gain: EstimateAndTruth | None = None
    percent: bool = False


def huse_lines(report: Report) -> list[MeasureLine]:
    """HUSE of each generator; the truth is the estimator's own mean over studies of this size."""
    lines = []
    for generator in report.generators:
        truth = generator.facts.truth
        known = EstimateAndTruth(generator.modes["exact"].huse, truth.huse.value if truth else None)
        lines.append(MeasureLine(f"HUSE, {generator.facts.name}", known))
    return lines


def accuracy_lines(judged: Sequence[EvaluatorJudgment], expected: Mapping[str, float]) -> list[MeasureLine]:
    """Accuracy after each training, and what the training adds. expected: by training, from the world.

    The intervals of accuracy are for new evaluators and new texts.
    """
    conditions = evaluate_judgments(judged, ("training",)).conditions
    trained = [training for training in TRAININGS if training in conditions and training != UNTRAINED]
    pairs = [(training, UNTRAINED) for training in trained]
    compared = {pair.a: pair.difference for pair in compare_conditions(judged, ("training",), pairs=pairs).pairs}
    lines = []
    for training in (UNTRAINED, *trained):
        known = EstimateAndTruth(conditions[training].accuracy.accuracy_crossed, expected[training])
        gain = (
            EstimateAndTruth(compared[training], expected[training] - expected[UNTRAINED])
            if training in compared
            else None
        )
        lines.append(MeasureLine(f"Human or machine, {TRAININGS[training]}", known, gain, percent=True))
    return lines


def lines_text(lines: Sequence[MeasureLine]) -> str:
    """A table for a terminal, and how many of the intervals hold their truth."""
    head = f"{'':<{NAME}}{'measured, 95% interval':<{MEASURED}}{'truth':>{TRUTH}}"
    head += f"   {'training adds':<{GAIN}}{'truth':>{TRUTH}}"
    rows = [head.rstrip(), "-" * len(head.rstrip())]
    rows += [_row(line) for line in lines]
    known = [part.held for line in lines for part in (line.measured, line.gain) if part and part.held is not None]
    if known:
        rows += ["", f"{sum(known)} of {len(known)} intervals hold their truth; each does so in 19 of 20 studies."]
    return "\n".join(rows)


def _row(line: MeasureLine) -> str:
    cells = f"{line.name:<{NAME}}{_measured(line.measured.estimate, line.percent):<{MEASURED}}"
    cells += f"{_number(line.measured.truth, line.percent):>{TRUTH}}"
    if line.gain:
        cells += f"   {_measured(line.gain.estimate, line.percent, signed=True):<{GAIN}}"
        cells += f"{_number(line.gain.truth, line.percent, signed=True):>{TRUTH}}"
    return cells.rstrip()


def _measured(estimate: Estimate, percent: bool, *, signed: bool = False) -> str:
    value, interval = _number(estimate.value, percent, signed=signed), estimate.interval
    if interval is None:
        return value
    limits = ", ".join(_number(limit, percent, signed=signed) for limit in (interval.low, interval.high))
    return f"{value} [{limits}]"


def _number(value: float | None, percent: bool, *, signed: bool = False) -> str:
    if value is None:
        return "-"
    sign = "+" if signed else ""
    return f"{100 * value:{sign}.1f}" if percent else f"{value:{sign}.2f}"
