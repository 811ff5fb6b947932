"""The researcher's console. Thin doors: fetch with permission, validate, call one verb, answer."""
