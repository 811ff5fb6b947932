"""Whether an explanation of a practice pair says in words of its own on which side a text stands."""

from __future__ import annotations

import re

from annotation.design.wording import Buttons

# Also where such a word means something else ("at first glance"): then the pair keeps its order, which does no harm.
SIDES = ("first", "second", "left", "right", "former", "latter")


def names_a_side(explanation: str, buttons: Buttons) -> bool:
    """Whether it names a side otherwise than by `{human}` and `{machine}`, so that the sides must stay as written."""
    words = {*SIDES, buttons.first.lower(), buttons.second.lower()}
    named = "|".join(re.escape(word) for word in sorted(words) if word)
    return re.search(rf"(?<!\w)(?:{named})(?!\w)", explanation.lower()) is not None
