"""The one error of the client: a sentence."""

from __future__ import annotations

from collections.abc import Mapping


class StudioError(Exception):
    """Why the studio did not do something. Nothing was changed, unless the sentence says so.

    code: the web API's (`input`, `design`, `budget`, `market`, `state`, `role`, `sign-in`, `absent`), or `connection`,
    `job` (long work failed) and `timeout`. fields: the rule that each invalid field breaks.
    """

    def __init__(self, sentence: str, *, code: str, fields: Mapping[str, str] | None = None) -> None:
        super().__init__(sentence)
        self.code, self.fields = code, dict(fields or {})
