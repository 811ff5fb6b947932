"""Participants who come by a link: admission, completion, withdrawal."""
