"""Django's PostgreSQL backend with a health check that asks the socket before it asks the server."""
