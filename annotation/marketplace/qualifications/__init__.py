"""Qualification types, requests, tests and requirements."""
