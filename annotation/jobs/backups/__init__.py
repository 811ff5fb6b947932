"""Backups of an installation as a whole, and restoring them: its verbs are for operators' commands."""
