"""How dates and times are written, by language, where Django's own form will not do."""
