"""Checklists."""
