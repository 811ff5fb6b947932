"""Assignments: accept, submit, drafts, decisions, expiry."""
