"""Django's backend for SQLite, whose threads wait for each other instead of asking again and again."""
