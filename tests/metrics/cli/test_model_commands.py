"""A model on disk takes near-negative tests and reads plain texts, by the commands."""

from __future__ import annotations

import json

import numpy as np
import pytest

from metrics.__main__ import main
from tests.metrics.likelihood import tiny

ROWS = [
    ("1", "the cat sat", "on the mat", "good"),
    ("1", "the cat sat", "under the the", "bad"),
    ("2", "the tree", "the red tree", "good"),
    ("2", "the tree", "a blue dog", "bad"),
]


@pytest.fixture(scope="module")
def model_folder(tmp_path_factory):
    return tiny.saved(tmp_path_factory.mktemp("model"))


@pytest.fixture
def run(capsys):
    def go(*arguments: object) -> tuple[int, str]:
        code = main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        assert code == 0, err
        return code, out

    return go


def test_a_model_passes_the_tests_that_one_pair_at_a_time_says(run, model_folder, tmp_path):
    text = "".join(",".join(row) + "\n" for row in [("context_id", "context", "candidate", "label"), *ROWS])
    (tmp_path / "t.csv").write_text(text)
    run(
        "nnd",
        "build",
        "--format",
        "table",
        "--better",
        "good>bad",
        tmp_path / "t.csv",
        "--json",
        "--out",
        tmp_path / "t.json",
    )
    code, out = run("nnd", "run", tmp_path / "t.json", "--model", model_folder, "--json", "--outcomes")
    found = json.loads(out)["models"][0]
    made = tiny.model("gpt2")
    means = {row[2]: np.divide(*tiny.one_at_a_time(made, row[1], row[2])) for row in ROWS}
    seen = [(one["log_likelihood_high"], one["log_likelihood_low"]) for one in found["outcomes"]]
    expected = [(means[high[2]], means[low[2]]) for high, low in (ROWS[:2], ROWS[2:])]
    assert code == 0
    assert np.array(seen) == pytest.approx(np.array(expected), abs=1e-5)
    assert [one["passed"] for one in found["outcomes"]] == [high > low for high, low in expected]
    assert found["scored_by"].startswith("loglik|model:")


def test_plain_texts_have_the_fp_of_the_models_distributions(run, model_folder, tmp_path):
    import torch

    sentence = "the cat sat on the mat under the red tree a blue dog ran"
    (tmp_path / "t.txt").write_text(sentence + "\n")
    _, out = run("hscore", "--format", "text", tmp_path / "t.txt", "--model", model_folder, "--json")
    document = json.loads(out)
    ids = [1, *tiny.ids(sentence)]
    with torch.no_grad():
        shares = torch.softmax(tiny.model("gpt2")(torch.tensor([ids])).logits[0, :-1].double(), dim=-1).numpy()
    own = shares[np.arange(len(ids) - 1), ids[1:]]
    mean, variance = (shares * np.log(shares)).sum(1), (shares * np.log(shares) ** 2).sum(1)
    curvature = (np.log(own) - mean).sum() / np.sqrt((variance - mean**2).sum())
    assert document["texts"]["t.txt"]["n"] == len(ids) - 1
    assert document["texts"]["t.txt"]["fp"] == pytest.approx((own / shares.max(axis=1)).mean(), abs=1e-5)
    assert document["texts"]["t.txt"]["mean_entropy"] == pytest.approx(-mean.mean(), abs=1e-5)
    assert document["fast_detect_gpt"]["t.txt"] == pytest.approx(curvature, abs=1e-4)
    assert document["backend"]["model"]
