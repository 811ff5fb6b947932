"""The border where files come in: strict readers that give frozen records, or say what is wrong and where."""
