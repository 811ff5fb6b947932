"""How much HUSE hangs on the choices behind it: k, ties, votes, length normalisation (paper sections 3.2 and 4.1).

The default is fixed before looking (k = 16, exact ties, vote ties to the reference, per unit of length). The other rows
show what other choices would have given; choosing among them afterwards is a forking path.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from metrics.data.arrays import Bools, Ints
from metrics.data.items import check_items, leave_out_log_prob
from metrics.huse.estimate import FEW_OF_A_SOURCE, evaluate
from metrics.huse.subsets import Study
from metrics.types import Estimate, HuseResult, Item, Missing, Mode, Setting, VoteTie
from metrics.version import __version__

KS = (1, 3, 5, 7, 9, 11, 13, 15, 16, 17, 19, 21, 25, 31, 41, 51, 75, 99)
VOTE_TIES: tuple[VoteTie, ...] = ("half", "model")
NOT_NORMALISED = "total log p, not per unit of length"
SUBSAMPLES, SUBSAMPLE_SEED = 200, 0
OF_UNEQUAL_SIZES = {"unbalanced", "vote_unbalanced", FEW_OF_A_SOURCE, "above_one", "out_of_range"}


@dataclass(frozen=True, slots=True)
class SensitivityRow:
    """One set of choices: `choice` in words, what changed against the default, and the four measures."""

    choice: str
    changed: Mapping[str, Setting]
    result: HuseResult


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """Rows by kind of choice; `default` is the headline. Values only: intervals belong to the default alone.

    by_k: neighbours, ascending. by_tie: rules for ties. unnormalised: log p not divided by length. n: items.
    equal_sizes: mean of 200 subsamples with as many texts of each source as the smaller has; None where both have as
    many, or the smaller too few for k. left_out: values of k that the items are too few for. flags: of the default.
    """

    default: HuseResult
    by_k: tuple[SensitivityRow, ...]
    by_tie: tuple[SensitivityRow, ...]
    unnormalised: SensitivityRow
    left_out: tuple[int, ...]
    n: int
    settings: Mapping[str, Setting]
    flags: tuple[str, ...]
    signature: str
    equal_sizes: SensitivityRow | None = None

    @property
    def rows(self) -> tuple[SensitivityRow, ...]:
        """Every row but the default."""
        return (*filter(None, [self.equal_sizes]), *self.by_tie, self.unnormalised, *self.by_k)


def sensitivity_table(
    items: Sequence[Item],
    ks: Sequence[int] = KS,
    *,
    k: int = 16,
    mode: Mode = "exact",
    missing: Missing = "error",
    seed: int = 0,
) -> Sensitivity:
    """HUSE and its kin under other choices, one changed at a time.

    ks: numbers of neighbours to try; those above n - 1 are skipped and named. k, mode, seed: the default's. The rows by
    tie are the other mode (exact ties, or the original's floats) and the other rules for equal votes.
    Raises as `evaluate`.
    """
    items = list(items)

    def values(
        chosen_items: Sequence[Item] = items, k: int = k, mode: Mode = mode, tie: VoteTie = "reference"
    ) -> HuseResult:
        return evaluate(chosen_items, [mode], k=k, vote_tie=tie, missing=missing, draws=0, seed=seed)[mode]

    default = values()
    n = default.huse_q.n
    other: Mode = "paper" if mode == "exact" else "exact"
    by_tie = [SensitivityRow(f"{other} ties", {"mode": other}, values(mode=other))]
    by_tie += [SensitivityRow(f"equal votes: {t}", {"vote_tie": t}, values(tie=t)) for t in VOTE_TIES]
    neighbors = sorted(set(ks))
    by_k = tuple(SensitivityRow(f"k = {number}", {"k": number}, values(k=number)) for number in neighbors if number < n)
    unit_length = [replace(item, length=1) for item in items]
    return Sensitivity(
        default=default,
        by_k=by_k,
        by_tie=tuple(by_tie),
        unnormalised=SensitivityRow(NOT_NORMALISED, {"length_normalised": False}, values(unit_length)),
        left_out=tuple(number for number in neighbors if number >= n),
        n=n,
        settings={"k": k, "mode": mode, "vote_tie": "reference", "length_normalised": True},
        flags=default.huse.flags,
        signature=f"sensitivity|n:{n}|k:{k}|ties:{mode}|v:{__version__}",
        equal_sizes=_equal_sizes(items, default, k, missing),
    )


def _equal_sizes(items: Sequence[Item], default: HuseResult, k: int, missing: Missing) -> SensitivityRow | None:
    """Mean over subsamples that hold every text of the smaller source and as many of the other; exact ties."""
    without = missing == "quality_only" and any(item.log_prob is None for item in items)
    table = check_items(leave_out_log_prob(items) if without else items, k=k, missing=missing)
    size = min(table.sizes)
    if table.sizes[0] == table.sizes[1] or 2 * size <= k:
        return None
    drawn = Study(table.hj_integers, table.q, table.z, k).values(_subsamples(table.z, size))
    changed: dict[str, Setting] = {"texts_of_each_source": size, "draws": SUBSAMPLES, "seed": SUBSAMPLE_SEED}
    means = {field.name: float(getattr(drawn, field.name).mean()) for field in fields(HuseResult)}

    def mean(name: str) -> Estimate:
        estimate: Estimate = getattr(default, name)
        settings = {key: value for key, value in estimate.settings.items() if key != "tied_votes"}
        settings |= {"n_reference": size, "n_model": size, **changed}
        flags = tuple(flag for flag in estimate.flags if flag not in OF_UNEQUAL_SIZES)
        signature = f"{name}|n:{2 * size}|k:{k}|subsamples:{SUBSAMPLES}|seed:{SUBSAMPLE_SEED}|v:{__version__}"
        value = None if estimate.value is None else means[name]
        return replace(
            estimate, value=value, n=2 * size, interval=None, settings=settings, flags=flags, signature=signature
        )

    choice = f"{size} texts of each source, mean of {SUBSAMPLES} subsamples"
    return SensitivityRow(choice, changed, HuseResult(**{name: mean(name) for name in means}))


def _subsamples(z: Bools, size: int) -> Ints:
    """(SUBSAMPLES, 2 x size) text numbers: `size` of each source, drawn without replacement."""
    rng = np.random.default_rng(SUBSAMPLE_SEED)
    sides = [np.flatnonzero(side) for side in (z, ~z)]
    drawn = [source_rows[rng.random((SUBSAMPLES, len(source_rows))).argsort(axis=1)[:, :size]] for source_rows in sides]
    return np.concatenate(drawn, axis=1)
