"""`make screenshots`: every page and figure, narrow and wide, light and dark, into var/screenshots.

A page joins by a line in a module of this folder that has a list called SHOTS (see `shots.Shot`).
"""
