"""Verbs: each module does one thing to a study. A door composes them; verbs do not call verbs."""
