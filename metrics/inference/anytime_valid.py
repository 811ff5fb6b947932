"""An interval that holds at any time, for those who look while the ratings come in (normal mixture, Robbins 1970).

A fixed-sample interval is right at one number of ratings chosen beforehand; one who stops when it looks good is wrong
more often than it says. This one may be looked at after every rating.
"""

from __future__ import annotations

import math

from numpy.typing import ArrayLike

from metrics.data.columns import check_column
from metrics.errors import BadInput, InsufficientData
from metrics.types import Estimate, Interval, Setting
from metrics.version import __version__


def any_time_half_width(t: int, *, sd: float = 1.0, rho: float = 1.0, level: float = 0.95) -> float:
    """Half-width after t independent observations, in units of sd (method, 2.28).

    sd sqrt((t rho^2 + 1) / (t^2 rho^2) ln((t rho^2 + 1) / alpha^2)), alpha = 1 - level. rho tunes the t at which the
    interval is narrowest and is fixed beforehand. Raises BadInput.
    """
    if t < 1 or not (0 <= sd < math.inf and 0 < rho < 1e6 and 0 < level < 1):
        raise BadInput("t is at least 1, sd at least 0, rho above 0, and a level lies between 0 and 1")
    mass = t * rho**2 + 1
    return sd * math.sqrt(mass / (t**2 * rho**2) * (math.log(mass) - 2 * math.log(1 - level)))


def any_time_mean(values: ArrayLike, *, sd: float | None = None, rho: float = 1.0, level: float = 0.95) -> Estimate:
    """Mean of the observations so far with an any-time interval, in their units.

    values: (t,) independent, identically distributed, in the order they came. sd: known, or a bound (half the range
    of the scale is always safe); None: estimated, flag `sd_estimated`, and the guarantee holds only for large t.
    One value and no sd: no interval, flag `single_value`. Raises InsufficientData without a value, BadInput.
    """
    seen = check_column(values, "values")
    t = len(seen)
    if not t:
        raise InsufficientData("A mean needs a value.")
    mean = float(seen.mean())
    settings: dict[str, Setting] = {"rho": rho, "sd": sd}
    signature = f"any_time_mean|n:{t}|rho:{rho:g}|v:{__version__}"
    if sd is None and t == 1:
        any_time_half_width(1, rho=rho, level=level)
        return Estimate(mean, 1, None, settings, ("single_value",), signature)
    used = float(seen.std(ddof=1)) if sd is None else sd
    half = any_time_half_width(t, sd=used, rho=rho, level=level)
    flags = ("sd_estimated",) if sd is None else ()
    interval = Interval(mean - half, mean + half, level, "normal mixture, at any time")
    return Estimate(mean, t, interval, settings | {"sd": used}, flags, signature)
