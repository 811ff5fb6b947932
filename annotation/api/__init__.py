"""The web API under /api/v1/: the same permissions and the same verbs as the console, for programs."""
