"""Worker models."""
