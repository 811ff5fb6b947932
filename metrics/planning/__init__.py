"""Precision before a cent is spent: what a pilot says about texts and raters, and studies simulated from it."""

from metrics.planning.crossed import CrossedDesign, CrossedPower, Spreads, crossed_power
from metrics.planning.huse_precision import Precision, expected_precision, precision_table
from metrics.planning.pilot import NormalTexts, Pilot, PilotTexts, SourceTexts, fit_pilot, known_pilots, prior_pilot

__all__ = [
    "CrossedDesign",
    "CrossedPower",
    "NormalTexts",
    "Pilot",
    "PilotTexts",
    "Precision",
    "SourceTexts",
    "Spreads",
    "crossed_power",
    "expected_precision",
    "fit_pilot",
    "known_pilots",
    "precision_table",
    "prior_pilot",
]
