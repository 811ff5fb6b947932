"""Assignments."""
