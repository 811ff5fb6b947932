"""Recruiting: the channels by which people come to a study. What people are called stays at the marketplace."""
