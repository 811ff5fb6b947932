"""Files that other tools wrote."""
