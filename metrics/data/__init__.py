"""Validated inputs, strict readers, number format."""
