"""The worker site under load: `python -m tests.load`."""
