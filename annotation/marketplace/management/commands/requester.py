"""The command `create_requester` under its earlier name, for one release."""

from annotation.marketplace.management.commands.create_requester import Command

__all__ = ["Command"]
