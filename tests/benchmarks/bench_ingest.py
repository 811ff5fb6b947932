"""Collecting 100,000 submissions of 25 ratings: listed over HTTP, stored raw, read into judgments.

    TEST_POSTGRES_URL=postgres://user@host/name python -m tests.benchmarks.bench_ingest [SUBMISSIONS]

The marketplace (one web process), the collector and a reader share the cores with PostgreSQL. A database of its
own is made beside the one named, and dropped afterwards. Memory: peaks after a tenth and at the end.
"""

from __future__ import annotations

import os
import resource
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from tests.benchmarks.market_world import manage, market

RATINGS, PLACES = 25, 500
# Run inside the project: submissions on the marketplace for the HITs that the study has published.
SEED = """
import datetime
from annotation.marketplace.core import clock
from annotation.marketplace.models import *
from annotation.models import Hit as Ours
now = clock.now(); old = now - datetime.timedelta(minutes=20)
workers = WorkerAccount.objects.bulk_create(
    [WorkerAccount(name=f"rater {{i}}", created_at=old) for i in range({places})])
ns = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2005-10-01/QuestionFormAnswers.xsd"
labels = list(Ours.objects.first().study.scale.labels.values_list("label", flat=True))
fields = {fields!r}
for hit in Hit.objects.filter(annotation__gt="").order_by("pk"):
    made = Assignment.objects.bulk_create([Assignment(hit=hit, worker=worker, state="Submitted", accepted_at=old,
        deadline=now, submitted_at=now, auto_approval_at=now + datetime.timedelta(days=3),
        due_at=now + datetime.timedelta(days=3)) for worker in workers])
    Submission.objects.bulk_create([Submission(assignment=one, raw="[]", received_at=now,
        answer=f'<?xml version="1.0"?><QuestionFormAnswers xmlns="{{ns}}">' + "".join(
            f"<Answer><QuestionIdentifier>{{name}}</QuestionIdentifier><FreeText>"
            f"{{labels[(n + k) % len(labels)] if kind == 'label' else 1200 + n}}</FreeText></Answer>"
            for k, (name, kind) in enumerate(fields)) + "</QuestionFormAnswers>")
        for n, one in enumerate(made)])
    Hit.objects.filter(pk=hit.pk).update(submitted={places}, status="Reviewable", settled_at=now)
"""
PREPARE = """
from django.utils import timezone
from annotation.readers.records import TextRecord
from annotation.importing.add_texts import add_texts
from annotation.studies.create import Plan, create
from annotation.design.lay_out import design
from annotation.models import Study
now = timezone.now()
study = create("ingest", mode="rehearsal", plan=Plan(raters_per_text={places}, texts_per_hit=25, reward_cents=1),
    actor="bench", now=now)
half = {hits} * 25 // 2
add_texts(study, [*(TextRecord(f"r{{i}}", f"Reference {{i}}", "reference") for i in range({hits} * 25 - half)),
    *(TextRecord(f"m{{i}}", f"Model {{i}}", "model", generator="g") for i in range(half))], actor="bench", now=now)
design(study, actor="bench", now=now)
"""


CALL = "from tests.benchmarks import bench_ingest; bench_ingest.{part}({wanted})"


def collector(wanted: int) -> None:
    """In the project: collect everything; another process reads meanwhile, as the queues market and computing do."""
    from django.utils import timezone

    from annotation import settings as conf
    from annotation.collecting.collect import collect
    from annotation.models import Study
    from annotation.mturk.client import Market

    study, client = Study.objects.get(name="ingest"), Market(conf.endpoint())
    marks: list[int] = []

    def mark(count: int) -> None:
        if count >= wanted // 10 and not marks:
            marks.append(_peak())

    start = time.perf_counter()
    found = collect(study, market=client, now=timezone.now(), progress=mark)
    print(f"{found.new:,} submissions of {RATINGS} ratings, listed and stored raw: "
          f"{found.new / (time.perf_counter() - start):.0f} a second")  # fmt: skip
    print(f"peak memory of the collector: {marks[0] / 1024:.0f} MiB after a tenth, {_peak() / 1024:.0f} MiB at the end")


def reader(wanted: int) -> None:
    """In the project: read until everything has been collected and read."""
    from django.db.models import Sum
    from django.utils import timezone

    from annotation.collecting.parse_submissions import read
    from annotation.models import Judgment, Study

    study, marks = Study.objects.get(name="ingest"), list[int]()

    def mark(_: int) -> None:
        if not marks and study.hits.aggregate(sum=Sum("judged", default=0))["sum"] >= wanted * RATINGS // 10:
            marks.append(_peak())

    while study.hits.aggregate(sum=Sum("judged", default=0))["sum"] < wanted * RATINGS:
        if not read(study, now=timezone.now(), progress=mark).submissions:
            time.sleep(0.2)
    assert Judgment.objects.count() == wanted * RATINGS
    print(f"peak memory of the reader: {marks[0] / 1024:.0f} MiB after a tenth, {_peak() / 1024:.0f} MiB at the end")


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def main() -> None:
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    wanted -= wanted % PLACES
    postgres = os.environ.get("TEST_POSTGRES_URL")
    if not postgres:
        print("Not measured: set TEST_POSTGRES_URL=postgres://user@host/name.")
        return
    hits = max(1, wanted // PLACES)
    with market(postgres, processes=1) as made:
        environment = {
            **made.environment,
            "MTURK_ENDPOINT_URL": f"{made.servers[0].origin}/mturk/",
            "MTURK_ACCESS_KEY": made.access_key,
            "MTURK_SECRET_KEY": made.secret_key,
            "CELERY_BROKER_URL": "",
        }
        manage(environment, "shell", "-v0", "-c", PREPARE.format(places=PLACES, hits=hits))
        manage(environment, "create_requester", "bench", "--balance", "1000000.00")
        manage(environment, "publish", "ingest", "--yes")
        manage(environment, "work", "--only", "market")
        fields = [(f"rating-{i}", "label") for i in range(RATINGS)] + [(f"active-ms-{i}", "ms") for i in range(RATINGS)]
        manage(environment, "shell", "-v0", "-c", SEED.format(places=PLACES, fields=fields))
        start = time.perf_counter()
        with ThreadPoolExecutor(2) as pool:
            parts = [
                pool.submit(manage, environment, "shell", "-v0", "-c", CALL.format(part=part, wanted=wanted))
                for part in ("collector", "reader")
            ]
            told = [part.result() for part in parts]
        seconds = time.perf_counter() - start
        print("".join(told), end="")
        print(f"stored raw and read into judgments, both processes from their start: {wanted / seconds:.0f} a second")


if __name__ == "__main__":
    main()
