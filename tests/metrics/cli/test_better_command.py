"""`python -m metrics better`: the sentence, the tables, and one sentence for every malformed file."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from metrics.__main__ import main
from metrics.report.build import build_report
from metrics.report.snapshot import Header, Snapshot, content_of, sha256_of
from tests.annotation.reports.round_trips import KINDS

# 8 contexts by 6 raters: large lies 2 above small, whatever the rater.
RATED = [
    (f"{name}{c}", f"w{r}", 2 * (name == "large") + (c + r) % 2 + (c * r) % 3 % 2, name, f"c{c}")
    for name in ("large", "small")
    for c in range(8)
    for r in range(6)
]
TIDY = "item,rater,value,source,context\n" + "".join(",".join(map(str, row)) + "\n" for row in RATED)
ALONE = "item,rater,value\n" + "".join(",".join(map(str, row[:3])) + "\n" for row in RATED)
TEXTS = "id,source,generator,context\n" + "".join(
    f"{item},model,{name},{context}\n"
    for item, _, _, name, context in dict.fromkeys((r[0], "", "", *r[3:]) for r in RATED)
)


@pytest.fixture
def run(tmp_path: Path, capsys):
    """Runs the command on the contents of files; gives the exit code, stdout and stderr."""

    def go(content: str, *options: str, texts: str = "", name: str = "ratings.csv") -> tuple[int, str, str]:
        (tmp_path / name).write_text(content, encoding="utf-8")
        (tmp_path / "texts.csv").write_text(texts, encoding="utf-8")
        more = ["--texts", str(tmp_path / "texts.csv")] if texts else []
        code = main(["better", str(tmp_path / name), *more, *options])
        return code, *capsys.readouterr()

    return go


def test_the_sentence_leads_and_the_comparison_follows(run) -> None:
    code, out, _ = run(TIDY)
    assert code == 0
    assert " ".join(out.split()).startswith("large is better than small on typicality: 2.00 [")
    assert "8 contexts, 6 raters" in " ".join(out.split())
    assert "Differences between sources, criterion by criterion." in out
    assert "The 95% interval is for new contexts and new raters." in " ".join(out.split())
    _, these, _ = run(TIDY, "--raters", "these")
    assert "The 95% interval is for new contexts with these raters." in " ".join(these.split())


def test_texts_in_a_file_of_their_own_give_the_same_json(run) -> None:
    _, tidy, _ = run(TIDY, "--json")
    _, apart, _ = run(ALONE, "--json", texts=TEXTS)
    assert json.loads(apart) == json.loads(tidy)
    (lead,) = json.loads(tidy)["answer"]["lead"]
    assert lead.startswith("large is better than small")


def test_the_same_people_rate_the_same_texts_in_two_conditions(run) -> None:
    """With `after`, all ratings of large are 2 lower: the sources do not differ."""
    rows = [(*row, "before") for row in RATED] + [
        (item, rater, value - 2 * (source == "large"), source, context, "after")
        for item, rater, value, source, context in RATED
    ]
    both = "item,rater,value,source,context,condition\n" + "".join(",".join(map(str, row)) + "\n" for row in rows)
    assert run(both)[2].rstrip().endswith("choose a condition by --condition.")
    before, after = (run(both, "--condition", name, "--json")[1] for name in ("before", "after"))
    assert json.loads(before) == json.loads(run(TIDY, "--json")[1])
    assert json.loads(after)["answer"]["lead"][0].startswith("Undecided between large and small")
    assert "there are before, after, not 'none'" in run(both, "--condition", "none")[2]


def test_what_was_declared_leads(run) -> None:
    _, out, _ = run(TIDY, "--compare", "small", "large", "--margin", "3")
    words = " ".join(out.split())
    assert words.startswith("small is worse than large on typicality (p")
    assert ", but by less than the margin of 3 points: -2.00 [" in words
    assert "Declared by the plan: comparison and margin." in words


def test_a_snapshot_says_the_sentence_of_its_report(run) -> None:
    given = KINDS["scales"](3)
    content = content_of(given)
    header = Header("s", 1, datetime(2026, 11, 25, tzinfo=UTC), "ada", "look", sha256_of(content))
    _, out, _ = run(Snapshot(header, content).document().decode(), "--json", name="snapshot.json")
    assert json.loads(out)["answer"]["lead"][0] == build_report(given).verdicts[0]


@pytest.mark.parametrize(
    ("content", "options", "texts", "rule"),
    [
        (ALONE, (), "", "source: the column is missing"),
        (ALONE, (), TEXTS.replace("large0,", "other0,"), "no text has the id 'large0'"),
        (TIDY + RATED[0][0] + ",w0,1,large,c0\n", (), "", "rater 'w0' has already rated item 'large0' in row 2"),
        (TIDY.replace("small0,w1,1,small,c0", "small0,w1,1,small,c9"), (), "", "had another source or context above"),
        (TIDY.replace("small,", "large,"), (), "", "at least two sources"),
        (TIDY, ("--compare", "large", "absent"), "", "no text is of the source 'absent'"),
        (TIDY, ("--compare", "large", "large"), "", "not compared with itself"),
        (TIDY, ("--margin", "-1"), "", "a margin is a number above 0"),
        (TIDY, ("--margin", "nan"), "", "a margin is a number above 0"),
        (TIDY, ("--level", "1"), "", "between 0 and 1"),
        (ALONE, (), TEXTS.replace("model", "robot"), "must be 'reference' or 'model'"),
        (TIDY.replace("large0,w0,2", "large0,w0,x"), (), "", "not a finite decimal"),
    ],
)
def test_bad_input_gets_one_sentence(run, content, options, texts, rule) -> None:
    code, out, err = run(content, *options, texts=texts)
    assert (code, out) == (2, "")
    assert rule in err
    assert err.count("\n") == 1
