"""Pages to look at single texts: self-contained HTML, no script, no network."""
