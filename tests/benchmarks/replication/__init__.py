"""Figures of others and those of Assay on the same data (`make replicate`)."""
