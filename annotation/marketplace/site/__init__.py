"""The worker site: the pages on which people find, do and hand in work."""
