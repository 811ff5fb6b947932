"""Heading and sentence of the page that says why a task cannot be started: the reason, and one thing to do."""

from __future__ import annotations

from django.utils.translation import gettext as _

from annotation.marketplace.site.shown_terms import PAY_CHANGED

# Refusals that are about the person rather than the state of a task.
FORBIDDEN = frozenset({"unqualified", "series", "blocked", "uninvited"})


def refusal_message(reason: str, *, participant: bool) -> tuple[str, str]:
    """Heading and sentence for a word of WorkRefusedError. `participant`: who came by a link, and has no account."""
    return (_to_participants() if participant else _to_accounts())[reason]


def _to_accounts() -> dict[str, tuple[str, str]]:
    return {
        "full": (_("This task is full"), _("This task was just filled. Choose another task.")),
        "closed": (_("This task is closed"), _("It can no longer be accepted. Choose another task.")),
        "held": (
            _("You already have this task"),
            _("You have accepted or done it. Each person may do a task once. Choose another task."),
        ),
        "blocked": (
            _("This task is not open to you"),
            _("This requester has blocked your account. Choose another task."),
        ),
        "unqualified": (
            _("This task requires qualifications"),
            _("Your account does not meet its requirements. Choose another task."),
        ),
        # The page names the other study, and what the person can do.
        "series": (
            _("You have begun another study of this series"),
            _("Each person takes part in one study of this series."),
        ),
        "uninvited": (
            _("This task is not open to you"),
            _(
                "It is only for invited participants. If you have an invitation, open its link. Otherwise choose "
                "another task."
            ),
        ),
        "not-yet": (
            _("This task is not open yet"),
            _("You can start it from the time below. Open this page again then."),
        ),
        PAY_CHANGED: (
            _("The pay has changed"),
            _(
                "The requester changed the pay after you opened the page. You have not accepted the task. Open it "
                "again to read the new pay."
            ),
        ),
    }


def _to_participants() -> dict[str, tuple[str, str]]:
    closed = (_("The study is over"), _("It accepts no further answers. You can close this page."))
    return {
        "full": (_("All places are taken"), _("A place may open later: you can open this page again.")),
        "closed": closed,
        "uninvited": closed,
        "not-yet": closed,
        "held": (_("You have this task already"), _("Each person can do a task once. Go back to the study.")),
        "blocked": (
            _("This study is not open to you"),
            _(
                "The people who run it do not accept further work from you. If you think that this is a mistake, write "
                "to the person who sent you the link."
            ),
        ),
        "unqualified": (
            _("This task is not open to you"),
            _(
                "You do not meet its requirements. If you think that this is a mistake, write to the person who sent "
                "you the link."
            ),
        ),
        PAY_CHANGED: (
            _("The pay has changed"),
            _(
                "It was changed after you opened the page. You have not started. Go back to the study to read the new "
                "pay."
            ),
        ),
    }
