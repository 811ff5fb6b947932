"""Decisions on assignments and workers, and what a reviewer reads before them."""
