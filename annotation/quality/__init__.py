"""Pure functions on the quality of work: evidence about assignments and workers. Evidence decides nothing."""
