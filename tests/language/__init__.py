"""How Assay speaks, counted: words that no name, message or page may use (see `CONTRIBUTING.md`, "Words")."""
