"""A ticked exclusion rule: the headline from the answers that a job has stored, against a new computation.

    python -m tests.benchmarks.bench_tick [RATINGS]

HITs of 25 texts, each done by 20 people; half of the texts are a generator's, with log-probabilities: 1,000,000 ratings
are of 50,000 texts. New computation: what a report does for the same values, without its intervals and its other
sections. Medians of five on SQLite; seconds of the processor beside those of the clock, as other programs may take the
cores.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from annotation.models import Study

ROOT = Path(__file__).resolve().parents[2]
RATERS, TIMES = 20, 5
# The first two people give one label throughout; the others' depend on the text and on chance.
LABEL = "CASE WHEN ((id - 1) / 25) % 20 < 2 THEN {0} + 2 ELSE {0} + (text_id * 31) % 3 + (id * 7919) % 101 % 4 END"
GIVES_ONE, GIVES_MORE = '{"one_answer": [1.0, null, null, 25]}', '{"one_answer": [0.4, null, null, 25]}'
EVIDENCE = f"CASE WHEN (id - 1) % 20 < 2 THEN '{GIVES_ONE}' ELSE '{GIVES_MORE}' END"
LOG_PROB = "-30.0 - ((id * 7919) % 1000003) / 25000.0"  # all different
LIKELIHOOD = "text_id, generator_id, log_prob, log_prob_text, length, length_unit, decoding, content_hash"


def timed(step: str, work: Callable[[], Any], times: int = 1) -> float:
    """Print the medians, and return that of the processor's seconds."""
    seconds, used = [], []
    for _ in range(times):
        begun, before = time.perf_counter(), time.process_time()
        work()
        seconds.append(time.perf_counter() - begun)
        used.append(time.process_time() - before)
    print(
        f"  {step:<46} {statistics.median(seconds):8.3f} s  {statistics.median(used):8.3f} s of the processor",
        flush=True,
    )
    return statistics.median(used)


def vary(study: Study) -> None:
    """Every second text is a generator's, with log-probabilities; labels differ, and one check has its evidence."""
    from django.db import connection

    generator = study.generators.create(name="model")
    first = study.scale.labels.order_by("pk").first()
    assert first is not None
    likelihood = f"SELECT id, {generator.pk}, {LOG_PROB}, '', 10, 'whitespace', '', '' FROM annotation_text"
    with connection.cursor() as cursor:
        cursor.execute(f"UPDATE annotation_text SET source = 'model', generator_id = {generator.pk} WHERE id % 2 = 0")
        cursor.execute(f"INSERT INTO annotation_likelihood ({LIKELIHOOD}) {likelihood}")
        cursor.execute(f"UPDATE annotation_judgment SET label_id = {LABEL.format(first.pk)}")
        evidence = f"SELECT id, 0, {EVIDENCE}, received_at FROM annotation_submission"
        cursor.execute(f"INSERT INTO annotation_evidence (submission_id, suspicion, findings, measured_at) {evidence}")


def measure(ratings: int) -> None:
    import django

    django.setup()
    from django.core.management import call_command
    from django.test import Client
    from django.utils import timezone

    from annotation.accounts.models import User
    from annotation.jobs.job_files import folder_of
    from annotation.models import Job, Study
    from annotation.reports import rule_choices
    from annotation.reports.gather import score
    from annotation.reports.take_snapshot import take
    from metrics.huse.estimate import evaluate
    from tests.benchmarks.bench_console import fill

    call_command("migrate", verbosity=0)
    base, now = fill(ratings, RATERS), timezone.now()
    study = Study.objects.get()
    vary(study)
    report_input = take(study, actor="bench", reason="benchmark", now=now).report_input
    job = Job.objects.create(study=study, kind=Job.Kind.EXCLUSIONS, created_at=now)
    folder_of(job).mkdir(parents=True)
    file = folder_of(job) / rule_choices.FILE
    print(f"{ratings:,} ratings")
    timed("job: store the answers", lambda: rule_choices.store_answers(report_input, file))
    print(f"  {file.name} {file.stat().st_size / 1e6:.1f} MB")
    choices = [[rule.name, len(rule.assignments)] for rule in rule_choices.rules_to_choose(report_input)]
    Job.objects.filter(pk=job.pk).update(state=Job.State.DONE, outcome={"choices": choices}, finished_at=now)
    client = Client(headers={"host": "127.0.0.1:8000", "HX-Request": "true"})
    client.force_login(User.objects.create_superuser("root"))

    def tick() -> None:
        answer = client.get(f"{base}results/exclusions/?rule=0")
        assert b"model: HUSE-D" in answer.content

    read = timed("new computation: read the ratings", lambda: score(study))
    facts = report_input.generators[0]
    computed = timed("new computation: HUSE", lambda: evaluate(facts.items, ["exact"], draws=0), TIMES)
    timed("tick: the first, which loads compiled loops", tick)
    ticked = timed("tick: the request", tick, TIMES)
    timed("of it the measures", lambda: rule_choices.compute_choice(file, [0]), TIMES)
    print(f"  {(read + computed) / ticked:.0f} times less work of the processor")


def main() -> None:
    if sys.argv[1:2] == ["inside"]:
        measure(int(sys.argv[2]))
        return
    ratings = sys.argv[1] if len(sys.argv) > 1 else "1000000"
    with tempfile.TemporaryDirectory() as folder:
        own = {"DATABASE_URL": f"sqlite:///{folder}/bench.sqlite3", "ASSAY_VAR": folder}
        environment = {**os.environ, **own, "DJANGO_SETTINGS_MODULE": "deploy.settings.development"}
        command = [sys.executable, "-m", "tests.benchmarks.bench_tick", "inside", ratings]
        subprocess.run(command, cwd=ROOT, env=environment, check=True)


if __name__ == "__main__":
    main()
