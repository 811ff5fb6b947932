"""Annotations as other people published them, read into candidates: one module a format."""
