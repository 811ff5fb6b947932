"""The table of broken files in docs/import.md, measured: `python -m tests.annotation.readers.foreign.measure`."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.annotation.readers.foreign.test_broken_variants import BROKEN, huge_line, measured


def main() -> None:
    """Print a row for each file: seconds, further megabytes, the sentence."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for what, (file, write, _) in BROKEN.items():
            write(folder / file)
            _print(what, folder / file)
        columns = folder / "columns.csv"
        columns.write_text(",".join(f"c{at}" for at in range(200_000)) + "\n")
        _print("200,000 columns", columns)
        for file, before in (
            ("line.csv", b"prompt,human,gpt2\n"),
            ("line.jsonl", b'{"text": "'),
            ("line.json", b'[{"text": "'),
        ):
            huge_line(folder / file, 1024, before)
            _print(f"a gigabyte of one line ({Path(file).suffix})", folder / file)
            (folder / file).unlink()


def _print(what: str, path: Path) -> None:
    seconds, more, sentence = measured(path)
    print(f"| {what} | {sentence} | {seconds} s | {more} MB |", flush=True)


if __name__ == "__main__":
    main()
