"""The draw: each person of a study is assigned to one of its cells, the least filled at that moment."""
