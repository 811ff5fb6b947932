"""Aws protocol."""
