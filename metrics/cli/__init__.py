"""The commands of `python -m metrics`: one module each, with `add` (its arguments) and `run` (its text)."""
