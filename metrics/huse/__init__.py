"""HUSE, HUSE-Q and HUSE-D, their intervals and sensitivity."""
