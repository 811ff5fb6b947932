"""A snapshot's bytes, hashes and versions; the file of version 1 is read by this and every later release."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from metrics.errors import BadInput
from metrics.report import json_tables, record_codec
from metrics.report.build import build_report
from metrics.report.formats.json import payload
from metrics.report.formats.write import as_json
from metrics.report.records import ReportInput
from metrics.report.row_records import Attached
from metrics.report.snapshot import (
    OF_THE_LOOK,
    SCHEMA,
    VERSION,
    Header,
    Snapshot,
    canonical_bytes,
    content_of,
    read_data,
    read_snapshot,
    sha256_of,
    upgrade,
)
from tests.annotation.reports.round_trips import KINDS

KEPT = Path(__file__).parent / "kept" / "snapshot-1.json"
KEPT_SHA256 = "6ce391a0690a9414519c58c21119089cfd10fa1de9522c1ec051eefbc5aa476e"
NOW = datetime(2026, 11, 24, 1, 2, 3, tzinfo=UTC)


def snapshot_of(report_input: ReportInput, **header: object) -> Snapshot:
    content = content_of(report_input)
    facts = {"study": "s", "number": 1, "created_at": NOW, "actor": "ada", "reason": "report", **header}
    return Snapshot(Header(content_sha256=sha256_of(content), **facts), content)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_study_of_every_kind_is_read_back_as_it_was(kind: str) -> None:
    given = KINDS[kind](5)
    again = read_snapshot(
        snapshot_of(given, versions=given.versions, commit=given.commit, command=given.command).document()
    )
    assert again.report_input == given


def test_the_same_data_have_the_same_content_whoever_looks_and_with_whatever_release() -> None:
    given = KINDS["scales"](5)
    later = replace(given, versions=(("assay", "9"),), commit="f" * 40, command="another")
    first, second = snapshot_of(given), snapshot_of(later, number=2, actor="bob", versions=later.versions)
    assert first.content == second.content
    assert first.header.sha256 != second.header.sha256
    assert content_of(replace(given, licence="CC0")) != first.content


def test_the_bytes_are_canonical() -> None:
    taken = snapshot_of(KINDS["pairs"](5))
    document = taken.document()
    assert document == canonical_bytes(json.loads(document)) + b"\n"
    assert "NaN" not in document.decode()


def test_a_file_of_numbers_keeps_the_order_of_its_keys() -> None:
    file = Attached("scores", "s.json", "0" * 64, {"scores": {"zeta": {"t1": 1.5}, "alpha": {"t0": 2.5}}})
    given = replace(KINDS["scales"](5), attached=(file,))
    (again,) = read_snapshot(snapshot_of(given).document()).report_input.attached
    assert list(again.document["scores"]) == ["zeta", "alpha"]


@pytest.mark.parametrize("stretch", [40, 1 << 20])
@pytest.mark.parametrize("kind", ["scales", "evaluators", "pairs"])
def test_tables_are_written_and_read_in_parts_as_json_has_them(
    kind: str, stretch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever a text holds: what looks like the end of a row or of a table, or like what stands for one."""
    monkeypatch.setattr(json_tables, "STRETCH", stretch)
    monkeypatch.setattr(record_codec, "BATCH", 7)
    given = KINDS[kind](5)
    bodies = (
        '],["x"],[',
        "]]}",
        '{"columns":["a"],"rows":[[1]]}',
        json_tables.MARK,
        f"{json_tables.MARK}0",
        "🜁 é\n\u2028",
    )
    texts = tuple(replace(text, body=bodies[at % len(bodies)]) for at, text in enumerate(given.texts))
    given = replace(given, texts=texts, versions=(), commit=None, command=None)
    content = content_of(given)
    whole = {"schema": SCHEMA, "schema_version": VERSION, **record_codec.encode(given)}
    for name in OF_THE_LOOK:
        del whole[name]
    assert content == canonical_bytes(whole)
    assert read_data(content) == read_data(json.dumps(json.loads(content)).encode()) == given
    report = build_report(given, k=5)
    written = as_json(payload(report, now=NOW, lazy_tables=True))
    assert written.decode() == json.dumps(payload(report, now=NOW), ensure_ascii=False, indent=1) + "\n"


def test_a_byte_that_was_changed_is_noticed() -> None:
    document = snapshot_of(KINDS["scales"](5)).document()
    at = document.index(b'"language":') + 12
    with pytest.raises(BadInput, match="the content is not the one that the header names"):
        read_snapshot(document[:at] + b"#" + document[at + 1 :])


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (lambda d: d["content"]["study"].update(name="another"), "the content is not the one that the header names"),
        (lambda d: d["header"].update(actor="eve"), "the header was changed"),
        (lambda d: d.pop("content"), "not a snapshot"),
    ],
)
def test_a_changed_snapshot_is_not_read(change: object, rule: str) -> None:
    document = json.loads(snapshot_of(KINDS["scales"](5)).document())
    change(document)  # type: ignore[operator]
    with pytest.raises(BadInput, match=rule):
        read_snapshot(json.dumps(document).encode())


def test_a_later_version_and_another_file_are_refused_by_name() -> None:
    with pytest.raises(BadInput, match="version 2, and this release reads versions 1 to 1"):
        upgrade({"schema": "assay-snapshot", "schema_version": 2})
    with pytest.raises(BadInput, match="not a snapshot"):
        upgrade({"schema_version": 1})


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (lambda c: {**c, "schema_version": 2}, "the snapshot is of version 2, and this release reads versions 1 to 1."),
        (lambda c: [c], "an object was expected."),
        (lambda c: {**c, "study": {"name": "x"}}, "study.task: the field is missing."),
        (lambda c: {name: held for name, held in c.items() if name != "money"}, "money: the field is missing."),
        (lambda c: {name: held for name, held in c.items() if name != "crowd"}, "crowd: the field is missing."),
        (lambda c: {**c, "attached": [{"document": "{"}]}, "attached[0].document: JSON as text was expected."),
        (lambda c: {**c, "texts": changed(c["texts"], "id", 7)}, "texts, row 1, column id: text was expected"),
        (lambda c: {**c, "texts": changed(c["texts"], "id", None)}, "texts, column id: the column is missing."),
    ],
)
def test_data_that_a_release_cannot_read_are_refused_by_their_place(change: Any, rule: str) -> None:
    content = json.loads(content_of(KINDS["scales"](5)))
    with pytest.raises(BadInput) as refused:
        read_data(json.dumps(change(content)).encode())
    assert str(refused.value).startswith(rule)


def changed(table: Any, column: str, cell: int | None) -> Any:
    """A table with another first cell in one of its columns; without the column where there is none."""
    at, rows = table["columns"].index(column), [list(row) for row in table["rows"]]
    if cell is None:
        kept = [number for number in range(len(table["columns"])) if number != at]
        return {"columns": [table["columns"][n] for n in kept], "rows": [[row[n] for n in kept] for row in rows]}
    rows[0][at] = cell
    return {"columns": table["columns"], "rows": rows}


def test_the_kept_file_of_version_1_is_read_by_this_release() -> None:
    kept = read_snapshot(KEPT.read_bytes())
    given = kept.report_input
    assert kept.header.content_sha256 == KEPT_SHA256
    assert (len(given.texts), len(given.ratings), len(given.comments), len(given.codes)) == (20, 160, 160, 18)
    (answer, verdict, *_) = build_report(given).verdicts
    assert answer.startswith("Undecided between gpt and tiny: ")
    assert verdict.startswith("Evaluators were not shown to do better than chance: ")
    assert sum(not rating.kept for rating in given.ratings) == 5


def test_the_command_line_needs_neither_django_nor_a_database(tmp_path: Path) -> None:
    program = (
        "import sys; sys.modules['django'] = None; from metrics.__main__ import main; "
        f"sys.exit(main(['report', {str(KEPT)!r}, '--out', {str(tmp_path)!r}, '--format', 'json,csv']))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    written = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert written["reproducibility"]["snapshot"]["sha256"] == KEPT_SHA256
    assert written["created"] == read_snapshot(KEPT.read_bytes()).header.created_at.isoformat(timespec="seconds")
