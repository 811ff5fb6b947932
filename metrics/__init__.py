"""Measures of generated text from human judgments: pure Python, no Django, no network."""

__version__ = "0.1.0"

from metrics.huse import evaluate
from metrics.types import MODEL, REFERENCE, Estimate, HuseResult, Interval, Item, Rating

__all__ = ["MODEL", "REFERENCE", "Estimate", "HuseResult", "Interval", "Item", "Rating", "evaluate"]
