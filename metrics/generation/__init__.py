"""Texts sampled from models, each with every setting that made it and the log-probability it was sampled with."""

from metrics.generation.overlap import overlap
from metrics.generation.records import Generated, Priming, Settings

__all__ = ["Generated", "Priming", "Settings", "overlap"]
