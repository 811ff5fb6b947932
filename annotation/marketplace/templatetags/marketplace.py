"""How the worker pages write money and lengths of time."""

from __future__ import annotations

from django import template
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.marketplace.money import dollars

register = template.Library()

MINUTE, HOUR, DAY = 60, 3600, 86_400


@register.filter
def usd(amount_cents: int) -> str:
    """Cents as $1.00."""
    return f"${dollars(amount_cents)}"


@register.filter
def duration(seconds: float) -> str:
    """Seconds in the largest unit that leaves at least two of it, rounded down."""
    whole = max(0, int(seconds))
    if whole >= 2 * DAY:
        return ngettext("%(count)d day", "%(count)d days", whole // DAY) % {"count": whole // DAY}
    if whole >= 2 * HOUR:
        return ngettext("%(count)d hour", "%(count)d hours", whole // HOUR) % {"count": whole // HOUR}
    if whole >= MINUTE:
        return ngettext("%(count)d minute", "%(count)d minutes", whole // MINUTE) % {"count": whole // MINUTE}
    return _("at once") if not whole else ngettext("%(count)d second", "%(count)d seconds", whole) % {"count": whole}
