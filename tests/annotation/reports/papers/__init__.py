"""Tests of the papers around a study."""
