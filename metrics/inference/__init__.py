"""Tests, intervals, models and power."""
