"""Prose."""
