"""Best-worst scaling, as a task of Assay."""
