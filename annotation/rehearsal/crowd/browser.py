"""What one worker does on the worker site, over HTTP and without script: find a HIT, accept it, fill its form in."""

from __future__ import annotations

import functools
import json
import os
import re
import ssl
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self
from urllib.parse import parse_qs, urljoin, urlsplit

import httpx
from lxml import html

from annotation.exceptions import AssayError

_OFFER = re.compile(r"/hits/3[A-Z0-9]{29}/\Z")
_GROUP = re.compile(r"/hits/groups/3[A-Z0-9]{29}/\Z")
PATIENCE = httpx.Timeout(60.0)


class SiteError(AssayError):
    """The worker site did not answer as a worker needs it to."""


class RefusedError(SiteError):
    """The site did not allow to accept the HIT (full, closed, excluded, unqualified); `reason` is its sentence."""


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A question for words that follows some answers."""

    name: str
    when: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Field:
    """One question of a HIT's page: the texts it is about, and the label values on offer in the order shown.

    clock: the field of the time that its text takes, "" where another question about the text has it.
    kind: item, check (an attention check, whose text says what to choose) or practice. texts: one by one.
    criterion: its name where a text is asked about several times. together: all texts that are shown with it, in order.
    """

    name: str
    clock: str
    text: str
    labels: tuple[str, ...]
    kind: str = "item"
    follow_ups: tuple[FollowUp, ...] = ()
    texts: tuple[str, ...] = ()
    criterion: str = ""
    together: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Sheet:
    """A HIT's form: where it goes, what it carries besides the answers, and its rated texts.

    instructed: whether the page explains, before the task, how to tell texts apart. task: the kind of task.
    """

    action: str
    hidden: tuple[tuple[str, str], ...]
    fields: tuple[Field, ...]
    instructed: bool = False
    task: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """A label for one text, the active milliseconds it took, and words for the follow-ups (field, words)."""

    label: str
    milliseconds: int
    words: tuple[tuple[str, str], ...] = ()


def trusted() -> ssl.SSLContext:
    """The certificates that a visit over HTTPS goes by: those in SSL_CERT_FILE where it is set, else the usual ones."""
    return _context(os.environ.get("SSL_CERT_FILE", ""))


@functools.cache
def _context(file: str) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=file) if file else httpx.create_ssl_context(trust_env=False)
    except (OSError, ssl.SSLError) as error:
        raise SiteError(f"The file of trusted certificates {file} cannot be read: {error}.") from None


class Browser:
    """One worker's session. Use as a context manager."""

    def __init__(self, sign_in_url: str) -> None:
        certificates = trusted()
        self._site = httpx.Client(trust_env=False, verify=certificates, follow_redirects=True, timeout=PATIENCE)
        # Frames are sandboxed: what happens inside them carries no cookie of the site.
        self._frame = httpx.Client(trust_env=False, verify=certificates, timeout=PATIENCE)
        page = self._get(sign_in_url)
        self._home = self._press(page, urlsplit(sign_in_url).path) or page

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._site.close()
        self._frame.close()

    def offers(self) -> Iterator[str]:
        """Addresses of the HITs on offer: over all pages of the list, and of its groups with several HITs."""
        addresses: dict[str, None] = {}
        pages = [self._home]
        seen = {str(self._home.url)}
        while pages:
            page = pages.pop(0)
            tree = html.fromstring(page.content)
            for link, rel in _links(tree, str(page.url)):
                if _OFFER.search(urlsplit(link).path):
                    addresses[link] = None
                elif (rel == "next" or _GROUP.search(urlsplit(link).path)) and link not in seen:
                    seen.add(link)
                    pages.append(self._get(link))
        yield from addresses

    def preview(self, offer: str) -> Sheet:
        """The form of a HIT that has not been accepted; without fields where the cell is drawn at the start."""
        page = self._get(offer)
        if html.fromstring(page.content).xpath("//main[@data-reason='study']"):
            return Sheet("", (), ())
        return self._sheet(page)

    def accept(self, offer: str, *, wait: Callable[[], object] = lambda: None) -> Sheet:
        """Agree to the study's text where there is one, take a place after `wait` and open its form.

        Raises RefusedError when there is none for us.
        """
        page = self._agree(_sound(_unless_refused(_answer(self._site, "GET", offer))))
        wait()
        answer = self._press(page, "/accept/")
        if answer is None:
            raise RefusedError(f"{offer} offers no place.")
        # Where conditions pay differently the page before the task says what this one pays.
        return self._sheet(self._press(answer, "/pay/") or answer)

    def _agree(self, page: httpx.Response) -> httpx.Response:
        """The page behind the text to agree to; the page itself where it is none."""
        tree = html.fromstring(page.content)
        if not tree.xpath("//main[@data-reason='consent']"):
            return page
        return self._send(page, next(form for form in tree.forms if "version" in form.fields))

    def _press(self, page: httpx.Response, ending: str) -> httpx.Response | None:
        """Send the form of `page` whose address ends so; None where there is none."""
        tree = html.fromstring(page.content, base_url=str(page.url))
        forms = [form for form in tree.forms if (form.action or "").endswith(ending)]
        return self._send(page, forms[0]) if forms else None

    def _send(self, page: httpx.Response, form: Any) -> httpx.Response:
        action = urljoin(str(page.url), form.action or "")
        # As a browser does: over HTTPS a site accepts no form without the address of its page.
        headers = {"Origin": str(page.url.join("/")).rstrip("/"), "Referer": str(page.url)}
        answer = _answer(self._site, "POST", action, data=dict(form.form_values()), headers=headers)
        return _sound(_unless_refused(answer))

    def hand_in(self, sheet: Sheet, answers: Sequence[Answer]) -> None:
        """Submit the form. Raises SiteError unless the site says that it is recorded."""
        fields = list(sheet.hidden)
        for field, answer in zip(sheet.fields, answers, strict=True):
            fields += [(field.name, answer.label), *answer.words]
            if field.clock:
                fields.append((field.clock, str(answer.milliseconds)))
        _sound(_answer(self._frame, "POST", sheet.action, data=dict(fields)))

    def _get(self, url: str) -> httpx.Response:
        return _sound(_answer(self._site, "GET", url))

    def _sheet(self, page: httpx.Response) -> Sheet:
        frames = html.fromstring(page.content).xpath("//iframe/@src")
        if not frames:
            raise SiteError(f"{page.url} shows no HIT.")
        address = urljoin(str(page.url), frames[0])
        query = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        shown = html.fromstring(_sound(_answer(self._frame, "GET", address)).content)
        form = shown.forms[0]
        return Sheet(
            action=f"{query.get('turkSubmitTo', '').rstrip('/')}/mturk/externalSubmit",
            # Simulated people agree to whatever the page asks beside the task.
            hidden=(("assignmentId", query.get("assignmentId", "")), *_boxes(form)),
            fields=tuple(field for fieldset in form.xpath(".//fieldset") for field in _fields(fieldset)),
            instructed=bool(shown.xpath("//section[@class='step training']")),
            task=form.get("data-task", ""),
        )


def _boxes(form: html.HtmlElement) -> tuple[tuple[str, str], ...]:
    """Name and value of each box to tick on the first page."""
    boxes = form.xpath(".//section[@class='step intro']//p[@class='share']//input[@type='checkbox']")
    return tuple((box.get("name"), box.get("value")) for box in boxes)


def _links(tree: html.HtmlElement, page: str) -> Iterator[tuple[str, str]]:
    """Every link of a page: its whole address, and what it says of where it leads."""
    for link in tree.xpath("//a[@href]"):
        yield urljoin(page, link.get("href")), link.get("rel", "")


def _fields(fieldset: html.HtmlElement) -> Iterator[Field]:
    """The questions about a text (or pair), in the order of the page; what follows an answer comes with the first."""
    labels: dict[str, tuple[str, ...]] = {}
    for choice in fieldset.xpath(".//input[@type='radio' or @type='checkbox' or @type='number']"):
        name = choice.get("name")
        offered = _numbers(choice) if choice.get("type") == "number" else (choice.get("value"),)
        labels[name] = (*labels.get(name, ()), *offered)
    practice = "practice" in fieldset.get("class", "").split()
    texts = tuple(node.text_content() for node in fieldset.xpath(".//*[@class='text' or @data-attention]"))
    follow_ups = tuple(
        FollowUp(area.get("name"), tuple(json.loads(area.getparent().get("data-when", "[]"))))
        for area in fieldset.xpath(".//textarea")
    )
    for number, name in enumerate(labels):
        yield Field(
            name=name,
            clock="" if number else fieldset.xpath("string(.//input[@type='hidden']/@name)"),
            text="\n".join(texts),
            labels=labels[name],
            kind="practice" if practice else fieldset.get("data-kind", "item"),
            follow_ups=() if number else follow_ups,
            texts=texts,
            criterion=name.split("-", 2)[2] if name.count("-") > 1 else "",
            together=tuple(
                node.text_content() for node in fieldset.xpath("ancestor::section[@data-group]//*[@class='text']")
            ),
        )


def _numbers(field: html.HtmlElement) -> tuple[str, ...]:
    return tuple(map(str, range(int(field.get("min")), int(field.get("max")) + 1)))


def _answer(client: httpx.Client, method: str, url: str, **sent: Any) -> httpx.Response:
    try:
        return client.request(method, url, **sent)
    except httpx.TransportError as error:
        advice = (
            " Name the file of its certificate by --ca-bundle." if "CERTIFICATE_VERIFY_FAILED" in str(error) else ""
        )
        origin = httpx.URL(url).copy_with(raw_path=b"/")
        raise SiteError(f"{origin} could not be reached: {error}.{advice}") from error


def _unless_refused(answer: httpx.Response) -> httpx.Response:
    """The answer. Raises RefusedError where it is a page of the site that says why there is no place for us."""
    if answer.status_code in {403, 409}:
        reason_page = html.fromstring(answer.content)
        # Only the site's own pages name a reason: any other 403 says nothing about the HIT.
        if reason_page.xpath("//main/@data-reason"):
            raise RefusedError(" ".join(reason_page.xpath("string(//h1)").split()))
    return answer


def _sound(answer: httpx.Response) -> httpx.Response:
    if answer.is_error:
        raise SiteError(f"{answer.request.method} {answer.url.copy_with(query=None)} answered {answer.status_code}.")
    return answer
