"""How raters came to their arm, and the one sentence that every comparison of arms carries.

Arms that people choose differ in their people too, so a difference between them is not an effect of the training alone.
"""

from __future__ import annotations

from typing import Literal

# chosen: from a list of tasks; waves: one arm was open after another; drawn: at random.
ArmAssignment = Literal["chosen", "waves", "drawn"]

_CHOSEN = "raters {take} tasks, and with them their arm, from a list that {show} the pay"
_WAVES = "arms {are} published one after another, and raters {go} to the arm that {is} open"
_TENSES = (
    {"is": "is", "are": "are", "take": "take", "show": "shows", "go": "go"},
    {"is": "was", "are": "were", "take": "took", "show": "showed", "go": "went"},
)
UNKNOWN = "How raters were assigned to arms is not known."


def assignment_sentence(how: ArmAssignment | None, *, ahead: bool = False) -> str:
    """What a comparison of arms must say of how raters came to them; "" where the arm was drawn.

    how: None where it is not known. ahead: before the study is published, in the present tense.

    >>> assignment_sentence("drawn")
    ''
    """
    if how == "drawn":
        return ""
    if how is None:
        return UNKNOWN
    words = _TENSES[not ahead]
    reason = (_CHOSEN if how == "chosen" else _WAVES).format(**words)
    return f"Assignment to arms {words['is']} not random: {reason}."


def draw_sentence(draws: int, seed: str) -> str:
    """How people were assigned where the marketplace drew their condition.

    >>> draw_sentence(120, "7").partition(":")[0]
    'Conditions were assigned at random when people entered (120 draws, seed 7)'
    """
    return (
        f"Conditions were assigned at random when people entered ({draws} {'draw' if draws == 1 else 'draws'}, seed "
        f"{seed}): each person to the one with the fewest people who had finished or were inside, among those with a "
        "free place, ties at random."
    )


# As notes of tables have them.
SENTENCES = frozenset((UNKNOWN, assignment_sentence("chosen"), assignment_sentence("waves")))
