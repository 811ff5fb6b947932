"""Log probs."""
