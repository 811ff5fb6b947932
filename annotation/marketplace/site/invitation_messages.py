"""What people read at the door."""

from __future__ import annotations

from django.utils.translation import gettext as _


def door_message(word: str) -> tuple[str, str]:
    """Heading and sentence for what a visitor meets (`door.Door.word`, and unknown, slow, declined, consent)."""
    return {
        "welcome": (_("You are invited to take part"), ""),
        "consent": (_("Please read this again"), _("The text below has changed since you opened the page.")),
        "back": (_("Welcome back"), _("You can go on where you stopped.")),
        "already": (
            _("You have already taken part"),
            _("Thank you. Each person can take part once, so there is nothing more to do here."),
        ),
        "other-link": (
            _("You have already begun"),
            _(
                "You began this study with another link. Each person takes part once: please go on with that link. "
                "If you no longer have it, write to the person who sent it."
            ),
        ),
        "withdrawn": (
            _("You have withdrawn your answers"),
            _("They are erased. There is nothing more to do here."),
        ),
        "blocked": (
            _("This study is not open to you"),
            _(
                "The people who run it do not accept further work from you. Nothing was recorded. If you think that "
                "this is a mistake, write to the person who sent you the link."
            ),
        ),
        "needs-id": (
            _("This link is not complete"),
            _("Your participant ID is missing. Open the study again from your panel."),
        ),
        "odd-id": (
            _("This link cannot be read"),
            _(
                "The participant ID in it was not filled in, is too long, or is not the only one. Please open the "
                "study again from your panel. If you read this again, write to the person who sent you the link."
            ),
        ),
        "not-yet": (_("The study has not begun"), _("Please open this link again later.")),
        "closed": (
            _("The study is over"),
            _("Thank you for your interest. The study accepts no new participants, so you do not need to do anything."),
        ),
        "full": (
            _("All places are taken"),
            _("Thank you for your interest. The study is full. A place may open later: you can try this link again."),
        ),
        "unqualified": (
            _("This study is not open to you"),
            _(
                "Its tasks have requirements that you do not meet. Nothing was recorded. If you think that this is a "
                "mistake, write to the person who sent you the link."
            ),
        ),
        "device": (
            _("This study needs another device"),
            _(
                "Its tasks were made for other devices than this one. Nothing was recorded. Open the study on a "
                "suitable device, or return to Prolific, so that your place is free for another person."
            ),
        ),
        "unknown": (
            _("This link does not lead anywhere"),
            _("Please check that it was copied completely, or ask the person who sent it."),
        ),
        "declined": (
            _("You are not taking part"),
            _("That is perfectly fine. Nothing about you was kept, and you will get no more mail about this study."),
        ),
    }[word]
