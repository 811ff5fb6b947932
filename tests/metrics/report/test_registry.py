"""Sections of a report declare themselves: those of Assay, and those of other packages."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import EntryPoint

import pytest

from metrics.__main__ import main
from metrics.errors import BadInput
from metrics.report.build import build_report
from metrics.report.formats.json import payload
from metrics.report.records import ReportInput
from metrics.report.section import Measured, Reference
from metrics.report.section_kind import Options, SectionKind
from metrics.report.sections import registry
from metrics.report.snapshot import Header, Snapshot, content_of, header_bytes, sha256_of
from metrics.types import Estimate
from tests.metrics.report.samples import NOW
from tests.metrics.report.test_method_5 import UNKNOWN

NAMED = Estimate(3.0, 1, None, {}, (), "letters|v:1")
LETTERS = Reference("doe2030letters", "misc", (("title", "Counting letters"),))


def _gather(report_input: ReportInput) -> str | None:
    return report_input.study.name


def _compute(name: str, options: Options) -> int:
    options.announce("letters")
    return len(name)


COUNT = SectionKind(
    key="letters",
    title="Letters of the name",
    order=65,
    gather=_gather,
    compute=_compute,
    sentences=lambda count: (f"The name has {count} letters.",),
    measures=lambda count: (Measured("all", "Letters", NAMED),),
    references=lambda count: (LETTERS,),
)


def installed(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    """Another package registers what is at `value`."""
    entry = EntryPoint("letters", value, registry.GROUP)
    monkeypatch.setattr(registry, "entry_points", lambda *, group: [entry] if group == registry.GROUP else [])


def test_the_answer_leads_then_the_papers_and_each_section_once() -> None:
    keys = [kind.key for kind in registry.built_in()]
    assert keys[:2] == ["answer", "huse"]
    assert len(set(keys)) == len(keys)
    assert keys.index("human-or-machine") < keys.index("agreement") < keys.index("nnd")


def test_a_section_of_another_package_has_its_place_sentence_measure_and_reference(monkeypatch) -> None:
    installed(monkeypatch, f"{__name__}:COUNT")
    report = build_report(UNKNOWN)
    assert [section.key for section in report.sections] == ["letters"]
    (part,) = payload(report, now=NOW)["results"]
    assert part["lead"] == ["The name has 7 letters."]
    assert (part["measures"][0]["title"], part["measures"][0]["value"]) == ("Letters", 3.0)
    assert part["references"] == ["doe2030letters"]


@pytest.mark.parametrize(
    ("value", "words"),
    [(f"{__name__}:NOW", "a section is a SectionKind"), (f"{registry.__package__}.huse:SECTIONS", "'huse'")],
)
def test_what_is_no_section_or_has_the_key_of_another_is_refused(monkeypatch, value: str, words: str) -> None:
    installed(monkeypatch, value)
    with pytest.raises(BadInput, match=words):
        registry.installed()


@pytest.mark.parametrize("path", ["", "nowhere:SECTIONS", f"{__name__}:NOTHING", "metrics.report.build:Report"])
def test_a_path_without_a_section_is_refused_in_a_sentence(path: str) -> None:
    with pytest.raises(BadInput, match=r"section"):
        registry.load(path)


def test_a_section_that_does_not_apply_is_not_computed() -> None:
    def computed(facts: object, options: Options) -> Sequence[str]:
        raise AssertionError

    absent: SectionKind[object, Sequence[str]] = SectionKind("absent", "Absent", 1, lambda report_input: None, computed)
    assert build_report(UNKNOWN, kinds=(absent,)).sections == ()


def _snapshot(sections: tuple[str, ...]) -> Snapshot:
    content = content_of(UNKNOWN)
    return Snapshot(Header("unknown", 1, NOW, "ada", "report", sha256_of(content), sections=sections), content)


def test_a_section_that_the_snapshots_report_had_is_named_where_it_is_not_installed(tmp_path, capsys) -> None:
    path = tmp_path / "snapshot.json"
    path.write_bytes(_snapshot(("letters",)).document())
    arguments = ["report", str(path), "--out", str(tmp_path / "out"), "--format", "json"]
    assert main(arguments) == 0
    assert "The section letters is missing" in capsys.readouterr().out
    assert "The section letters is missing" in (tmp_path / "out" / "report.json").read_text(encoding="utf-8")
    assert main([*arguments, "--section", f"{__name__}:COUNT"]) == 0
    assert "missing" not in capsys.readouterr().out
    assert "The name has 7 letters." in (tmp_path / "out" / "report.json").read_text(encoding="utf-8")


def test_a_header_without_such_sections_keeps_the_bytes_that_it_had_before_there_were_any() -> None:
    assert b'"sections"' not in header_bytes(_snapshot(()).header)
    assert b'"sections":["letters"]' in header_bytes(_snapshot(("letters",)).header)


def _raise(*_: object) -> object:
    raise ZeroDivisionError("planted")


BROKEN_GATHER = SectionKind(key="broken", title="Broken", order=66, gather=_raise, compute=_compute)  # type: ignore[arg-type]
BROKEN_COMPUTE = SectionKind(key="broken", title="Broken", order=66, gather=_gather, compute=_raise)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["BROKEN_GATHER", "BROKEN_COMPUTE"])
def test_a_section_of_another_package_that_fails_is_named_and_the_report_is_there(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    installed(monkeypatch, f"{__name__}:{name}")
    report = build_report(UNKNOWN)
    (section,) = [section for section in report.sections if section.key == "broken"]
    assert section.missing == (("Broken", "the section of another package failed: ZeroDivisionError: planted"),)


def test_a_package_that_cannot_be_imported_harms_no_report(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, "no.such.module:SECTIONS")
    assert [kind.key for kind in registry.installed()] == [kind.key for kind in registry.built_in()]
