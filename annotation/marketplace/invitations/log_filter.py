"""Logs name no secret: tokens in addresses are removed."""

from __future__ import annotations

import logging
import re

# As in deploy/proxy/nginx.conf: whatever follows may be a token.
_TOKEN = re.compile(
    r"(/(?:hits/(?:in|enter|prolific|s|frame|reset|register|account/address)|console/(?:enter|join)|shared|pages)/)[^\s?]+"
)


class WithoutTokens(logging.Filter):
    """Leaves the tokens of invitation, sign-in and mailed links out of what Django says of requests."""

    def filter(self, record: logging.LogRecord) -> bool:
        if isinstance(record.args, tuple):
            record.args = tuple(
                _TOKEN.sub(r"\1...", argument) if isinstance(argument, str) else argument for argument in record.args
            )
        return True
