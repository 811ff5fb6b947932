"""From the database to metrics: reports, exports, shared links."""
