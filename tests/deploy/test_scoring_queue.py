"""Two real Celery workers on a real Redis share the scoring of a study; one of them is killed in the middle."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from kombu import Connection, Queue

from annotation.models import Likelihood, ScoringChunk, Study
from annotation.texts.log_probs.store import scoring_progress
from tests.annotation.texts.test_score_texts import imported
from tests.deploy.test_queue import ROOT, database_url, wait_for
from tests.metrics.likelihood.test_elsewhere import told
from tests.metrics.likelihood.tiny import model, one_at_a_time, saved

pytestmark = [
    pytest.mark.needs_redis,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif("TEST_REDIS_URL" not in os.environ, reason="TEST_REDIS_URL is not set"),
]


class Gate(BaseHTTPRequestHandler):
    """A completions server that keeps everybody waiting until the gate opens, and remembers what it was asked."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.waiting.release()
        self.server.gate.wait(60)
        self.server.answered.extend(asked["prompt"])
        choices = [{"index": i, "logprobs": told(prompt)} for i, prompt in enumerate(asked["prompt"])]
        body = json.dumps({"choices": choices}).encode()
        try:
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except OSError:
            pass  # the worker that asked was killed

    def log_message(self, *_: object) -> None:
        """Tests print nothing."""


@pytest.fixture
def gate() -> Iterator[ThreadingHTTPServer]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Gate) as found:
        found.answered, found.gate, found.waiting = [], threading.Event(), threading.Semaphore(0)
        thread = threading.Thread(target=found.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield found
        found.gate.set()
        found.shutdown()
        thread.join(timeout=10)


@pytest.fixture
def environment() -> dict[str, str]:
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "deploy.settings.development",
        "DATABASE_URL": database_url(),
        "CELERY_BROKER_URL": os.environ["TEST_REDIS_URL"],
        "SCORING_LEASE_SECONDS": "5",
        "PYTHONPATH": str(ROOT),
    }


def lose_messages() -> int:
    """Empty the queue, as a broker that starts anew may; how many messages it held."""
    with Connection(os.environ["TEST_REDIS_URL"]) as broker, broker.channel() as channel:
        return int(Queue("scoring", channel=channel).purge())


@pytest.fixture
def workers(environment: dict[str, str], tmp_path: Path) -> Iterator[Callable[[int], list[subprocess.Popen[bytes]]]]:
    """Starts scoring workers, each a process of its own; ends those that still run."""
    started = []
    lose_messages()

    def start(count: int) -> list[subprocess.Popen[bytes]]:
        logs = [tmp_path / f"worker-{number}.log" for number in range(count)]
        for number, path in enumerate(logs):
            command = [sys.executable, "-m", "celery", "-A", "deploy", "worker", "-Q", "scoring", "-P", "solo"]
            with path.open("wb") as log:
                named = [*command, "-n", f"scorer-{number}@test", "-l", "INFO", "--without-gossip", "--without-mingle"]
                started.append(subprocess.Popen(named, cwd=ROOT, env=environment, stdout=log, stderr=log))
        wait_for(lambda: all(b" ready." in path.read_bytes() for path in logs))
        return started

    yield start
    for one in started:
        one.terminate()
    for one in started:
        one.wait(timeout=30)


def asked_for(study: Study, environment: dict[str, str], *words: str) -> str:
    command = [sys.executable, "manage.py", "score_texts", study.name, "--background", "--temperature", "1", *words]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True).stdout


def finished() -> bool:
    return not ScoringChunk.objects.exclude(state__in=["done", "failed"]).exists()


def test_a_worker_scores_a_study_by_a_model_on_disk(
    tmp_path: Path, environment: dict[str, str], workers: Callable[[int], list[subprocess.Popen[bytes]]]
) -> None:
    study, folder = imported(tmp_path, 40), saved(tmp_path / "model")
    # One: that two share the chunks is seen below, and each would load torch.
    workers(1)
    said = asked_for(study, environment, "--model", str(folder))
    assert "80 texts to score under tiny, in 2 chunks" in said
    assert "manage.py work" not in said
    wait_for(finished)
    (told_of,) = scoring_progress(study)
    assert (told_of.scored + told_of.reused, told_of.done, told_of.failed) == (80, 2, 0)
    made = model("gpt2")
    for row in Likelihood.objects.select_related("text__context")[::9]:
        whole, tokens = one_at_a_time(made, row.text.context.body, row.text.body)
        assert (row.log_prob, row.length) == (pytest.approx(whole, abs=1e-4), tokens)


@pytest.mark.long
@pytest.mark.database  # above, no row is contended for
def test_a_killed_workers_chunk_is_taken_over_and_no_text_is_scored_into_the_study_twice(
    tmp_path: Path,
    environment: dict[str, str],
    workers: Callable[[int], list[subprocess.Popen[bytes]]],
    gate: ThreadingHTTPServer,
) -> None:
    study = imported(tmp_path, 40)
    url = f"http://127.0.0.1:{gate.server_address[1]}/v1"
    asked_for(study, environment, "--model", "big", "--server", url, "--joiner", " ")
    # The rows are the truth: workers that start find what is to be done without any message.
    assert lose_messages() == 2
    first, second = workers(2)
    # Both hold a chunk, and each has asked for its first part.
    assert gate.waiting.acquire(timeout=60)
    assert gate.waiting.acquire(timeout=60)
    assert ScoringChunk.objects.filter(state="taken").count() == 2
    first.kill()
    first.wait(timeout=10)
    gate.gate.set()
    wait_for(finished)
    assert second.poll() is None
    assert list(ScoringChunk.objects.order_by("attempts").values_list("state", "attempts")) == [
        ("done", 1),
        ("done", 2),
    ]
    (told_of,) = scoring_progress(study)
    assert (told_of.scored + told_of.reused, Likelihood.objects.count()) == (80, 80)
    # What the killed worker had asked for was computed again, nothing else.
    assert len(gate.answered) - len(set(gate.answered)) <= 16
