"""`python -m metrics choices` and `raters`, against the released study and the specification's hand example."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from metrics.__main__ import main


def run(command: str, *arguments: str | Path, out: Path) -> dict:
    assert main([command, *map(str, arguments), "--json", "--out", str(out)]) == 0
    return json.loads(out.read_text())


@pytest.mark.needs_data
def test_forced_choices_among_three_are_held_against_a_third(data_dir, tmp_path):
    """Reference results: 207 of 445 right, 23 raters; mean of raters .492609, t against 1/3 3.404542, p .002544."""
    folder = data_dir / "human_or_machine"
    key = folder / "data_gpt2_trial.csv"
    document = run("choices", folder / "v_select.json", "--key", key, out=tmp_path / "out.json")
    measures = document["accuracy"]["all answers"]
    assert document["chance"] == pytest.approx(1 / 3)
    assert measures["accuracy_pooled"]["value"] == pytest.approx(207 / 445)
    assert measures["accuracy"]["value"] == pytest.approx(0.4926086956521739)
    test = measures["accuracy_minus_chance"]["settings"]
    assert (test["t"], test["p"]) == pytest.approx((3.4045421697652416, 0.002543586975189558))


ANSWERS = "rater,item,choice,answer,condition\nann,1,a,a,before\nann,1,b,a,after\nbob,1,a,a,before\nbob,1,a,a,after\n"


def test_a_person_may_choose_on_one_text_in_two_conditions(tmp_path):
    file = tmp_path / "answers.csv"
    file.write_text(ANSWERS)
    document = run("choices", file, "--alternatives", "4", out=tmp_path / "out.json")
    shares = {name: group["accuracy_pooled"]["value"] for name, group in document["accuracy"].items()}
    assert (document["chance"], shares["before"], shares["after"]) == (0.25, 1, 0.5)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (ANSWERS + "ann,1,b,a,after\n", "row 6, column rater: rater 'ann' has already answered item '1' in row 3"),
        (ANSWERS + "eve,1,b,b,after\n", "row 6, column answer: item '1' was answered by 'a' before"),
        ("rater,item,choice\nann,1,a\n", "column answer: the column is missing"),
    ],
)
def test_choices_that_break_a_rule_are_refused_in_a_sentence(tmp_path, capsys, text, sentence):
    file = tmp_path / "answers.csv"
    file.write_text(text)
    assert main(["choices", str(file)]) == 2
    assert sentence in capsys.readouterr().err


def test_models_of_raters_come_beside_the_mean(tmp_path):
    """Hand example of the specification (2.24): posterior of 1 = [1, 1, 0, 0, 1, 0]."""
    file = tmp_path / "ratings.csv"
    rows = [[1, 1, 1], [1, 1, 0], [0, 0, 0], [0, 0, 1], [1, 1, 0], [0, 0, 0]]
    lines = [f"t{i},w{r},{value}\n" for i, row in enumerate(rows) for r, value in enumerate(row)]
    file.write_text("item,rater,value\n" + "".join(lines))
    document = run("raters", file, out=tmp_path / "out.json")
    assert [item["dawid_skene"] for item in document["items"].values()] == [1, 1, 0, 0, 1, 0]
    assert [round(item["mean"], 3) for item in document["items"].values()] == [1, 0.667, 0, 0.333, 0.667, 0]
    competence = [rater["competence"] for rater in document["raters"].values()]
    assert competence[0] > 0.9 > competence[2]


def test_a_person_may_rate_one_text_in_two_conditions(tmp_path, capsys):
    file = tmp_path / "ratings.csv"
    rows = [(f"t{i}", f"w{r}", i + (c == "after"), c) for i in range(3) for r in range(2) for c in ("before", "after")]
    file.write_text("item,rater,value,condition\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
    means = {
        name: run("hj", file, "--condition", name, out=tmp_path / "out.json")["hj"]["t1"]["value"]
        for name in ("before", "after")
    }
    assert means == {"before": 1, "after": 2}
    assert main(["hj", str(file)]) == 2
    assert "choose a condition by --condition" in capsys.readouterr().err
