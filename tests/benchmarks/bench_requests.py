"""Every page of the console and every call of the web API over a study of 10,000 assignments, each requested once.

    TEST_POSTGRES_URL=postgres://user@host/name python -m tests.benchmarks.bench_requests [ASSIGNMENTS]

HITs of 25 texts, 20 workers per HIT, four HITs per worker, measured by every filter; results are unblinded. An owner
makes each request inside the process, in a transaction that is rolled back, so that each finds the study as it was.
What may take more than a second is a job. Requests of `SHOWN` seconds and more are listed, slowest first; processor
time varies less on a busy machine. Then the answers are counted by status.
Sign-in is left, and what calls a marketplace.
"""

from __future__ import annotations

import copy
import json
import re
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from tests.benchmarks.engines import ONE, lines_by_engine, own_database

WORKERS, TEXTS, HITS_PER_PERSON = 20, 25, 4
SHOWN = 0.3
SESSION = {"sign-out", "sign-in", "enter", "join", "provider", "provider-return", "second-factor"}
CALLING = {"running-compare", "running-mend", "recruit-new", "publish-name"}
UNKNOWN_JOB = "00000000-0000-0000-0000-000000000000"
# What a form needs to do its work; the others are sent empty, and answer with their errors.
FORMS: dict[str, dict[str, Any]] = {
    "review-bulk": {"action": "approve", "all": "1"},
    "exports-release-create": {"licence": "CC0-1.0"},
    "progress-approve": {"shown": "the code of the page before"},
    "quality-fix": {"name": "lines", "set": "usual"},
    "workers-write-all": {"subject": "Thanks", "body": "Thank you for your work."},
}


class Timed(NamedTuple):
    """A request, how it was answered, and what it took in seconds."""

    request: str
    status: int
    seconds: float
    processor: float


def main(assignments: int) -> None:
    rows: dict[str, list[Timed]] = {}
    for engine, line in lines_by_engine("tests.benchmarks.bench_requests", str(assignments)):
        rows.setdefault(engine, []).append(Timed(**line))
    for engine, requests in rows.items():
        slow = sorted((row for row in requests if row.seconds >= SHOWN), key=lambda row: -row.seconds)
        print(f"{engine}, {assignments:,} assignments: {len(requests)} requests, {len(slow)} of {SHOWN} s or more")
        for row in slow:
            print(f"  {row.seconds:7.2f} s  processor {row.processor:6.2f} s  {row.status}  {row.request}")
        statuses = sorted(Counter((row.request.split()[1], row.status) for row in requests).items())
        print("  " + ", ".join(f"{ways} {status}: {count}" for (ways, status), count in statuses))


def measure(assignments: int) -> None:
    """Print JSON of each request, on a line of its own."""
    with own_database("requests"):
        for row in _requests(assignments):
            print(json.dumps(row._asdict()), flush=True)


def _requests(assignments: int) -> Iterator[Timed]:
    from django.db import connection
    from django.test import Client
    from django.utils import timezone

    from annotation.accounts.models import ApiToken
    from annotation.models import Submission
    from annotation.quality.assess import assess
    from annotation.studies.unblind import unblind
    from tests.annotation.review.factories import make, member

    now = timezone.now()
    study = make(
        WORKERS,
        assignments // WORKERS,
        TEXTS,
        hits_each=HITS_PER_PERSON,
        now=now,
        ages=lambda at: timedelta(minutes=at % 4000),
    )
    assess(study, now=now)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    submission = Submission.objects.filter(hit__study=study).select_related("worker").order_by("pk").first()
    assert submission is not None
    owner = member(study, "owner", "olga", is_superuser=True, is_staff=True)
    client = Client(headers={"host": "127.0.0.1"}, raise_request_exception=False)
    client.force_login(owner)
    _, token = ApiToken.objects.issue(owner, name="bench", now=now)
    parts = {
        "study": study.uuid,
        "study_id": study.uuid,
        "assignment": submission.market_id,
        "pseudonym": submission.worker.pseudonym,
        "username": "olga",
    }
    yield _timed(
        "POST", "console results-reveal", lambda: client.post(f"/console/studies/{study.uuid}/results/reveal/")
    )
    unblind(study, actor="olga", now=now)
    yield from _console_requests(client, parts)
    yield from _api_requests(client, parts, token)


def _timed(method: str, name: str, request: Callable[[], Any]) -> Timed:
    with _rolled_back():
        begun, used = time.perf_counter(), time.process_time()
        answer = request()
        b"".join(answer) if answer.streaming else answer.content
        seconds, processor = time.perf_counter() - begun, time.process_time() - used
    return Timed(f"{method} {name}", answer.status_code, seconds, processor)


@contextmanager
def _rolled_back() -> Iterator[None]:
    from django.db import transaction

    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def _console_requests(client: Any, parts: dict[str, object]) -> Iterator[Timed]:
    """GET, and POST where the view takes it. Sign-in and sign-out are left, as they end the session."""
    from django.urls import reverse

    from annotation.console.urls import urlpatterns

    more = {
        "number": 1,
        "remark": 1,
        "purpose": "comments",
        "what": "pause",
        "job_id": UNKNOWN_JOB,
        "token": 1,
        "batch_id": UNKNOWN_JOB,
        "channel_id": "3C",
        "file_id": "3F",
        "kind": "link",
        "name": "x",
        "page": "reports",
        "link": 1,
        "key_id": "A",
        "language": "en",
        "form": "osf",
        "file_format": "md",
        "training": "instructions",
    }
    cookies = client.cookies
    for name, names in _names(urlpatterns):
        if name in SESSION | CALLING or name.startswith("keys-prolific"):
            continue
        known = {**more, **parts}
        address = reverse(f"console:{name}", kwargs={key: known.get(key, 1) for key in names})
        for method in ("get", "post"):
            fields = FORMS.get(name, {}) if method == "post" else {}
            client.cookies = copy.copy(cookies)  # a session that a request began is rolled back
            row = _timed(method.upper(), f"console {name}", lambda: getattr(client, method)(address, fields))  # noqa: B023
            if row.status != 405:
                yield row


def _names(patterns: Any, before: tuple[str, ...] = ()) -> Iterator[tuple[str, tuple[str, ...]]]:
    from django.urls import URLResolver

    for pattern in patterns:
        names = (*before, *pattern.pattern.converters)
        if isinstance(pattern, URLResolver):
            yield from _names(pattern.url_patterns, names)
        else:
            yield pattern.name, names


def _api_requests(client: Any, parts: dict[str, object], token: str) -> Iterator[Timed]:
    from annotation.api.routes import api
    from tests.annotation.api.test_roles import OPERATIONS

    more = {
        "job": UNKNOWN_JOB,
        "key": "ethics",
        "name": "report.json",
        "purpose": "criteria",
        "number": 1,
        "remark": 1,
        "act": "pause",
        "link": 1,
        "token": 1,
        "key_id": "A",
        "noun": "hits",
        "rule": "one_answer",
        "file_id": "3F",
        "channel": "3C",
        "person": "3P",
        "training": "examples",
        "batch": UNKNOWN_JOB,
        "deed": "pause",
        "form": "osf",
        "file_format": "json",
        "language": "en",
    }
    operations = {(operation.method, operation.path): operation for operation in OPERATIONS}
    for path, methods in api.get_openapi_schema()["paths"].items():
        for method in methods:
            operation = operations.get((method, path.removeprefix("/api/v1")))
            if "/prolific" in path or "/comparison/" in path or (operation is not None and operation.outside):
                continue
            body = (operation and operation.body) or {}
            address = re.sub(r"{(\w+)}", lambda match: str({**more, **parts}.get(match[1], "x")), path)
            sent = {} if method == "get" else {"data": json.dumps(body), "content_type": "application/json"}
            headers = {"authorization": f"Bearer {token}"}
            yield _timed(
                method.upper(),
                f"api {urlsplit(path).path}",
                lambda: getattr(client, method)(address, headers=headers, **sent),  # noqa: B023
            )


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if sys.argv[1:2] == [ONE]:
        measure(int(sys.argv[2]))
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
