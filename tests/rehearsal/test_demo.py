"""`make demo` in small: the whole main job over HTTP, the same report for the same seed."""

from __future__ import annotations

import fcntl
import json
import os
import re
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from django.core.management import CommandError
from lxml import html as lxml_html

from annotation.rehearsal.__main__ import isolated_environment
from annotation.rehearsal.management.commands.rehearse import Command, wished
from annotation.rehearsal.world import World
from tests.metrics.report.test_paper import MAX_WORDS, text_of

ROOT = Path(__file__).resolve().parents[2]
DATE = re.compile(
    r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d[+:0-9]*"
    r"|\w+day, (?:<span class=\"whole\">)?\d+ \w+ 20\d\d(?:</span>)?, \d\d:\d\d UTC"
)
# Hashes of the snapshot, in which dates are.
SNAPSHOT = re.compile(
    r'(?<=of its header</dt>)<dd><code>\w{64}</code></dd><dd><code>\w{64}|"snapshot": {[^}]*}|"\w*sha256":"\w{64}"'
)


def demo(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "annotation.rehearsal", "--folder", str(folder), *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=800)


def rehearsal(folder: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The same in a folder that holds a migrated database."""
    command = [sys.executable, "manage.py", "rehearse", "--name", "demo", "--out", str(folder / "report"), *words]
    told = {**os.environ, **isolated_environment(folder), "ASSAY_VAR": str(folder), **environment}
    return subprocess.run(command, cwd=ROOT, env=told, capture_output=True, text=True, check=False, timeout=800)


def beside_a_stranger(folder: Path, *words: str) -> tuple[subprocess.CompletedProcess[str], int, bytes]:
    """A rehearsal whose port somebody else has, which may be a server with another database; what they heard."""
    with socket.create_server(("127.0.0.1", 0)) as stranger:
        stranger.settimeout(0)
        port = stranger.getsockname()[1]
        taken = {"WORKER_ORIGIN": f"http://127.0.0.1:{port}", "MTURK_ENDPOINT_URL": f"http://127.0.0.1:{port}/mturk/"}
        ran = rehearsal(folder, *words, **taken)
        heard = b""
        while True:
            try:
                visit, _ = stranger.accept()
            except BlockingIOError:
                return ran, port, heard
            with visit:
                visit.settimeout(5)
                heard += visit.recv(1000)


# Two whole rehearsals stand behind the first test.
pytestmark = pytest.mark.timeout(900)


@pytest.fixture(scope="module")
def two_runs(
    tmp_path_factory: pytest.TempPathFactory, worker_id: str, migrated: Callable[[Path], None]
) -> tuple[Path, Path]:
    """A demo, and a rehearsal like it beside a stranger, made once though several processes take tests of this file.

    Each folder has what was printed in `said.txt`, the second what the stranger heard in `heard`.
    """
    base = tmp_path_factory.getbasetemp()
    of_all = (base if worker_id == "master" else base.parent) / "demos"
    of_all.mkdir(exist_ok=True)
    one, two = of_all / "one", of_all / "two"
    words = ("--preset", "all", "--texts", "20", "--raters", "3", "--evaluators", "2", "--seed", "5")
    with (of_all / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (one / "said.txt").exists():
            ran = demo(one, *words[2:])
            assert ran.returncode == 0, ran.stdout + ran.stderr
            (one / "said.txt").write_text(ran.stdout, encoding="utf-8")
        if not (two / "said.txt").exists():
            two.mkdir(exist_ok=True)
            migrated(two / "assay.sqlite3")
            ran, port, heard = beside_a_stranger(two, *words)
            assert ran.returncode == 0, ran.stdout + ran.stderr
            (two / "heard").write_bytes(heard)
            (two / "said.txt").write_text(ran.stdout.replace(f"port {port};", "port TAKEN;"), encoding="utf-8")
    return one, two


def test_the_same_seed_gives_the_same_report_apart_from_dates(two_runs: tuple[Path, Path]) -> None:
    one, other = two_runs
    names = sorted(path.name for path in (one / "report").iterdir() if path.is_file())
    assert {"report.html", "report.json", "items.csv", "ratings.csv", "near-negative-tests.json"} <= set(names)
    for name in names:
        files = [(folder / "report" / name).read_text(encoding="utf-8") for folder in (one, other)]
        texts = [SNAPSHOT.sub("SNAPSHOT", DATE.sub("DATE", text)) for text in files]
        assert texts[0] == texts[1], name


def test_the_report_names_each_generator_with_both_modes(two_runs: tuple[Path, Path]) -> None:
    found = json.loads((two_runs[0] / "report" / "report.json").read_text(encoding="utf-8"))
    assert list(found["generators"]) == ["t=1.0", "t=0.9", "t=0.7"]
    for generator in found["generators"].values():
        assert generator["modes"]["exact"]["huse"]["n"] == 40
        assert generator["modes"]["paper"]["huse_d"]["signature"].startswith("huse_d|n:40|r:3|k:16")


@pytest.mark.parametrize("file", ["report.html", "human-or-machine/report.html"])
def test_a_report_of_the_demo_is_short_without_its_appendix_and_light(two_runs: tuple[Path, Path], file: str) -> None:
    path = two_runs[0] / "report" / file
    tree = lxml_html.document_fromstring(path.read_text(encoding="utf-8"))
    words = [text_of(tree.get_element_by_id(key)).split() for key in ("summary", "paper")]
    assert 200 < sum(map(len, words)) <= MAX_WORDS
    assert path.stat().st_size < 1_200_000


def test_every_text_has_its_raters_and_everybody_was_paid(two_runs: tuple[Path, Path]) -> None:
    with sqlite3.connect(two_runs[0] / "assay.sqlite3") as database:

        def number(query: str) -> int:
            return int(database.execute(query).fetchone()[0])

        # 80 texts rated by 3; four trainings of 2 evaluators who judge 5 texts each
        assert number("select count(*) from annotation_judgment") == 80 * 3 + 4 * 2 * 5
        # 4 HITs x 3 assignments at $1.00; what each training pays; and no fee
        rewards = 12 * 100 + 2 * (125 + 125 + 175 + 225)
        assert number("select sum(cents) from annotation_ledgerentry") == rewards
        assert number("select count(*) from annotation_intent where state <> 'done'") == 0
    database.close()


def test_the_texts_got_their_log_p_by_the_studys_own_scoring(two_runs: tuple[Path, Path]) -> None:
    world = World.load()
    with sqlite3.connect(two_runs[0] / "assay.sqlite3") as database:
        rows = database.execute(
            "select text.body, one.log_prob, one.length, scoring.model, scoring.decoding"
            " from annotation_likelihood one join annotation_text text on text.id = one.text_id"
            " join annotation_scoring scoring on scoring.id = one.scoring_id"
        ).fetchall()
    database.close()
    # 20 references under each of three temperatures, and 20 texts of each.
    assert len(rows) == 120
    assert {model for _, _, _, model, _ in rows} == {"rehearsal-headlines"}
    annealed = [(body, log_prob, length) for body, log_prob, length, _, how in rows if how == "sample t=0.7"]
    assert len(annealed) == 40
    bodies = [body for body, _, _ in annealed]
    np.testing.assert_allclose([one for _, one, _ in annealed], world.log_prob_model(bodies, 0.7), atol=1e-4)
    assert [length for _, _, length in annealed] == [len(body.split()) + 1 for body in bodies]


def test_worker_ids_never_leave(two_runs: tuple[Path, Path]) -> None:
    with sqlite3.connect(two_runs[0] / "assay.sqlite3") as database:
        ids = [row[0] for row in database.execute("select external_id from annotation_workeridentity")]
    database.close()
    assert len(ids) == 12 + 4 * 2
    files = [path for path in (two_runs[0] / "report").rglob("*") if path.is_file()]
    assert {path.parent.name for path in files} == {"report", "human-or-machine"}
    for path in files:
        text = path.read_text(encoding="utf-8")
        assert not [worker for worker in ids if worker in text], path.name


def test_the_demo_says_what_it_does_and_where_the_report_lies(two_runs: tuple[Path, Path]) -> None:
    said = (two_runs[0] / "said.txt").read_text(encoding="utf-8")
    assert "Publishing to the marketplace through boto3" in said
    measures = [line.split("  ")[0] for line in said.splitlines() if re.search(r"\d \[[-+.\d]+, [-+.\d]+\]", line)]
    assert measures == [
        *(f"HUSE, t={t}" for t in ("1.0", "0.9", "0.7")),
        *(f"Human or machine, {training}" for training in ("no training", "instructions", "examples", "comparison")),
        *(f"Near-negative tests, t={t}" for t in ("1.0", "0.9", "0.7")),
        *(f"Human-likelihood: frac(p), {who}" for who in ("people", "model")),
    ]
    assert str(two_runs[0] / "report" / "report.html") in said
    assert str(two_runs[0] / "report" / "human-or-machine" / "report.html") in said


def test_the_report_has_the_sections_of_the_measures_without_a_crowd(two_runs: tuple[Path, Path]) -> None:
    folder = two_runs[0] / "report"
    parts = {part["key"]: part for part in json.loads((folder / "report.json").read_text(encoding="utf-8"))["results"]}
    rates = next(table for table in parts["nnd"]["tables"] if table["name"] == "nnd")["rows"]
    taken = json.loads((folder / "near-negative-tests.json").read_text(encoding="utf-8"))["models"]
    assert [row["rate"]["value"] for row in rates if row["category"] == "all tests"] == [
        model["overall"]["value"] for model in taken
    ]
    # One category holds all tests, and a figure shows them once.
    html = (folder / "report.html").read_text(encoding="utf-8")
    assert "t=1.0, all tests: " in html
    assert "passes most of lower_rated" not in html
    # 4 HITs of 20 texts, whose raters saw all of them: the contexts of the tests
    assert {model["overall"]["contexts"] for model in taken} == {4}
    read = next(table for table in parts["automatic"]["tables"] if table["name"] == "automatic")["rows"]
    assert [(row["backend"], row["n"]) for row in read] == [("rehearsal-headlines", 80)]


def test_a_port_that_somebody_else_has_is_left_alone_and_said(two_runs: tuple[Path, Path]) -> None:
    said = (two_runs[1] / "said.txt").read_text(encoding="utf-8")
    assert "Something else listens on port TAKEN; the rehearsal has port" in said
    # Whoever listens there heard that somebody looked, and not a word of the study.
    assert (two_runs[1] / "heard").read_bytes() == b""


@pytest.mark.parametrize("words", [("--texts", "5"), ("--raters", "61"), ("--seed", "-1")])
def test_an_odd_wish_is_refused_with_a_sentence(words: tuple[str, str]) -> None:
    parser = Command().create_parser("manage.py", "rehearse")
    with pytest.raises(CommandError, match=f"{words[0]} is a whole number") as refusal:
        wished(vars(parser.parse_args(words)))
    assert refusal.value.returncode == 2


def test_a_demo_that_is_refused_ends_with_the_sentence_alone(tmp_path: Path) -> None:
    ran = demo(tmp_path / "odd", "--texts", "5")
    assert ran.returncode == 2
    assert ran.stderr == "--texts is a whole number from 20 to 1000.\n"
