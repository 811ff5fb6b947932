"""The version that signatures carry."""

__version__ = "1.0.0"
