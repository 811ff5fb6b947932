"""`python -m metrics huse` on files as others have them: judgments alone, the HUSE release, a report's data files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from metrics.__main__ import main


def run(*arguments: str | Path) -> dict:
    out = Path(arguments[0]).with_suffix(".out")
    assert main(["huse", *map(str, arguments), "--json", "--out", str(out)]) == 0
    return json.loads(out.read_text())


@pytest.mark.needs_data
def test_the_clean_file_of_the_release_is_read_under_its_own_column_names(data_dir, tmp_path):
    """Published: .53 / .58 / .95; with exact ties .53 / .60 / .93."""
    file = tmp_path / "summary_clean.csv"
    file.write_bytes((data_dir / "huse" / "summary_clean.csv").read_bytes())
    modes = run(file)["modes"]
    values = {name: [round(modes[name][m]["value"], 2) for m in ("huse", "huse_q", "huse_d")] for name in modes}
    assert values == {"exact": [0.53, 0.6, 0.93], "paper": [0.53, 0.58, 0.95]}


def test_judgments_alone_give_huse_q(tmp_path):
    """Second hand example of unequal sizes: 2/3."""
    file = tmp_path / "judged.csv"
    rows = [*((x, "reference") for x in (30, 34)), *((x, "model") for x in (10, 20, 28, 32, 36, 12))]
    file.write_text("hj,source\n" + "".join(f"{x},{source}\n" for x, source in rows))
    assert run(file, "--k=3", "--mode=exact")["exact"]["huse_q"]["value"] == pytest.approx(2 / 3)


def test_columns_of_the_release_without_log_p_give_huse_q(tmp_path, capsys):
    """The same hand example under the names of the release; log p without lengths is an error and not left out."""
    file = tmp_path / "judged.csv"
    rows = [*((x, "False") for x in (30, 34)), *((x, "True") for x in (10, 20, 28, 32, 36, 12))]
    file.write_text("HumanJudgement, Label\n" + "".join(f"{x},{label}\n" for x, label in rows))
    assert run(file, "--k=3", "--mode=exact")["exact"]["huse_q"]["value"] == pytest.approx(2 / 3)
    file.write_text("HumanJudgement, ModelProbability, Label\n1,-2,True\n")
    assert main(["huse", str(file)]) == 2
    assert "log_prob" in capsys.readouterr().err


def test_a_missing_log_p_beside_lengths_is_an_error_and_no_huse_q(tmp_path, capsys):
    file = tmp_path / "items.csv"
    file.write_text("hj,length,source\n1,3,model\n")
    assert main(["huse", str(file)]) == 2
    assert "log_prob" in capsys.readouterr().err


def exported(folder: Path) -> tuple[Path, Path]:
    """items.csv and ratings.csv of two generators as a report writes them: references are in the rows of each."""
    items, ratings = folder / "items.csv", folder / "ratings.csv"
    sources = (("gpt", "r"), ("gpt", "g"), ("lstm", "r"), ("lstm", "l"))
    texts = [(f"{s}{i}", name, "reference" if s == "r" else "model") for name, s in sources for i in range(10)]
    head = "id,generator,source,log_prob,length\n"
    items.write_text(head + "".join(f"{key},{name},{source},-{3 + int(key[1:])},2\n" for key, name, source in texts))
    judged = dict.fromkeys(key for key, _, _ in texts)
    lines = [f"{key},w{r},{(int(key[1:]) + r) % 6},Typical,h1,{r}\n" for key in judged for r in range(3)]
    ratings.write_text("item,rater,value,label,hit,position\n" + "".join(lines))
    return items, ratings


def test_the_ratings_of_a_study_with_several_generators_are_read_as_they_are(tmp_path):
    items, ratings = exported(tmp_path)
    gpt, lstm = (run(items, "--ratings", ratings, "--generator", name, "--k=5") for name in ("gpt", "lstm"))
    assert gpt["modes"]["exact"]["huse"]["n"] == lstm["modes"]["exact"]["huse"]["n"] == 20


def test_a_generator_must_be_chosen_where_there_are_several(tmp_path, capsys):
    items, ratings = exported(tmp_path)
    assert main(["huse", str(items), "--ratings", str(ratings)]) == 2
    assert "choose one of gpt, lstm by --generator" in capsys.readouterr().err
