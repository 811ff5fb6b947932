"""Studies, texts and reports that come from files."""
