"""How the worker pages write money and lengths of time."""

from __future__ import annotations

from datetime import UTC, datetime

from django import template
from django.conf import settings
from django.forms import BoundField, CheckboxInput
from django.http import HttpRequest
from django.template import Context, Node, NodeList
from django.template.base import FilterExpression, Parser, Token
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from annotation.marketplace.cents import format_money
from annotation.marketplace.site import hosts

register = template.Library()

MINUTE, HOUR, DAY = 60, 3600, 86_400


@register.simple_tag
def site_hosts() -> str:
    """Our own hosts, to which no link of a task may lead."""
    return " ".join(hosts.site_hosts())


@register.filter
def money(amount_cents: int, currency: str) -> str:
    """Minor units of a currency as the reader's language writes them: $1.00, €1.25 or 1,25 €, ¥150."""
    return format_money(amount_cents, currency, get_language() or "en")


@register.filter
def moment(at: datetime | None) -> SafeString | str:
    """A time in UTC, which it names; the page's script rewrites it in the reader's zone. "" for None."""
    if at is None:
        return ""
    in_utc = at.astimezone(UTC)
    words = date_format(in_utc, "DATETIME_FORMAT")
    return format_html('<time datetime="{}" data-moment>{} UTC</time>', in_utc.isoformat(timespec="seconds"), words)


@register.filter
def duration(seconds: float) -> str:
    """Seconds in the largest unit that leaves at least two of it, rounded down."""
    total = max(0, int(seconds))
    if total >= 2 * DAY:
        return ngettext("%(count)d day", "%(count)d days", total // DAY) % {"count": total // DAY}
    if total >= 2 * HOUR:
        return ngettext("%(count)d hour", "%(count)d hours", total // HOUR) % {"count": total // HOUR}
    if total >= MINUTE:
        return ngettext("%(count)d minute", "%(count)d minutes", total // MINUTE) % {"count": total // MINUTE}
    return _("at once") if not total else ngettext("%(count)d second", "%(count)d seconds", total) % {"count": total}


@register.simple_tag(takes_context=True)
def place(context: Context, name: str) -> SafeString:
    """The opening tag of a link to a page of the site; says so when it is the page that is open."""
    address = reverse(name)
    request: HttpRequest | None = context.get("request")
    is_open = request is not None and request.path == address
    return format_html('<a href="{}"{}>', address, format_html(' aria-current="{}"', "page") if is_open else "")


class CachedNode(Node):
    """What is between {% cached ... %} and {% endcached %}: made once for each language and value of the arguments.

    These must be all that the content depends on, and have few values: nothing is ever thrown away.
    """

    def __init__(self, content: NodeList, arguments: list[FilterExpression]) -> None:
        self.content, self.arguments = content, arguments
        self.rendered: dict[tuple[str, ...], SafeString] = {}

    def render(self, context: Context) -> SafeString:
        key = (get_language() or "", *(str(argument.resolve(context)) for argument in self.arguments))
        rendered = self.rendered.get(key)
        if rendered is None:
            rendered = self.rendered[key] = self.content.render(context)
        return rendered


@register.tag
def cached(parser: Parser, token: Token) -> CachedNode:
    arguments = [parser.compile_filter(each) for each in token.split_contents()[1:]]
    content = parser.parse(("endcached",))
    parser.delete_first_token()
    return CachedNode(content, arguments)


@register.simple_tag
def contact() -> str:
    """The address of the people who run this site; may be empty."""
    return str(settings.SITE_CONTACT)


@register.simple_tag
def registration() -> bool:
    """Return whether people may register."""
    return bool(settings.WORKER_REGISTRATION)


@register.filter
def ticked(field: BoundField) -> bool:
    """Whether a form's field is a box to tick: its label follows it."""
    return isinstance(field.field.widget, CheckboxInput)


@register.filter
def state_word(state: str) -> str:
    """What workers read for the state of an assignment."""
    return {
        "Accepted": _("Being worked on"),
        "Submitted": _("Waiting for a decision"),
        "Approved": _("Approved"),
        "Rejected": _("Rejected"),
        "Returned": _("Returned"),
        "Abandoned": _("Time ran out"),
    }[state]
