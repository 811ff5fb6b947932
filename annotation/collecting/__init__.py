"""From the marketplace to judgments."""
