"""Qualifications."""
