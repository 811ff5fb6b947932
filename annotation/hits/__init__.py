"""Hits."""
