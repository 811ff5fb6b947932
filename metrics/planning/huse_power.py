"""Power of decisions on HUSE and HUSE-Q, from studies simulated like a pilot.

`QualityStudies`: two generators with the same references; found where the interval of the difference of HUSE-Q (paired
half-samples, value -+ t standard errors) lies on one side of 0. `huse_power`: the interval of HUSE lies below 1.
Simulation gives mean and spread of what is decided on; the chance to decide is that of a normal of these. The standard
error that a study states is not the spread: with many texts for few different ratings, halves of a study vary less than
their size lets expect (docs/validity.md). It is taken from halves of the simulated studies, as a study takes it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metrics.data.arrays import Bools, Floats, Ints
from metrics.errors import BadInput
from metrics.huse.counted_values import count_values, counted_line_values
from metrics.huse.subsampling import SHARE, neighbours_in, split_units, units_in_draw
from metrics.inference.distributions import check_alpha, find_root, t_quantile
from metrics.inference.error_rate_intervals import (
    degrees_of_freedom,
    error_floor,
    normal_quantile,
    subsample_interval,
)
from metrics.planning.huse_precision import simulate_huse
from metrics.planning.pilot import Pilot
from metrics.planning.study_size import StudySize

K = 16
WIDEST_SHIFT = 6.0  # impressions, in steps of the scale
FIRST_GUESS = 0.2  # of a difference of HUSE-Q that can be found
FINEST_SHIFT = 0.02
ROUNDS = 2
RATINGS = 1 << 22  # held at once
SPLITS = 2  # of every simulated study, into two halves


@dataclass(frozen=True, slots=True)
class Chance:
    """power: chance to decide, in [0, 1]. mean, sd: of the measure decided on, over the simulated studies."""

    power: float
    mean: float
    sd: float


def huse_power(pilot: Pilot, size: StudySize, *, alpha: float = 0.05, studies: int = 400, seed: int = 0) -> Chance:
    """Simulate studies like the pilot and return the chance that the interval of HUSE lies below 1.

    Args:
        pilot: what is assumed of texts and raters.
        size: of the study.
        alpha: 1 - level of the interval, in (0, 1).
        studies: how many are simulated, at least 2.
        seed: at least 0; the same seed gives the same answer.

    Returns:
        The power, with mean and sd of HUSE over the studies.

    Raises:
        BadInput: a number that is not allowed.

    Source:
        Hashimoto, Zhang and Liang (2019), Algorithm 1, on simulated studies; docs/huse-interval.md for the interval.

    Example:
        >>> from metrics.planning import known_pilots, prior_pilot
        >>> from metrics.planning.huse_power import huse_power
        >>> from metrics.planning.study_size import StudySize
        >>> pilot = prior_pilot(next(iter(known_pilots())))
        >>> huse_power(pilot, StudySize(100, 20, generators=1), studies=50).power > 0.9
        True
    """
    _check(size, alpha, studies, seed)
    values = simulate_huse(pilot, size.contexts, size.raters, size.per_hit, K, studies=studies, seed=seed)[:, 0]
    mean, sd = float(values.mean()), float(values.std(ddof=1))
    texts = 2 * size.contexts

    def above(value: float) -> float:
        return subsample_interval(value, sd, texts, 1 - alpha).high - 1

    if sd == 0:
        return Chance(float(above(mean) < 0), mean, sd)
    largest = float(find_root(above, 0.0, 1.0)) if above(0.0) < 0 else 0.0
    return Chance(_below((largest - mean) / sd), mean, sd)


class QualityStudies:
    """HUSE-Q of a first generator, which is the pilot's, and of a second that is worse, in many studies of one size.

    The same random numbers serve every shift between the two, so that their difference rises with it.
    """

    def __init__(self, pilot: Pilot, size: StudySize, *, studies: int = 400, seed: int = 0):
        _check(size, 0.05, studies, seed)
        self.pilot, self.size, self.studies = pilot, size, studies
        rng = np.random.default_rng([seed, size.contexts, size.raters])
        step = max(1, RATINGS // (3 * size.contexts * size.raters))
        parts = [self._simulate(min(step, studies - begin), rng) for begin in range(0, studies, step)]
        sums, self._felt = (np.concatenate(column) for column in zip(*parts, strict=True))
        self._reference, self._first = sums[:, : size.contexts], sums[:, size.contexts :]
        self._quality = self._quality_of(self._first)
        self._halves = [split_units(rng, studies, size.contexts) for _ in range(SPLITS)]

    def _simulate(self, studies: int, rng: np.random.Generator) -> tuple[Floats, NDArray[np.float32]]:
        """Sums of ratings (studies, 2 contexts) of references and of the first, and what is felt of the second."""
        contexts = self.size.contexts
        means = self.pilot.texts.draw_two(studies * contexts, rng)
        impressions = self.pilot.impressions(means.ravel()).reshape(3, studies, contexts).swapaxes(0, 1)
        felt = self.pilot.felt(impressions.reshape(studies, -1), self.size.raters, rng, per_hit=self.size.per_hit)
        return self.pilot.codes(felt[:, : 2 * contexts]).sum(axis=2), felt[:, 2 * contexts :].astype(np.float32)

    def differences(self, shift: float) -> Floats:
        """(studies,): HUSE-Q of the first less that of the second, which is rated `shift` steps lower."""
        return np.asarray(self._quality - self._quality_of(self._second(shift)))

    def stated_error(self, shift: float) -> float:
        """Standard error of the difference that such studies state, on average, from halves of their contexts."""
        second = self._second(shift)
        squares = []
        for chosen in self._halves:
            halves = np.split(chosen, 2)
            first_half, second_half = (
                self._quality_of(self._first, half) - self._quality_of(second, half) for half in halves
            )
            squares.append((first_half - second_half) ** 2)
        half = units_in_draw(self.size.contexts, SHARE) / self.size.contexts
        return float(np.sqrt(half * np.mean(squares) / 2))

    def _second(self, shift: float) -> NDArray[np.float32]:
        """Sums of ratings (studies, contexts) of the second generator: whole numbers, exact."""
        labels = self.pilot.labels
        felt = np.rint(self._felt - np.float32(shift))
        return np.asarray(np.clip(felt, labels.lowest, labels.highest, out=felt).sum(axis=2))

    def _quality_of(self, sums: Ints | NDArray[np.float32], half: Bools | None = None) -> Floats:
        """HUSE-Q (studies,) of a generator with these sums of ratings, or of a half of each study's contexts."""
        labels, raters = self.pilot.labels, self.size.raters
        values = range(raters * labels.lowest, raters * labels.highest + 1)
        references, models = (count_values(source, values, half) for source in (self._reference, sums))
        return counted_line_values(references, models, K if half is None else neighbours_in(SHARE, K), 1)

    def shift_for(self, difference: float) -> float:
        """Steps of the scale by which the second generator is worse, for this expected difference of HUSE-Q.

        Raises BadInput where no generator is so much worse.
        """
        worst = self.worst()
        if not 0 < difference < worst:
            raise BadInput(
                f"HUSE-Q of the pilot's generator can fall by {max(0.0, worst):.2f}: enter a difference below that",
                column="difference",
            )
        low, high = 0.0, WIDEST_SHIFT
        while high - low > FINEST_SHIFT:
            middle = (low + high) / 2
            low, high = (middle, high) if float(self.differences(middle).mean()) < difference else (low, middle)
        return (low + high) / 2

    def chance(self, difference: float, *, alpha: float = 0.05) -> Chance:
        """How often a difference of HUSE-Q is found that is expected at `difference`. Raises BadInput."""
        check_alpha(alpha)
        sd, stated = self._errors(difference)
        critical = self._critical(alpha) * stated / sd
        power = 1 - _below(critical - difference / sd) + _below(-critical - difference / sd)
        return Chance(power, difference, sd)

    def detectable(self, *, power: float = 0.8, alpha: float = 0.05) -> float | None:
        """Return the smallest difference of HUSE-Q that is found with this power.

        None where none is, as the pilot's generator cannot be so much better than another. Raises BadInput.
        """
        check_alpha(alpha)
        if not alpha < power < 1:
            raise BadInput("a power lies between alpha and 1", column="power")
        critical, chance = self._critical(alpha), normal_quantile(2 * power - 1)
        worst = self.worst()
        difference = min(FIRST_GUESS, worst / 2)
        for _ in range(ROUNDS):
            sd, stated = self._errors(difference)
            difference = critical * stated + chance * sd
            if difference >= worst:
                return None
        return difference

    def worst(self) -> float:
        """Return the largest difference that can be expected: a second generator far below the first."""
        return float(self.differences(WIDEST_SHIFT).mean())

    def _errors(self, difference: float) -> tuple[float, float]:
        """Spread of the difference over studies, and the standard error that they state."""
        shift = self.shift_for(difference)
        floor = error_floor(difference, 2 * self.size.contexts)
        spread = float(self.differences(shift).std(ddof=1))
        return max(spread, floor), max(self.stated_error(shift), floor)

    def _critical(self, alpha: float) -> float:
        return t_quantile(1 - alpha / 2, degrees_of_freedom(2 * self.size.contexts))


def _check(size: StudySize, alpha: float, studies: int, seed: int) -> None:
    size.check()
    check_alpha(alpha)
    if 2 * units_in_draw(size.contexts, SHARE) <= K:
        raise BadInput(
            f"an interval needs more than {K} texts in half of a study: plan at least {K + 2} contexts",
            column="contexts",
        )
    if studies < 2 or seed < 0:
        raise BadInput("studies are at least 2 and a seed at least 0", column="studies")


def _below(score: float) -> float:
    """P(standard normal <= score)."""
    from scipy.special import ndtr

    return float(ndtr(score))
