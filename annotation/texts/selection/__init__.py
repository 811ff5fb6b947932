"""Choosing texts: pure rules, each named and counted."""
