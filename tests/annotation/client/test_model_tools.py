"""A language model's program talks to the tools of a studio line by line, as the protocol is written down."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from annotation.client import Studio
from annotation.models import Study
from tests.docs.paths import ROOT

TEXTS = [f"The council opened bridge number {number} after a long debate." for number in range(2)]
OPEN = {"minimum_approved_hits": 0, "minimum_percent_approved": 0, "country": ""}
TOOLS = {"list_studies", "read_results", "plan", "rehearse", "publish"}
# The presets' task costs 2.50 dollars: 2 raters of one task.
COST = 500


class ModelProgram:
    """The program of a model: it starts the server and exchanges lines of JSON with it."""

    def __init__(self, *words: str, token: str) -> None:
        command = [sys.executable, "-m", "annotation.client.model_tools", *words]
        surroundings = {**os.environ, "ASSAY_TOKEN": token}
        self._process = subprocess.Popen(
            command, cwd=ROOT, env=surroundings, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._number = 0
        about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "model", "version": "1"}}
        self.about = self.ask("initialize", about)["result"]
        self.write(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}))

    def write(self, line: str) -> None:
        assert self._process.stdin
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def ask(self, method: str, parameters: object) -> dict[str, Any]:
        """The answer to a request; what comes before it answers lines that are none."""
        self._number += 1
        self.write(json.dumps({"jsonrpc": "2.0", "id": self._number, "method": method, "params": parameters}))
        assert self._process.stdout
        while line := self._process.stdout.readline():
            answer: dict[str, Any] = json.loads(line)
            if answer.get("id") == self._number:
                return answer
        raise AssertionError(f"the server ended at {method}")

    def call(self, tool: str, **arguments: object) -> tuple[bool, Any]:
        """Whether a tool did what it says, and what it answers: a record, or the sentence of a refusal."""
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})["result"]
        if result.get("isError"):
            return False, result["content"][0]["text"]
        return True, result["structuredContent"]

    def end(self) -> int:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.close()
        code = self._process.wait(timeout=20)
        self._process.stdout.close()
        return code


@pytest.fixture
def program(site: str, token: str) -> Iterator[ModelProgram]:
    started = ModelProgram("--address", site, "--budget-cents", str(COST), token=token)
    yield started
    assert started.end() == 0


def drafts(studio: Studio) -> None:
    """A rehearsal, and two live studies that cost as much."""
    for name, mode in (("tried", "rehearsal"), ("first", "live"), ("second", "live")):
        study = studio.create_study(name, preset="direct-assessment", mode=mode)  # type: ignore[arg-type]
        study.add_texts(TEXTS, generator="tiny")
        study.configure(raters_per_text=2, **OPEN)


@pytest.mark.long
def test_a_model_plans_rehearses_and_publishes_within_the_budget_of_a_person(
    studio: Studio, working: None, program: ModelProgram
) -> None:
    drafts(studio)
    assert program.about["serverInfo"]["name"] == "assay"
    assert {tool["name"] for tool in program.ask("tools/list", {})["result"]["tools"]} == TOOLS
    done, listed = program.call("list_studies")
    assert {row["name"] for row in listed["result"]} == {"tried", "first", "second"}
    assert program.call("plan", study="tried")[1]["price"]["total_cents"] == COST
    assert program.call("plan", study="tried", raters_per_text=3)[1]["price"]["total_cents"] == 750
    done, progress = program.call("rehearse", study="tried")
    assert (done, progress["collected"]) == (True, 3)
    done, refused = program.call("read_results", study="tried")
    assert not done
    assert "unblind" in refused or "blind" in refused
    studio.study("tried").ratings(unblind=True)
    rows = program.call("read_results", study="tried")[1]
    assert rows["count"] == len(rows["rows"]) > 0
    done, published = program.call("publish", study="first")
    assert (done, published["price"]["total_cents"], published["left_cents"]) == (True, COST, 0)
    for study, why in (("second", "0 cents of USD are left"), ("first", "published already"), ("tried", "a rehearsal")):
        done, refused = program.call("publish", study=study)
        assert not done
        assert why in refused
    assert set(Study.objects.filter(status="published").values_list("name", flat=True)) == {"tried", "first"}
    assert Study.objects.get(name="first").budget_cents == COST


def test_no_call_that_a_model_can_make_ends_the_server_or_spends_more(
    studio: Studio, working: None, site: str, token: str
) -> None:
    drafts(studio)
    rng = random.Random(29)
    odd = ["", "first", "second", "nowhere", "../x", "a\x00b", "é" * 3000, -1, 0, 10**30, 0.5, None, True, [], {"a": 1}]
    names = ["study", "part", "first_row", "raters_per_text", "texts_per_hit", "budget_cents", "mode", "unblind"]
    program = ModelProgram("--address", site, token=token)
    for _ in range(60):
        tool = rng.choice([*sorted(TOOLS - {"rehearse"}), "configure", ""])
        arguments = {name: rng.choice(odd) for name in rng.sample(names, rng.randrange(4))}
        answer = program.ask("tools/call", {"name": tool, "arguments": arguments})
        assert "error" in answer or answer["result"]["content"], answer
        assert f"Error executing tool {tool}" != answer.get("result", {}).get("content", [{}])[0].get("text"), arguments
        program.write(rng.choice(["", "{", "[]", "null", '{"jsonrpc": "2.0"}', "\x00", '{"id": 1, "method": 3}']))
    assert {row["name"] for row in program.call("list_studies")[1]["result"]} == {"tried", "first", "second"}
    assert program.end() == 0
    assert set(Study.objects.values_list("status", flat=True)) == {"draft"}


def test_a_server_without_a_studio_says_why_and_ends(capfd: pytest.CaptureFixture[str]) -> None:
    from annotation.client.model_tools import main

    assert main(["--address", "http://127.0.0.1:9"]) == 2
    assert "ASSAY_TOKEN" in capfd.readouterr().err
