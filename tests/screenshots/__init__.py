"""`make screenshots`: every page and figure, narrow and wide, light and dark, into var/screenshots.

A page joins by a line in `console`, `workers`, `hits` or `figures` (see `shots.Shot`); the states that it is shown
in are made by `staged` and `crowded`.
"""
