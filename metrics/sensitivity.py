"""How much HUSE hangs on the choices behind it: k, ties, votes, length normalisation (paper sections 3.2 and 4.1).

The default is fixed before looking (k = 16, exact ties, vote ties to the reference, per unit of length). The other rows
show what other choices would have given; choosing among them afterwards is a forking path.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from metrics.huse import evaluate
from metrics.types import HuseResult, Item, Missing, Mode, Setting, VoteTie
from metrics.version import __version__

KS = (1, 3, 5, 7, 9, 11, 13, 15, 16, 17, 19, 21, 25, 31, 41, 51, 75, 99)
VOTE_TIES: tuple[VoteTie, ...] = ("half", "model")
NOT_NORMALISED = "total log p, not per unit of length"


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
    left_out: values of k that the items are too few for. flags: of the default.
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

    @property
    def rows(self) -> tuple[SensitivityRow, ...]:
        """Every row but the default."""
        return (*self.by_tie, self.unnormalised, *self.by_k)


def sensitivity_table(
    items: Sequence[Item], ks: Sequence[int] = KS, *, k: int = 16, mode: Mode = "exact", missing: Missing = "error"
) -> Sensitivity:
    """HUSE and its kin under other choices, one changed at a time.

    ks: numbers of neighbours to try; those above n - 1 are left out and named. k, mode: the default's. The rows by tie
    are the other mode (exact ties, or the original's floats) and the other rules for equal votes.
    Raises as `evaluate`.
    """
    items = list(items)

    def values(given: Sequence[Item] = items, k: int = k, mode: Mode = mode, tie: VoteTie = "reference") -> HuseResult:
        return evaluate(given, [mode], k=k, vote_tie=tie, missing=missing, draws=0)[mode]

    default = values()
    n = default.huse_q.n
    other: Mode = "paper" if mode == "exact" else "exact"
    by_tie = [SensitivityRow(f"{other} ties", {"mode": other}, values(mode=other))]
    by_tie += [SensitivityRow(f"equal votes: {t}", {"vote_tie": t}, values(tie=t)) for t in VOTE_TIES]
    wanted = sorted(set(ks))
    by_k = tuple(SensitivityRow(f"k = {one}", {"k": one}, values(k=one)) for one in wanted if one < n)
    whole = [replace(item, length=1) for item in items]
    return Sensitivity(
        default=default,
        by_k=by_k,
        by_tie=tuple(by_tie),
        unnormalised=SensitivityRow(NOT_NORMALISED, {"length_normalised": False}, values(whole)),
        left_out=tuple(one for one in wanted if one >= n),
        n=n,
        settings={"k": k, "mode": mode, "vote_tie": "reference", "length_normalised": True},
        flags=default.huse.flags,
        signature=f"sensitivity|n:{n}|k:{k}|ties:{mode}|v:{__version__}",
    )
