"""How well evaluators tell human from machine text."""
