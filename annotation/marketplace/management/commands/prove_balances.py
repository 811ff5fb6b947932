"""The command `check_balances` under its earlier name, for one release."""

from annotation.marketplace.management.commands.check_balances import Command

__all__ = ["Command"]
