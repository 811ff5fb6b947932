"""A whole study rehearsed on simulated raters with known truths. Stands outside both rooms; neither imports it."""
