"""Simulated workers. They know the worker site only as a browser does: by HTTP."""
