"""The command `create_worker` under its earlier name, for one release."""

from annotation.marketplace.management.commands.create_worker import Command

__all__ = ["Command"]
