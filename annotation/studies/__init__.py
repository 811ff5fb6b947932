"""A study as such: creation, members, access, blinding, statements, audit."""
