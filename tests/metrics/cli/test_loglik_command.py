"""`python -m metrics loglik`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from metrics.__main__ import main
from tests.metrics.likelihood.tiny import model, one_at_a_time, saved

PAIRS = [("the cat", "sat on the mat"), ("", "a red dog")]


@pytest.fixture
def given(tmp_path: Path) -> list[str]:
    file = tmp_path / "pairs.jsonl"
    lines = [{"id": f"p{i}", "context": context, "candidate": one} for i, (context, one) in enumerate(PAIRS)]
    file.write_text("\n".join(map(json.dumps, lines)) + "\n")
    return ["loglik", str(file), "--model", str(saved(tmp_path / "model"))]


def test_json_has_the_scores_and_what_they_are_made_of(given: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*given, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    wanted = [one_at_a_time(model("gpt2"), *pair) for pair in PAIRS]
    assert [one["tokens"] for one in told["scores"]] == [n for _, n in wanted]
    assert [one["log_prob"] for one in told["scores"]] == pytest.approx([p for p, _ in wanted], abs=1e-4)
    assert (told["model"], told["dtype"], told["decoding"], told["include_eos"]) == (
        "model",
        "float32",
        "sample t=1",
        True,
    )


def test_a_table_names_each_text_and_the_computation(given: list[str], tmp_path: Path) -> None:
    out = tmp_path / "table.txt"
    assert main([*given, "--out", str(out)]) == 0
    lines = out.read_text().splitlines()
    assert [line.split()[0] for line in lines[:3]] == ["id", "p0", "p1"]
    assert lines[-1].startswith("loglik|model:model|revision:sha256:")


def test_a_store_is_filled_and_used(given: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = tmp_path / "store.jsonl"
    main([*given, "--store", str(store)])
    first, lines = capsys.readouterr().out, store.read_text()
    main([*given, "--store", str(store)])
    assert (capsys.readouterr().out, store.read_text()) == (first, lines)
    assert len(lines.splitlines()) == 2


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (["--temperature", "0"], "temperature must be above 0"),
        (["--server", "http://127.0.0.1:9/v1", "--top-k", "3"], "the model's own distribution"),
    ],
)
def test_faults_are_one_sentence(
    given: list[str], more: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*given, *more]) == 2
    assert sentence in capsys.readouterr().err
