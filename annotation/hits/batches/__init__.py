"""Batches: HITs from a template with variables and a table, as the requester site of Mechanical Turk made them."""
