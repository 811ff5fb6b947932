"""Log-probabilities of texts: stored, queued, computed."""
