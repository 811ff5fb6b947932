"""Findings, methods, citation and references in sentences."""
