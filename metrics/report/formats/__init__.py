"""HTML, LaTeX, CSV, JSON, PDF and RO-Crate."""
