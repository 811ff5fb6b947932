"""Text scores."""
