"""What a person reads of pay, currency and minutes on a page. It shares nothing with the code that writes them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lxml import html

# As people write money: the sign, its currency, the decimals of the currency.
SIGNS = {"$": ("USD", 2), "€": ("EUR", 2), "¥": ("JPY", 0), "CHF": ("CHF", 2)}
_NUMBER = r"[0-9](?:[0-9.,\u2019]*[0-9])?"
_MONEY = re.compile(rf"(?P<before>\$|€|¥|CHF)?\s?(?P<number>{_NUMBER})(?:\s(?P<after>€|¥|CHF|\$))?")
_MINUTES = re.compile(r"(?:about|etwa) ([0-9]+) (?:minutes?|Minuten?)")
LABELS = {"Pay": "pay", "Bezahlung": "pay", "Time": "time", "Dauer": "time"}


class UnreadableError(AssertionError):
    """A page that says something about pay which a person could not understand."""


@dataclass(frozen=True)
class Terms:
    """Minor units of pay, its currency, whole minutes: None where the page does not say."""

    minor: int | None
    currency: str = ""
    minutes: int | None = None


def read_money(text: str) -> tuple[int, str]:
    """The first amount in `text`: minor units and currency."""
    for match in _MONEY.finditer(text):
        sign = match["before"] or match["after"]
        if sign is None:
            continue
        currency, digits = SIGNS[sign]
        # In German the sign follows and the decimals come after a comma; dollars are written alike everywhere.
        decimal = "," if match["after"] else "."
        grouping = {",": ".", ".": ","}[decimal]
        whole, _, part = match["number"].replace(grouping, "").replace("\u2019", "").partition(decimal)
        if len(part) != digits or not whole.isdigit():
            raise UnreadableError(f"{match[0]!r} is not an amount of {currency}")
        return int(whole + part), currency
    raise UnreadableError(f"no amount in {text!r}")


def words_of(page: bytes) -> str:
    tree = html.fromstring(page)
    for node in tree.xpath("//script | //style | //noscript | //*[@hidden]"):
        node.drop_tree()
    return " ".join(tree.text_content().split())


def read_terms(page: bytes) -> Terms:
    """Pay and time of the facts on a page, or of the sentence about the next task."""
    facts = {
        LABELS[label]: " ".join(row.xpath("string(dd)").split())
        for row in html.fromstring(page).xpath("//dl[contains(@class, 'facts')]/div")
        if (label := " ".join(row.xpath("string(dt)").split())) in LABELS
    }
    if not facts:
        sentence = re.search(r"(?:Next task|Nächste Aufgabe): (.*?)\.(?= |$)", words_of(page))
        facts = {"pay": sentence[1], "time": sentence[1]} if sentence else {}
    minutes = _MINUTES.search(facts.get("time", ""))
    pay = facts.get("pay", "")
    told = int(minutes[1]) if minutes else None
    if not re.search(r"[0-9]", pay) or re.search(rf"{_NUMBER}\S*\s?\S? (?:to|bis) ", pay):
        return Terms(None, "", told)
    minor, currency = read_money(pay)
    if told and (hourly := re.search(r"\((.*) (?:per hour|je Stunde)\)", pay)):
        an_hour, hour_currency = read_money(hourly[1].rpartition("(")[2])
        if hour_currency != currency or abs(an_hour - minor * 60 / told) > 1:
            raise UnreadableError(f"{pay!r} for {told} minutes: the pay of an hour is another")
    return Terms(minor, currency, told)
