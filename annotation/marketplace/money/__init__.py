"""Ledger, fees and the check of balances."""
