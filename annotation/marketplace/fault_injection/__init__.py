"""Faults on demand: an application of its own, installed by the settings of development and tests only."""
