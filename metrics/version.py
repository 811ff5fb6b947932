"""The version that signatures carry."""

__version__ = "0.1.0"
