"""Outbox."""
