"""Scores of texts by machine: ROC, h-score, MAUVE, GLTR, detectors."""
