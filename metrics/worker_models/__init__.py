"""Models of raters: Dawid-Skene, MACE."""
