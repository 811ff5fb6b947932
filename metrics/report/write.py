"""Put a report on disk: `report.html`, `report.json` and the CSV files, whole or not at all."""

from __future__ import annotations

import json
import tempfile
from datetime import datetime
from pathlib import Path

from metrics.errors import BadInput
from metrics.report.page import html
from metrics.report.payload import payload
from metrics.report.result import Report
from metrics.report.tables import files


def write(report: Report, out_dir: Path, *, now: datetime) -> list[Path]:
    """Write every file of the report into `out_dir` (made if absent) and return their paths.

    Equal reports give equal bytes apart from the date, `now` (aware): `created` in report.json and the line "Made" in
    report.html. Each file is written beside its place and moved there, so that a reader never meets half a file, and
    nothing is moved before everything is written.
    """
    if now.tzinfo is None:
        raise BadInput("the date of a report carries a time zone", column="now")
    contents = {
        "report.html": html(report, now=now),
        "report.json": json.dumps(payload(report, now=now), ensure_ascii=False, indent=1, allow_nan=False) + "\n",
        **files(report),
    }
    out_dir.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out_dir, prefix=".writing-") as beside:
        for name, content in contents.items():
            (Path(beside) / name).write_bytes(content.encode())
        for name in contents:
            (Path(beside) / name).replace(out_dir / name)
    return [out_dir / name for name in contents]
