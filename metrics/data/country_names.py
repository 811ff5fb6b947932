"""How a country's two letters are written within a sentence."""

from __future__ import annotations

WITH_ARTICLE = {"US": "the US", "GB": "the UK", "AE": "the UAE"}


def name_country(code: str) -> str:
    """The two letters, with the article of those that have one.

    >>> name_country("US"), name_country("DE")
    ('the US', 'DE')
    """
    return WITH_ARTICLE.get(code, code)
