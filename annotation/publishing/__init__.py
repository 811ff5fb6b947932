"""A study goes to the marketplace: preflight, publish, top up, pause, end."""
