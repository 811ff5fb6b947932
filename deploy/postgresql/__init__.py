"""Django's PostgreSQL backend with a health check that asks the socket before it asks the server, and a limit of the
wait for locks that requests have for themselves."""
