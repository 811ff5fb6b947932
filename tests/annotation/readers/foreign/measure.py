"""The broken files of docs/import.md, measured: `python -m tests.annotation.readers.foreign.measure --write`."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.annotation.readers.foreign.test_broken_variants import BROKEN, huge_line, measured

PAGE = Path(__file__).resolve().parents[4] / "docs/import.md"
HEAD = "| file | sentence | processor | memory |\n|---|---|---|---|\n"


def main() -> None:
    """Print a row for each file: seconds of the processor, megabytes, sentence. --write: renew the page."""
    rows = []
    for row in _rows():
        print(row, flush=True)
        rows.append(row)
    if "--write" in sys.argv[1:]:
        before, _, after = PAGE.read_text().partition(HEAD)
        _, _, after = after.partition("\n\n")
        PAGE.write_text(before + HEAD + "\n".join(rows) + "\n\n" + after)


def _rows() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for what, (file, write, _) in BROKEN.items():
            write(folder / file)
            yield _row(what, folder / file)
        columns = folder / "columns.csv"
        columns.write_text(",".join(f"c{at}" for at in range(200_000)) + "\n")
        yield _row("200,000 columns", columns)
        for file, before in (
            ("line.csv", b"prompt,human,gpt2\n"),
            ("line.jsonl", b'{"text": "'),
            ("line.json", b'[{"text": "'),
        ):
            huge_line(folder / file, 1024, before)
            yield _row(f"a gigabyte of one line ({Path(file).suffix})", folder / file)
            (folder / file).unlink()


def _row(what: str, path: Path) -> str:
    seconds, more, sentence = measured(path)
    return f"| {what} | {sentence} | {seconds} s | {more} MB |"


if __name__ == "__main__":
    main()
