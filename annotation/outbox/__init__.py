"""Intents and their execution, each carried out once."""
