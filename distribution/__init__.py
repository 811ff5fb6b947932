"""How the packages for the Python package index are built from the repository: one import package, `textassay`."""
