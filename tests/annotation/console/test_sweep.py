"""Nobody without the permission meets a real worker id: at no address of the site, in no file, log or error."""

from __future__ import annotations

import io
import json
import re
import zipfile
import zlib
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.core.management import call_command
from django.db import transaction
from django.test import Client
from django.urls import get_resolver, reverse
from django.utils import timezone

from annotation.accounts.models import ApiToken, User
from annotation.api.routes import api
from annotation.jobs import queue as jobs
from annotation.jobs.job_files import folder_of
from annotation.jobs.run import run_due
from annotation.models import Job, Look, Membership, Study, Submission
from annotation.studies.unblind import unblind
from tests.annotation.api.test_roles import OPERATIONS
from tests.annotation.review.factories import judged, member

pytestmark = pytest.mark.django_db
SECRET = b"REALID"
# What stands at the top of the site, and why it is swept, or need not be.
SWEPT = {"console/", "api/v1/", "shared/<str:token>/"}
OTHERWISE = {
    "": "the way to the console, and health",
    "admin/": "superusers only, who hold every permission",
    "admin/login/": "the way to the console's sign-in",
    "mturk/": "the marketplace: to requesters who sign with a key, as Mechanical Turk did",
    "api/v1/<path:rest>": "answers that there is no such operation",
    "sqs/": "the marketplace's queues, signed likewise",
    "sns/": "the marketplace's notifications",
    "notices/": "what marketplaces post; it answers nothing of ours",
    "pages/<str:token>/": "a HIT's page, which knows no worker",
    "pages/batch/<str:token>/": "a row's page before it is published, which knows no worker",
    "pages/training/<str:token>/": "a task's page with a training, which knows no worker",
    "pages/template/<slug:name>/": "a template's page with sample texts",
    "pages/template/<slug:name>/mturk/externalSubmit": "its answers, which are shown and not stored",
    "pages/wording/<str:token>/": "a page with text that is being edited, which knows no worker",
    "pages/wording/<str:token>/mturk/externalSubmit": "its answers, shown and not stored, and the time that they took",
    "hits/": "the worker site: each worker's own",
}


@pytest.fixture
def study(db: None, settings: Any, tmp_path: Path) -> Study:
    settings.VAR = tmp_path
    return judged(workers=3, hits=2, texts=10, reasons=True)


def told(job: Job) -> dict[str, bytes]:
    """The files that a job wrote, archives and what is packed in them unpacked."""
    found = {path.name: path.read_bytes() for path in sorted(folder_of(job).iterdir())}
    for name, body in list(found.items()):
        if name.endswith(".zip"):
            packed = zipfile.ZipFile(io.BytesIO(body))
            found |= {f"{name}/{one}": packed.read(one) for one in packed.namelist()}
    return found


def streams(pdf: bytes) -> bytes:
    """The streams of a PDF, inflated."""
    packed = re.findall(rb"stream\r?\n(.*?)\r?\nendstream", pdf, re.DOTALL)
    return b"".join(zlib.decompressobj().decompress(one) for one in packed if one[:1] == b"\x78")


def test_every_address_of_the_site_is_swept_or_says_why_not() -> None:
    top = {str(one.pattern) for one in get_resolver(django_settings.ROOT_URLCONF).url_patterns}
    assert top == SWEPT | OTHERWISE.keys()


def test_no_route_of_the_api_tells_a_real_id(study: Study, caplog: pytest.LogCaptureFixture, called_once: None) -> None:
    user = member(study, "owner", "olga")
    _, token = ApiToken.objects.issue(user, name="test", now=timezone.now())
    job = jobs.ask("report", by=user, now=timezone.now(), study=study, settings={"formats": ["json"]})
    run_due()
    one = Submission.objects.filter(hit__study=study).select_related("worker").first()
    parts = {
        "study": study.uuid, "job": job.uuid, "key": "ethics", "name": "report.json", "assignment": one.market_id,
        "pseudonym": one.worker.pseudonym, "purpose": "criteria", "username": "olga", "number": 1, "remark": 1,
        "act": "pause", "link": 1, "token": 1, "key_id": "A", "noun": "hits", "rule": "one_answer",
        "file_id": "3F", "channel": "3C", "person": "3P", "training": "examples", "batch": "3B",
        "deed": "pause", "form": "osf", "file_format": "json", "language": "en",
    }  # fmt: skip
    served = api.get_openapi_schema()["paths"]
    calls = [(path, method) for path, methods in served.items() for method in methods]
    assert len([path for path, method in calls if method == "get"]) > 20
    assert len([path for path, method in calls if method != "get"]) > 50
    for path, method in calls:
        address = re.sub(r"{(\w+)}", lambda found: str(parts[found[1]]), path)
        if "/comparison" in address:  # asks the marketplace: see flows/test_ids_on_the_market.py
            continue
        for body in bodies(method, path.removeprefix("/api/v1")):
            answer = undone(Client(), method, address, body, token)
            assert SECRET not in b"".join(answer), (method, path)
            assert "REALID" not in str(answer.headers), (method, path)
    assert "REALID" not in caplog.text
    assert not Look.objects.exists()


def bodies(method: str, path: str) -> list[Any]:
    """Of what is read, nothing is sent; else a body that can be read where one is known, none, and a wrong one."""
    if method == "get":
        return [None]
    known = [one.body for one in OPERATIONS if (one.method, one.path.format_map(Braces())) == (method, path)]
    return [*known, {}, {"reason": 7, "codes": {"x": None}, "chosen": "all"}]


class Braces(dict[str, str]):
    """The parts of a path as the document writes them."""

    def __missing__(self, name: str) -> str:
        return f"{{{name}}}"


def undone(client: Client, method: str, address: str, body: Any, token: str) -> Any:
    """The answer to a call of which nothing stays, so that each finds the study as it was."""
    with transaction.atomic():
        sent = {} if body is None else {"data": json.dumps(body), "content_type": "application/json"}
        answer = getattr(client, method)(address, headers={"authorization": f"Bearer {token}"}, **sent)
        transaction.set_rollback(True)
    return answer


def test_a_look_is_the_one_way_to_an_id_and_every_look_is_kept(study: Study) -> None:
    """By the permission, at the page; the API has no such way, whoever asks."""
    root = User.objects.create_superuser("root")
    _, token = ApiToken.objects.issue(root, name="test", now=timezone.now())
    one = Submission.objects.filter(hit__study=study).select_related("worker").first()
    address = f"/api/v1/studies/{study.uuid}/workers/{one.worker.pseudonym}"
    assert SECRET not in Client().get(address, headers={"authorization": f"Bearer {token}"}).content
    assert not Look.objects.exists()
    client = Client()
    client.force_login(root)
    page = reverse("console:workers-look", args=[study.uuid, one.worker.pseudonym])
    reasons = ["A complaint.", "The same complaint again."]
    for reason in reasons:
        assert SECRET in client.post(page, {"look-reason": reason}).content
    assert list(Look.objects.order_by("at", "pk").values_list("reason", "user__username")) == [
        (reason, "root") for reason in reasons
    ]
    # Who may see ids sees who looked; what is shown of the person afterwards holds no id.
    again = client.get(reverse("console:workers-page", args=[study.uuid, one.worker.pseudonym])).content
    assert b"The same complaint again." in again
    assert SECRET not in again


def test_no_file_of_a_report_or_of_the_exclusions_holds_a_real_id(study: Study) -> None:
    user = member(study, "owner", "olga")
    unblind(study, actor="olga", now=timezone.now())
    other = judged(workers=3, hits=2, texts=10, name="other")
    Membership.objects.create(study=other, user=user, role="owner")
    formats = ["html", "json", "csv", "latex", "zip", *(["pdf"] if django_settings.CHROMIUM else [])]
    both = {"formats": formats, "studies": [str(study.uuid), str(other.uuid)]}
    for kind, wanted in (("report", {"formats": formats}), ("exclusions", {}), ("comparison", both)):
        about = None if kind == "comparison" else study
        job = jobs.ask(kind, by=user, now=timezone.now(), study=about, settings=wanted)
        run_due()
        job.refresh_from_db()
        assert (job.state, job.problem) == ("done", "")
        files = told(job)
        assert len(files) >= 2
        for name, body in files.items():
            assert SECRET not in body, name
            assert SECRET not in (streams(body) if name.endswith(".pdf") else b""), name


def test_no_command_that_reads_a_study_tells_a_real_id(study: Study, tmp_path: Path) -> None:
    reading = [["audit", str(study)], ["outbox", str(study)], ["exclusions", str(study), "--draws", "5"]]
    for words in reading:
        out = io.StringIO()
        call_command(*words, stdout=out, stderr=out)
        assert "REALID" not in out.getvalue(), words
    assert not Look.objects.exists()


def test_a_strangers_api_token_opens_no_study(study: Study) -> None:
    _, token = ApiToken.objects.issue(User.objects.create_user("stan"), name="test", now=timezone.now())
    answer = Client().get(f"/api/v1/studies/{study.uuid}", headers={"authorization": f"Bearer {token}"})
    assert answer.status_code == 404
