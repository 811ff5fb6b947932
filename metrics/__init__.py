"""Measures of generated text from human judgments: pure Python, no Django, no network."""

__version__ = "0.1.0"
