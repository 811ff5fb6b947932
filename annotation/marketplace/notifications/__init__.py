"""Telling requesters what happens to their HITs: events, documents, and the ways they are sent."""
