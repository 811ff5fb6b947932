"""Worker accounts: registration, sessions, messages, payouts."""
