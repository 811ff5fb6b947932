"""Recruiting by channels."""
