"""Requesters with boto3 and workers with a browser (httpx), against the served site."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from botocore.exceptions import ClientError
from lxml import html

from tests.marketplace.question_samples import hit_parameters

TURK = "AWS.MechanicalTurk."


@dataclass(frozen=True)
class Lab:
    """A requester: a boto3 client and what it was made from."""

    client: Any
    url: str
    key: str
    secret: str

    def hit(self, **changes: object) -> dict:
        return self.client.create_hit(**hit_parameters(**changes))["HIT"]

    def look(self, hit: dict) -> dict:
        return self.client.get_hit(HITId=hit["HITId"])["HIT"]

    def places(self, hit: dict) -> tuple[str, int, int, int]:
        """Status, available, pending, completed."""
        now = self.look(hit)
        counts = [now[f"NumberOfAssignments{name}"] for name in ("Available", "Pending", "Completed")]
        return now["HITStatus"], *counts

    def work(self, hit: dict, *statuses: str) -> list[dict]:
        chosen = {"AssignmentStatuses": list(statuses)} if statuses else {}
        return self.client.list_assignments_for_hit(HITId=hit["HITId"], **chosen)["Assignments"]

    def balance(self) -> str:
        return self.client.get_account_balance()["AvailableBalance"]

    def money(self) -> tuple[str, str]:
        """What can be spent, and what is on hold."""
        account = self.client.get_account_balance()
        return account["AvailableBalance"], account["OnHoldBalance"]

    def refused(self, operation: str, **parameters: object) -> tuple[str, str]:
        """What a call is refused with: (TurkErrorCode or Error.Code, message)."""
        try:
            getattr(self.client, operation)(**parameters)
        except ClientError as error:
            code = error.response.get("TurkErrorCode") or error.response["Error"]["Code"]
            return code.removeprefix(TURK), error.response["Error"]["Message"]
        raise AssertionError(f"{operation} was not refused")

    def raw(self, body: bytes, *, operation: str = "GetAccountBalance", **headers: str) -> httpx.Response:
        """A signed call with `body` as it stands."""
        request = self.signed(body, operation=operation, **headers)
        with httpx.Client(trust_env=False) as site:
            return site.post(self.url, content=body, headers=dict(request.headers.items()))

    def signed(self, body: bytes, *, operation: str = "GetAccountBalance", **headers: str) -> AWSRequest:
        given = {
            "X-Amz-Target": f"MTurkRequesterServiceV20170117.{operation}",
            "Content-Type": "application/x-amz-json-1.1",
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        request = AWSRequest("POST", self.url, headers=given, data=body)
        SigV4Auth(Credentials(self.key, self.secret), "mturk-requester", "us-east-1").add_auth(request)
        return request


@dataclass(frozen=True)
class Task:
    """An accepted assignment as its page shows it."""

    page: str
    frame: str
    fields: dict[str, str]

    @property
    def id(self) -> str:
        return self.fields["assignmentId"]


@dataclass(frozen=True)
class Person:
    """A signed-in worker."""

    worker_id: str
    site: httpx.Client
    origin: str

    def get(self, path: str) -> httpx.Response:
        return self.site.get(self.origin + path)

    def post(self, page: str, path: str) -> httpx.Response:
        """Press the button of the form on `page` that posts to `path`."""
        forms = html.fromstring(self.get(page).content).forms
        fields = next((dict(form.form_values()) for form in forms if form.action == path), None)
        if fields is None:
            fields = {"csrfmiddlewaretoken": self.site.cookies["csrftoken"]}
        return self.site.post(self.origin + path, data=fields)

    def offers(self) -> list[str]:
        """The HITs on the first page of the list, those of a group one by one."""
        found = []
        for row in self.get("/hits/").text.split('<li class="task"')[1:]:
            group = re.search(r"/hits/groups/3[A-Z0-9]{29}/", row)
            found += re.findall(r'data-hit="(3[A-Z0-9]{29})"', self.get(group[0]).text if group else row)
        return found

    def accept(self, hit: dict) -> httpx.Response:
        return self.post(f"/hits/{hit['HITId']}/", f"/hits/{hit['HITId']}/accept/")

    def take(self, hit: dict) -> Task:
        """Accept `hit`, which must work."""
        answer = self.accept(hit)
        assert answer.status_code == 200, answer.text
        return task_on(answer)

    def hand_in(self, task: Task, fields: object = None) -> httpx.Response:
        """Post the form as the frame would: without the site's cookies."""
        sent = [("assignmentId", task.id), *(fields or [("rating", "5")])]
        return post_form(task.fields["turkSubmitTo"], sent)

    def do(self, hit: dict, fields: object = None) -> str:
        """Accept and hand in; the assignment's id."""
        task = self.take(hit)
        answer = self.hand_in(task, fields)
        assert answer.status_code == 200, answer.text
        return task.id

    def give_back(self, task: Task) -> httpx.Response:
        return self.post(f"/hits/work/{task.id}/", f"/hits/work/{task.id}/return/")


def enter(site: httpx.Client, link: str) -> httpx.Response:
    """Open a one-time link and press the button of its page."""
    page = site.get(link)
    fields = {"csrfmiddlewaretoken": site.cookies.get("csrftoken", "")}
    # Without the button there is nothing to press: the page says why.
    return site.post(link, data=fields) if reason(page) == "enter" else page


def task_on(answer: httpx.Response) -> Task:
    frame = html.fromstring(answer.content).xpath("//iframe/@src")[0]
    query = parse_qs(urlsplit(frame).query, keep_blank_values=True)
    return Task(urlsplit(str(answer.url)).path, frame, {name: values[0] for name, values in query.items()})


def post_form(submit_to: str, fields: list[tuple[str, str]]) -> httpx.Response:
    headers = {"Content-Type": "application/x-www-form-urlencoded", "Origin": "null"}
    with httpx.Client(trust_env=False) as frame:
        return frame.post(f"{submit_to}/mturk/externalSubmit", content=urlencode(fields), headers=headers)


def reason(answer: httpx.Response) -> str:
    """The word that a page of the worker site carries for programs."""
    return html.fromstring(answer.content).xpath("string(//main/@data-reason)")
