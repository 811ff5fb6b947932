"""Read a Parquet file in stretches; nested values become columns of their own, by path."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from annotation.readers.foreign.paths import flatten
from annotation.readers.lines import Progress
from annotation.readers.problem_codes import Code
from annotation.readers.problems import Findings
from annotation.readers.rows import Row, Table

BATCH = 500
MAX_GROUP = 2 * 1024 * 1024 * 1024  # bytes of one row group, unpacked


def parquet_table(path: Path, findings: Findings, *, progress: Progress | None = None) -> Table:
    """The rows, counted from 1; each has the columns that it fills."""
    import pyarrow.parquet as pq

    with _damage(findings):
        file = pq.ParquetFile(path, memory_map=True)
        groups = [file.metadata.row_group(at).total_byte_size for at in range(file.metadata.num_row_groups)]
    if groups and max(groups) > MAX_GROUP:
        rule = f"a row group holds {max(groups) // 1_000_000:,} MB, which is too much; write smaller row groups"
        raise findings.stop(None, "", rule, Code.FILE_TOO_LARGE)
    return Table((), _rows(file, findings, progress))


@contextmanager
def _damage(findings: Findings) -> Iterator[None]:
    """Say in a sentence what a damaged file makes the library raise."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError, ValueError, KeyError, OverflowError) as error:
        what = (str(error).splitlines() or [type(error).__name__])[0][:120]
        raise findings.stop(None, "", f"the Parquet file is damaged ({what})", Code.DAMAGED_FILE) from None


def _rows(file: Any, findings: Findings, progress: Progress | None) -> Iterator[Row]:
    number, total = 0, file.metadata.num_rows
    with _damage(findings):
        for batch in file.iter_batches(batch_size=BATCH):
            for record in batch.to_pylist():
                number += 1
                yield Row(number, flatten(record))
            if progress is not None:
                progress(number, total)
    if not number:
        findings.problem(None, "", "the file holds no rows", Code.NO_ROWS)
