"""Human-or-machine accuracy of evaluators."""
