"""A public release of a study: a snapshot that leads to no person, its report, and what describes both."""
