"""Collecting 100,000 submissions of 25 ratings: listed over HTTP, stored raw, read into judgments.

    TEST_POSTGRES_URL=postgres://user@host/name python -m tests.benchmarks.bench_ingest [SUBMISSIONS]

The marketplace (one web process) and the collector share the cores and the PostgreSQL of the machine. A database of its
own is made beside the one named, and dropped afterwards. Memory is the collector's peak after a tenth and at the end.
"""

from __future__ import annotations

import os
import resource
import sys
import time

from tests.benchmarks.market_world import manage, market

RATINGS, PLACES = 25, 500
# Run inside the project: submissions on the marketplace for the HITs that the study has published.
SEED = """
import datetime
from annotation.marketplace import clock
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
from annotation.datasets.records import TextRecord
from annotation.flows.add_texts import add_texts
from annotation.flows.create import Plan, create
from annotation.flows.design import design
from annotation.models import Study
now = timezone.now()
study = create("ingest", mode="rehearsal", plan=Plan(raters_per_text={places}, texts_per_hit=25, reward_cents=1),
    actor="bench", now=now)
half = {hits} * 25 // 2
add_texts(study, [*(TextRecord(f"r{{i}}", f"Reference {{i}}", "reference") for i in range({hits} * 25 - half)),
    *(TextRecord(f"m{{i}}", f"Model {{i}}", "model", generator="g") for i in range(half))], actor="bench", now=now)
design(study, actor="bench", now=now)
"""


def collector(wanted: int) -> None:
    """In the project: collect and read until everything is there."""
    import django

    django.setup()
    from django.utils import timezone

    from annotation import conf
    from annotation.crowd.client import Market
    from annotation.flows.collect import collect
    from annotation.flows.read import read
    from annotation.models import Judgment, Study, Submission

    study, client = Study.objects.get(name="ingest"), Market(conf.endpoint())
    marks: list[int] = []

    def mark(count: int) -> None:
        if count >= wanted // 10 and not marks:
            marks.append(_peak())

    start = time.perf_counter()
    found = collect(study, market=client, now=timezone.now(), progress=mark)
    stored = time.perf_counter() - start
    understood = read(study, now=timezone.now())
    whole = time.perf_counter() - start
    assert (found.new, understood.unreadable) == (Submission.objects.count(), 0)
    assert Judgment.objects.count() == found.new * RATINGS
    print(f"{found.new:,} submissions, {understood.judgments:,} judgments")
    print(f"listed and stored raw   {found.new / stored:8.0f} submissions/s")
    print(f"and read into judgments {found.new / whole:8.0f} submissions/s")
    print(f"peak memory of the collector: {marks[0] / 1024:.0f} MiB after a tenth, {_peak() / 1024:.0f} MiB at the end")


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def main() -> None:
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    if os.environ.get("ASSAY_BENCH_COLLECTOR"):
        collector(wanted)
        return
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
        manage(environment, "requester", "bench", "--balance", "1000000.00")
        manage(environment, "publish", "ingest", "--yes")
        manage(environment, "work", "--only", "market")
        fields = [(f"rating-{i}", "label") for i in range(RATINGS)] + [(f"active-ms-{i}", "ms") for i in range(RATINGS)]
        manage(environment, "shell", "-v0", "-c", SEED.format(places=PLACES, fields=fields))
        print(manage({**environment, "ASSAY_BENCH_COLLECTOR": "1"}, "shell", "-v0", "-c",
                     f"import sys; sys.argv = ['bench', '{wanted}']; "
                     "from tests.benchmarks.bench_ingest import collector; "
                     f"collector({wanted})"), end="")  # fmt: skip


if __name__ == "__main__":
    main()
