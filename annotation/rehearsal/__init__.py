"""A complete study rehearsed on simulated raters with known truths. No other package imports it."""
