"""The texts of a study: stored, selected, generated, retrieved, scored."""
