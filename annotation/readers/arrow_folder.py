"""Read a folder that the `datasets` library wrote by `save_to_disk`: Arrow files with some JSON."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from annotation.readers.foreign.paths import flatten
from annotation.readers.lines import Progress, odd_in, without_odd_characters
from annotation.readers.problem_codes import Code
from annotation.readers.problems import Findings
from annotation.readers.rows import Row, Table

BATCH = 1000


def dataset_rows(
    path: Path,
    findings: Findings,
    *,
    split: str | None,
    read: Collection[str] = (),
    progress: Progress | None = None,
    nested: bool = False,
) -> Table:
    """The rows of a saved Dataset, or of one split of a saved DatasetDict; row numbers count from 1.

    read: the columns that are read. nested: give the leaves of nested columns, by path.
    Raises FileProblems for a folder of another kind, a split that is not chosen or not there, or a damaged file.
    """
    folder = _choose_folder(path, split, findings)
    files = [folder / name for name in _data_files(folder, findings)]
    labels = _class_labels(folder, findings)
    with _damage(files[0], findings):
        schema = _streams(files[0])[0]
        columns = [name for name in schema.names if not read or name in read]
    for name in columns:
        if schema.names.count(name) > 1:
            findings.problem(None, name, "the dataset has two columns of this name", Code.DUPLICATED_COLUMN)
        if not nested:
            _require_plain(name, schema.field(name).type if schema.names.count(name) == 1 else None, findings)
    findings.raise_if_any()
    if nested:
        return Table((), _nested_rows(files, labels, findings, progress))
    return Table(tuple(schema.names), _rows(files, columns, labels, findings, progress))


def _choose_folder(path: Path, split: str | None, findings: Findings) -> Path:
    if (path / "dataset_dict.json").is_file():
        splits = _read_json(path / "dataset_dict.json", findings).get("splits")
        names = [name for name in splits if isinstance(name, str)] if isinstance(splits, list) else []
        if split is None and len(names) == 1:
            findings.note(f"The folder holds one split, {names[0]}, which is read.")
            return path / names[0]
        if split is None or split not in names:
            rule = f"the folder holds the splits {', '.join(names)}" + (f", not {split!r}" if split else "; choose one")
            raise findings.stop(None, "", rule, Code.WHICH_SPLIT)
        findings.note(f"The split {split} is read, of {', '.join(names)}.")
        return path / split
    if not (path / "state.json").is_file():
        rule = "a folder, but not one that `save_to_disk` wrote (it holds neither state.json nor dataset_dict.json)"
        raise findings.stop(None, "", rule, Code.NOT_A_DATASET)
    if split is not None:
        saved_split = _read_json(path / "state.json", findings).get("_split")
        if saved_split != split:
            rule = f"the folder holds one dataset without splits, not the split {split!r}"
            raise findings.stop(None, "", rule, Code.WHICH_SPLIT)
    return path


def _read_json(path: Path, findings: Findings) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise findings.stop(None, "", f"{path.name} cannot be read ({error})", Code.DAMAGED_DATASET) from None
    if not isinstance(content, dict):
        raise findings.stop(None, "", f"{path.name} holds no JSON object", Code.DAMAGED_DATASET)
    return content


def _data_files(folder: Path, findings: Findings) -> list[str]:
    """The names in state.json; each a file of this folder and nowhere else."""
    listed = _read_json(folder / "state.json", findings).get("_data_files")
    rows = listed if isinstance(listed, list) else []
    names = [str(row.get("filename")) for row in rows if isinstance(row, dict)]
    for name in names:
        if Path(name).name != name or not (folder / name).is_file():
            rule = f"state.json names the file {name!r}, which is not in the folder"
            raise findings.stop(None, "", rule, Code.DAMAGED_DATASET)
    if not names:
        raise findings.stop(None, "", "state.json names no data file", Code.DAMAGED_DATASET)
    return names


def _class_labels(folder: Path, findings: Findings) -> dict[str, list[str]]:
    """The names behind the numbers of label columns."""
    if not (folder / "dataset_info.json").is_file():
        return {}
    features = _read_json(folder / "dataset_info.json", findings).get("features")
    labels = {}
    for name, feature in (features if isinstance(features, dict) else {}).items():
        if (
            isinstance(feature, dict)
            and feature.get("_type") == "ClassLabel"
            and isinstance(feature.get("names"), list)
        ):
            labels[name] = [str(label) for label in feature["names"]]
    return labels


def _streams(path: Path) -> Any:
    """A reader of record batches, of the stream format (as the library writes) or the file format."""
    import pyarrow as pa

    with path.open("rb") as file:
        is_file_format = file.read(6) == b"ARROW1"
    if is_file_format:
        reader = pa.ipc.open_file(str(path))
        return reader.schema, (reader.get_batch(at) for at in range(reader.num_record_batches))
    stream = pa.ipc.open_stream(pa.OSFile(str(path)))
    return stream.schema, stream


@contextmanager
def _damage(path: Path, findings: Findings) -> Iterator[None]:
    """Say in a sentence what a damaged file makes the Arrow library raise."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError, ValueError, KeyError, OverflowError, MemoryError) as error:
        raise findings.stop(None, "", f"{path.name} is damaged ({_first_line(error)})", Code.DAMAGED_DATASET) from None


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0][:200] if str(error) else type(error).__name__


def _require_plain(name: str, kind: Any, findings: Findings) -> None:
    import pyarrow as pa

    if kind is None:
        return
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_nested(kind):
        findings.problem(None, name, "must be a text or a number, not a list or an object", Code.NESTED_VALUE)
    elif pa.types.is_boolean(kind) or pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        findings.problem(None, name, f"must be a text or a number, not {kind}", Code.WRONG_TYPE)


def _rows(
    files: list[Path],
    column_names: list[str],
    labels: Mapping[str, list[str]],
    findings: Findings,
    progress: Progress | None,
) -> Iterator[Row]:
    sizes, number = [path.stat().st_size for path in files], 0
    for at, path in enumerate(files):
        with _damage(path, findings):
            for batch in _streams(path)[1]:
                batch.validate(full=True)
                for start in range(0, batch.num_rows, BATCH):
                    columns = {name: _cells(batch, name, start, labels.get(name)) for name in column_names}
                    for values in zip(*columns.values(), strict=True):
                        number += 1
                        yield Row(number, _check_cells(dict(zip(columns, values, strict=True)), number, findings))
        if progress is not None:
            progress(sum(sizes[: at + 1]), sum(sizes))
    if not number:
        findings.problem(None, "", "the dataset holds no rows", Code.NO_ROWS)


def _nested_rows(
    files: list[Path], labels: Mapping[str, list[str]], findings: Findings, progress: Progress | None
) -> Iterator[Row]:
    sizes, number = [path.stat().st_size for path in files], 0
    for at, path in enumerate(files):
        with _damage(path, findings):
            for batch in _streams(path)[1]:
                batch.validate(full=True)
                for start in range(0, batch.num_rows, BATCH):
                    for record in batch.slice(start, BATCH).to_pylist():
                        number += 1
                        for name, known in labels.items():
                            if isinstance(record.get(name), int) and 0 <= record[name] < len(known):
                                record[name] = known[record[name]]
                        yield Row(number, _check_cells(flatten(record), number, findings))
        if progress is not None:
            progress(sum(sizes[: at + 1]), sum(sizes))
    if not number:
        findings.problem(None, "", "the dataset holds no rows", Code.NO_ROWS)


def _cells(batch: Any, name: str, start: int, labels: list[str] | None) -> list[str]:
    """A stretch of a column as texts, numbers as they would be written; "" for null."""
    import pyarrow as pa

    column = batch.column(name).slice(start, BATCH)
    if labels is not None and pa.types.is_integer(column.type):
        known = range(len(labels))
        return [
            "" if cell is None or cell == -1 else labels[cell] if cell in known else str(cell)
            for cell in column.to_pylist()
        ]
    return ["" if cell is None else cell for cell in column.cast(pa.string()).to_pylist()]


def _check_cells(cells: dict[str, str], number: int, findings: Findings) -> dict[str, str]:
    for name, cell in cells.items():
        odd = None if cell.isascii() and "\0" not in cell else odd_in(cell)
        if odd is not None:
            findings.problem(number, name, odd[1], odd[0])
            cells[name] = without_odd_characters(cell)
    return cells
