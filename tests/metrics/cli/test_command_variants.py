"""Files as people really have them read alike in every command: BOM, semicolons, CRLF, quotes, other columns."""

from __future__ import annotations

import csv
import io
import json

import pytest

from metrics.__main__ import main

RATINGS = [["item", "rater", "value"], *([f"t{i}", f"w{r}", str((i * r) % 5)] for i in range(6) for r in range(3))]
JUDGMENTS = [
    ["rater", "item", "truth", "rating", "condition"],
    *([f"w{r}", f"t{i}", "human" if i % 2 else "machine", str(1 + (i * r) % 4), "ab"[r % 2]]
      for r in range(4) for i in range(6)),
]  # fmt: skip
COMMANDS = {
    "hj": (["hj"], RATINGS),
    "alpha": (["alpha", "--level", "ordinal", "--draws", "20"], RATINGS),
    "evaluators": (["evaluators"], JUDGMENTS),
}


def written(rows, delimiter=",", quoting=csv.QUOTE_MINIMAL, end="\n") -> str:
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, quoting=quoting, lineterminator=end).writerows(rows)
    return text.getvalue()


VARIANTS = {
    "byte order mark": lambda rows: b"\xef\xbb\xbf" + written(rows).encode(),
    "CRLF": lambda rows: written(rows, end="\r\n").encode(),
    "semicolons": lambda rows: written(rows, ";").encode(),
    "tabs": lambda rows: written(rows, "\t").encode(),
    "all quoted": lambda rows: written(rows, quoting=csv.QUOTE_ALL).encode(),
    "columns in another order": lambda rows: written([row[::-1] for row in rows]).encode(),
    "further columns with line breaks": lambda rows: written([[*row, "a note\nof two lines"] for row in rows[1:]]
        and [[*rows[0], "note"], *([*row, "a note\nof two lines"] for row in rows[1:])]).encode(),
    "a blank last line": lambda rows: (written(rows) + "\n\n").encode(),
}  # fmt: skip


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("command", COMMANDS)
def test_harmless_variants_read_alike(tmp_path, capsys, command, variant):
    options, rows = COMMANDS[command]
    found = []
    for content in (written(rows).encode(), VARIANTS[variant](rows)):
        (tmp_path / "in.csv").write_bytes(content)
        assert main([options[0], str(tmp_path / "in.csv"), *options[1:], "--json"]) == 0
        found.append(json.loads(capsys.readouterr().out))
    assert found[0] == found[1]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_missing_file_is_a_sentence_and_code_2(tmp_path, capsys, command):
    options, _ = COMMANDS[command]
    assert main([options[0], str(tmp_path / "none.csv"), *options[1:]]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert "the file does not exist" in err
