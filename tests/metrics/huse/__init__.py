"""Huse."""
