"""Processes killed, answers dropped, messages lost, servers restarted: a study comes out whole, and paid once."""
