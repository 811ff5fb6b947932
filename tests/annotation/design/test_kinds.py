"""Task kinds: one folder each, registered once; what another package registers is taken, or left out with a reason."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from annotation.design import kinds
from annotation.design.criteria import Criterion
from annotation.design.kinds import BUILT_IN, DIRECT_ASSESSMENT, ERROR_LABELS, default_wording, find_kind, kind_called
from annotation.design.presets import BROKEN_PRESETS, PRESETS
from annotation.design.task_kind import TaskKind, check_questions, number_labels
from annotation.exceptions import AnswerError, DesignError, QuestionError
from annotation.hits.parse_answers import read_line
from annotation.hits.render import ShownLine, ShownText, hit_page
from metrics.data.answer_types import AnswerType

ROOT = Path(__file__).resolve().parents[3]


def _fail(sent: str, criterion: Criterion) -> tuple[str, ...]:
    raise ZeroDivisionError("planted")


def planted(name: str, folder: Path, **changes: object) -> TaskKind:
    """A kind like direct assessment, of another package."""
    folder.mkdir(exist_ok=True)
    (folder / "template.html").write_text('{% extends "task.html" %}', encoding="utf-8")
    wording = replace(default_wording("direct_assessment"), kind=name)
    return replace(DIRECT_ASSESSMENT, name=name, wording=wording, folder=folder, presets=(), **changes)


class Register:
    """Kinds that other packages register, until the test ends."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.monkeypatch = monkeypatch

    def __call__(self, *values: TaskKind | str) -> None:
        entries = []
        for number, value in enumerate(values):
            if isinstance(value, TaskKind):
                self.monkeypatch.setitem(globals(), f"KIND_{number}", value)
                path = f"{__name__}:KIND_{number}"
            else:
                path = value
            entries.append(EntryPoint(f"entry-{number}", path, kinds.GROUP))
        self.monkeypatch.setattr(kinds, "entry_points", lambda *, group: entries if group == kinds.GROUP else [])
        kinds._load.cache_clear()


@pytest.fixture
def register(monkeypatch: pytest.MonkeyPatch) -> Iterator[Register]:
    yield Register(monkeypatch)
    kinds._load.cache_clear()


def test_every_kind_is_a_folder_with_its_page_and_presets_that_can_be_read() -> None:
    folders = {path.parent.name for path in (ROOT / "annotation/design/kinds").glob("*/kind.py")}
    assert folders == {kind.name for kind in BUILT_IN}
    assert BROKEN_PRESETS == {}
    assert list(PRESETS)[:2] == ["huse-2019", "clark-2021"]
    for kind in BUILT_IN:
        assert kind.folder.name == kind.name
        assert (kind.folder / "template.html").is_file()
        assert {path.stem for path in (kind.folder / "presets").glob("*.json")} == set(kind.presets) <= PRESETS.keys()


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_has_a_price_and_questions_that_its_kind_can_ask(name: str) -> None:
    preset = PRESETS[name]
    check_questions(preset.kind, preset.wording)
    assert int(str(preset.settings["reward_cents"])) > 0
    assert int(str(preset.settings["texts_per_hit"])) > 0
    page = hit_page(
        preset.wording, [ShownLine(0, ShownText("One."), ShownText("Two.") if preset.kind.in_pairs else None)]
    )
    assert page.count('class="question') == len(preset.wording.criteria)


def test_a_preset_after_a_paper_says_after_and_what_is_different() -> None:
    worded_by_assay = {name: preset for name, preset in PRESETS.items() if preset.source.startswith("after")}
    assert set(worded_by_assay) == {"summeval", "hanna", "direct-assessment-mt"}
    assert all("our own" in preset.differs["wording"] for preset in worded_by_assay.values())


def test_the_criteria_after_the_papers_are_the_papers() -> None:
    """Fabbri et al. 2021, section 3; Chhun et al. 2022, section 3: names and five points each."""
    names = {name: [criterion.name for criterion in PRESETS[name].wording.criteria] for name in ("summeval", "hanna")}
    assert names["summeval"] == ["coherence", "consistency", "fluency", "relevance"]
    assert names["hanna"] == ["relevance", "coherence", "empathy", "surprise", "engagement", "complexity"]
    for name in names:
        for criterion in PRESETS[name].wording.criteria:
            assert [code for _, code, _ in criterion.labels] == ["1", "2", "3", "4", "5"]


def test_the_kind_of_another_package_is_asked_answered_and_read_like_any_other(
    register: Register, tmp_path: Path
) -> None:
    register(planted("outside", tmp_path / "outside"))
    assert list(kinds.installed_kinds()) == [*(kind.name for kind in BUILT_IN), "outside"]
    page = hit_page(default_wording("outside"), [ShownLine(0, ShownText("One."))])
    assert 'data-task="outside"' in page
    assert read_line({"rating-0": "73"}, 0, default_wording("outside")).labels == {"quality": ("73",)}


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("no.such.module:KIND", "no.such.module:KIND cannot be loaded: ModuleNotFoundError"),
        ("annotation.design.kinds:GROUP", "is not a TaskKind"),
        ("annotation.design.kinds:LIKERT", "has the name likert, which is in use"),
    ],
)
def test_what_cannot_be_registered_is_left_out_and_named(register: Register, value: str, reason: str) -> None:
    register(value)
    assert list(kinds.installed_kinds()) == [kind.name for kind in BUILT_IN]
    assert reason in kinds.broken_kinds()["entry-0"]


def test_a_kind_that_is_not_installed_is_named_with_what_to_do() -> None:
    assert find_kind("essay") is None
    with pytest.raises(DesignError, match=r"The task type essay is not installed: install .* assay\.task_kinds"):
        kind_called("essay")
    with pytest.raises(DesignError, match="The task type essay is not installed"):
        hit_page(replace(default_wording("likert"), kind="essay"), [])


def test_a_broken_reader_and_a_broken_page_are_named_and_harm_no_other_kind(register: Register, tmp_path: Path) -> None:
    page = planted("broken_page", tmp_path / "page")
    (page.folder / "template.html").write_text("{% no_such_tag %}", encoding="utf-8")
    register(planted("broken_reader", tmp_path / "reader", read=_fail), page)
    with pytest.raises(AnswerError, match="task type broken_reader cannot be read: ZeroDivisionError: planted"):
        read_line({"rating-0": "5"}, 0, default_wording("broken_reader"))
    with pytest.raises(QuestionError, match="task type broken_page cannot be rendered: TemplateSyntaxError"):
        hit_page(default_wording("broken_page"), [])
    assert read_line({"rating-0": "Rare"}, 0, default_wording("typicality")).missing == ()


@pytest.mark.parametrize(
    ("sent", "read"),
    [("0", ("0",)), ("100", ("100",)), (" 073 ", ("73",)), ("101", ()), ("-1", ()), ("7.5", ()), ("٧", ()), ("", ())],
)
def test_a_number_is_a_whole_one_between_the_ends(sent: str, read: Sequence[str]) -> None:
    answer = read_line({"rating-0": sent}, 0, default_wording("direct_assessment"))
    assert answer.labels == {"quality": tuple(read)}
    assert answer.missing == (() if read else ("quality",))


def test_every_number_between_the_ends_is_a_label_and_the_ends_keep_their_names() -> None:
    labels = number_labels(Criterion("q", "?", "s", (("Best", "3", ""), ("Worst", "-1", ""))))
    assert labels == (("-1", "-1", "Worst"), ("0", "0", ""), ("1", "1", ""), ("2", "2", ""), ("3", "3", "Best"))


@pytest.mark.parametrize(("ends", "rule"), [(("0", "0.5"), "whole numbers"), (("0", "1001"), "at most 1,000 apart")])
def test_ends_that_no_slider_can_have_are_refused(ends: tuple[str, str], rule: str) -> None:
    criterion = Criterion("quality", "?", "s", tuple((f"end {end}", end, "") for end in ends))
    with pytest.raises(DesignError, match=rule):
        check_questions(DIRECT_ASSESSMENT, replace(DIRECT_ASSESSMENT.wording, criteria=(criterion,)))


def test_a_criterion_says_what_its_answer_is() -> None:
    error, severity = PRESETS["error-labels"].wording.criteria
    assert ERROR_LABELS.answer_of(error) is AnswerType.SEVERAL_LABELS
    assert ERROR_LABELS.answer_of(severity) is AnswerType.ORDINAL
    assert kinds.answers_of(default_wording("error_labels")) == {"error": AnswerType.SINGLE_LABEL}
