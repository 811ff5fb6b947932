"""Several studies in one report."""
