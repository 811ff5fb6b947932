"""Prolific as a crowd: studies are created there, followed, decided and paid from here.

`client` speaks HTTP, `records` is what it answers, `work` is one pass over everything that is due.
"""
