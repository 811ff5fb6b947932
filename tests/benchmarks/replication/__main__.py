"""`make replicate DATA=FOLDER`: compute every figure from the data, write docs/replication.md; 1 where one differs."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.benchmarks.replication.page import replicate, write

PAGE = Path(__file__).resolve().parents[3] / "docs" / "replication.md"


def main(data: Path) -> int:
    """Write the page; 0 where every figure is the same."""
    if not data.is_dir():
        sys.stderr.write(f"{data} is not a folder. Name the folder of the data: make replicate DATA=FOLDER\n")
        return 2
    parts = replicate(data)
    PAGE.write_text(write(parts), encoding="utf-8")
    different = [row for part in parts for row in part if not row.is_same]
    for row in different:
        sys.stderr.write(f"{row.figure.data}, {row.figure.what}: {row.figure.printed}, here {row.ours}\n")
    return int(bool(different))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else "")))
