"""People who come by a link, with a browser (httpx), and the commands of those who invite them."""

from __future__ import annotations

import io
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
from django.core.management import call_command
from lxml import html

from annotation.marketplace.core import clock
from annotation.marketplace.hits.catalogue import Choice, group_of, held_by, offers
from annotation.marketplace.models import Assignment, WorkerAccount
from tests.marketplace.people import Lab, Person, reason

TAG = "spring"
KEYWORDS = f"reading, assay:study={TAG}"


def told(*words: str) -> dict[str, Any]:
    """What `manage.py invite` answers."""
    out = io.StringIO()
    call_command("invite", *words, stdout=out)
    return json.loads(out.getvalue())


def channel(name: str = "class", *words: str, study: str = TAG) -> str:
    """A new channel of the lab to the study; its first link."""
    return told("create", name, "--requester", "lab", "--study", study, *words)["link"]


def written(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text, encoding="utf-8")
    return str(folder / name)


def tasks(lab: Lab, number: int = 2, **changes: object) -> list[dict]:
    """HITs of the study."""
    return [lab.hit(**{"Keywords": KEYWORDS, "MaxAssignments": 9, **changes}) for _ in range(number)]


@dataclass(frozen=True)
class Comer(Person):
    """Somebody who has come in by a link: tasks are given to them, there is nothing to choose from."""

    def offers(self) -> list[str]:
        """The HITs that they hold or could be given."""
        worker = WorkerAccount.objects.get(worker_id=self.worker_id)
        held = held_by(worker).values_list("hit__hit_id", flat=True)
        rows = offers(worker, Choice(qualified=True), now=clock.now()).rows
        free = [hit.hit_id for row in rows for hit in group_of(worker, row.hit_type, now=clock.now())]
        return [*held, *free]

    def accept(self, hit: dict) -> httpx.Response:
        """The page of the task, where they hold it; otherwise they try to accept it."""
        held = Assignment.objects.filter(worker__worker_id=self.worker_id, hit__hit_id=hit["HITId"], state="Accepted")
        for assignment in held:
            return self.get(f"/hits/work/{assignment.assignment_id}/")
        return super().accept(hit)


@dataclass
class Guest:
    """Somebody with a browser of their own."""

    browser: httpx.Client

    def open(self, link: str) -> str:
        """The word of the page that a link leads to."""
        return reason(self.browser.get(link))

    def press(self, link: str, button: str = "begin") -> httpx.Response:
        """Open a link and press a button of its page."""
        page = self.browser.get(link)
        forms = [form for form in html.fromstring(page.content).forms if (form.action or "").endswith(f"/{button}/")]
        assert forms, page.text
        origin = "{0.scheme}://{0.netloc}".format(urlsplit(link))
        return self.browser.post(origin + forms[0].action, data=dict(forms[0].form_values()))

    def enter(self, link: str) -> Person:
        """Take part, which must work: the person is at a task of theirs afterwards, where there is one."""
        page = self.browser.get(link)
        page = page if page.url.path != urlsplit(link).path else self.press(link)
        assert re.fullmatch(r"/hits/(end/|work/3[A-Z0-9]{29}/(pay/)?)?", page.url.path), page.text
        found = re.search(r'data-worker="(A[A-Z0-9]+)"', page.text)
        assert found
        return Comer(found[1], self.browser, "{0.scheme}://{0.netloc}".format(urlsplit(link)))
