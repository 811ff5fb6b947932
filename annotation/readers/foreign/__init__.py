"""Files that other tools wrote: any container, any columns, read by a mapping into our own columns."""
