"""Tests from annotation files whose format is named: one function for every door."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from metrics.errors import BadInput
from metrics.nnd.build import Options
from metrics.nnd.documents import read_tests
from metrics.nnd.formats.challenge300 import challenge300_tests
from metrics.nnd.formats.frank import frank_tests
from metrics.nnd.formats.mqm import mqm_tests
from metrics.nnd.formats.quiz_design import TEMPLATE, quiz_design_tests
from metrics.nnd.formats.summeval import summeval_tests
from metrics.nnd.records import TestSet

TESTS = "tests"  # what `nnd build --json` wrote
FORMATS = ("quiz-design", "frank", "challenge300", "summeval", "mqm")


@dataclass(frozen=True, slots=True)
class Choices:
    """What a format leaves open; None: its default. `nnd build --help` says which belong to which."""

    template: str | None = None
    dataset: str | None = None
    split: str | None = None
    categories: str | None = None
    annotators: str | None = None


def build_from_files(
    name: str, files: Sequence[Path], *, choices: Choices | None = None, options: Options | None = None
) -> TestSet:
    """Tests from the files of a format of `FORMATS`, or read back from `tests`.

    files: one; for `frank` the annotations, then the texts. Raises BadInput, InsufficientData.
    """
    first, rest = files[0], files[1:]
    if rest and (name != "frank" or len(rest) > 1):
        limit = "two files (annotations, texts)" if name == "frank" else "one file"
        raise BadInput(f"the format {name} takes {limit}", where=str(rest[-1]))
    how = choices or Choices()
    if name == "frank":
        return frank_tests(
            first,
            rest[0] if rest else None,
            dataset=how.dataset or "cnndm",
            split=how.split or "test",
            level="leaf" if how.categories == "leaf" else "group",
            options=options,
        )
    if name == "mqm":
        label = "severity" if how.categories == "severity" else "category"
        return mqm_tests(first, label=label, options=options)  # type: ignore[arg-type]
    return _from_single_file(name, first, how, options)


def _from_single_file(name: str, file: Path, how: Choices, options: Options | None) -> TestSet:
    if name == "summeval":
        annotators, split = how.annotators or "expert", how.split or "odd"
        return summeval_tests(file, annotators=annotators, split=split, options=options)  # type: ignore[arg-type]
    if name == "challenge300":
        return challenge300_tests(file, options=options)
    if name == "quiz-design":
        return quiz_design_tests(file, template=how.template or TEMPLATE, options=options)
    if name == TESTS:
        return read_tests(file)
    raise BadInput(f"no format is called {name!r}", column="format")
