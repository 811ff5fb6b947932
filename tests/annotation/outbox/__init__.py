"""Actions on the marketplace: carried out once, whatever fails."""
