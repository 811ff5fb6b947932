"""The worker site: the pages on which workers find, accept and submit tasks."""
