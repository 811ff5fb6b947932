"""What is known of the rehearsal's generators, as the report takes it."""

from __future__ import annotations

from annotation.rehearsal.script import generator_name
from annotation.rehearsal.world import Design, truths
from metrics.report.records import KnownValue, Truth


def known_truths(design: Design) -> dict[str, Truth]:
    """Truths by generator; none for a design other than the one they were measured for.

    Raises `truths.TruthsError` when the stored truths do not belong to the shipped world.
    """
    if design != Design():
        return {}
    stored = truths.load()
    return {generator_name(t): _truth(stored, t) for t in design.temperatures}


def _truth(stored: truths.Truths, temperature: float) -> Truth:
    truths = stored.at(temperature)
    return Truth(
        temperature=temperature,
        l_star=_known(truths.l_star),
        l_phi=_known(truths.l_phi["huse"]),
        l_phi_q=_known(truths.l_phi["huse_q"]),
        huse=_known(truths.expected["huse"]),
        huse_q=_known(truths.expected["huse_q"]),
        huse_d=_known(truths.expected["huse_d"]),
        studies=stored.studies,
        raters=stored.design.ratings,
        texts=stored.design.references,
    )


def _known(value: truths.Known) -> KnownValue:
    return KnownValue(value.value, value.se)
