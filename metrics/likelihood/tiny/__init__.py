"""The model that comes with Assay, for trying things out: byte 5-grams of Assay's own documents, without torch.

Its numbers say nothing about texts. `open_model("assay-tiny")` opens it.
"""

from __future__ import annotations

from metrics.likelihood.tiny.model import TinyModel, open_tiny

__all__ = ["TinyModel", "open_tiny"]
