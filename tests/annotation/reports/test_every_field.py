"""Every field of what a report is made from comes back from a report that was read and told again.

The walk goes by the records' own fields: one that is added tomorrow is given a value of its own and looked for, though
nobody lists it here.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest
from django.utils import timezone

from annotation.importing.import_report import import_report
from annotation.readers.report_file import read_report
from annotation.reports.gather import score
from metrics.report.formats.json import ABOVE, SCHEMA_VERSION, read
from metrics.report.formats.write import as_json
from metrics.report.record_codec import decode, encode
from metrics.report.records import ReportInput
from metrics.report.snapshot import content_of
from tests.annotation.reports.round_trips import drawn

KINDS = ("typicality", "evaluators", "pairs")


def base(kind: str) -> ReportInput:
    """A study of that kind, its conditions by domain too; of generators, a context is dropped on either side."""
    given = drawn(kind, 1)
    gone = {item.id for one in given.generators for item in one.items if item.context == "c3"}
    generators = [
        dataclasses.replace(
            one,
            length_unit="model_token",
            items=tuple(item for item in one.items if item.id not in gone),
            dropped=tuple(item for item in one.items if item.id in gone),
        )
        for one in given.generators
    ]
    named = {one.name: f"{one.training} × news × {one.generator}" for one in given.conditions}
    return dataclasses.replace(
        given,
        generators=tuple(generators),
        conditions=tuple(dataclasses.replace(one, name=named[one.name], domain="news") for one in given.conditions),
        ratings=tuple(
            dataclasses.replace(
                one, kept=one.kept and one.text not in gone, condition=named.get(one.condition, one.condition)
            )
            for one in given.ratings
        ),
        assignments=tuple(
            dataclasses.replace(one, condition=named.get(one.condition, one.condition)) for one in given.assignments
        ),
    )


def records(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every record within a value, itself included, by its place."""
    if dataclasses.is_dataclass(value):
        yield path, value
        for field in dataclasses.fields(value):
            yield from records(getattr(value, field.name), f"{path}.{field.name}".lstrip("."))
    elif isinstance(value, tuple):
        for at, one in enumerate(value):
            yield from records(one, f"{path}[{at}]")


def default_of(field: dataclasses.Field[Any]) -> Any:
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return field.default


def bare_fields() -> set[tuple[type, str]]:
    """Fields that no record of any kind of study gives a value of its own."""
    told: dict[tuple[type, str], bool] = {}
    for kind in KINDS:
        for _, record in records(base(kind)):
            for field in dataclasses.fields(record):
                key = (type(record), field.name)
                told[key] = told.get(key, False) or getattr(record, field.name) != default_of(field)
    return {key for key, distinct in told.items() if not distinct}


def made_up(kind: Any, name: str, numbers: Iterator[int]) -> Any:
    """A value of that type that is nobody's default and that no other field has."""
    origin, inner, number = get_origin(kind), get_args(kind), next(numbers)
    if origin in (Union, UnionType):
        return made_up(next(one for one in inner if one is not NoneType), name, numbers)
    if origin is Literal:
        return inner[-1]
    if origin is tuple:
        parts = inner[:1] if inner[1:] == (Ellipsis,) else inner
        return tuple(made_up(one, name, numbers) for one in parts)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {f"{name} {number}": made_up(inner[1], name, numbers)}
    if dataclasses.is_dataclass(kind):
        hints = get_type_hints(kind)
        return kind(**{one.name: made_up(hints[one.name], one.name, numbers) for one in dataclasses.fields(kind)})
    plain = {
        str: f"{name} {number}",
        int: 1000 + number,
        float: 1000.5 + number,
        bool: True,
        Fraction: Fraction(number, 8),
        datetime: datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=number),
    }
    return plain.get(kind, f"{name} {number}")


def filled(value: Any, bare: set[tuple[type, str]], numbers: Iterator[int]) -> Any:
    """The same with a value of its own in every bare field of every record."""
    if isinstance(value, tuple):
        return tuple(filled(one, bare, numbers) for one in value)
    if not dataclasses.is_dataclass(value):
        return value
    hints, changes = get_type_hints(type(value)), {}
    for field in dataclasses.fields(value):
        own = getattr(value, field.name)
        if (type(value), field.name) not in bare:
            changes[field.name] = filled(own, bare, numbers)
        else:
            changes[field.name] = (
                not own if hints[field.name] is bool else made_up(hints[field.name], field.name, numbers)
            )
    return dataclasses.replace(value, **changes)


def distinct(kind: str) -> ReportInput:
    """A study of that kind in which every field that no kind of study fills has a value of its own."""
    return filled(base(kind), bare_fields(), itertools.count(1))


def test_every_field_of_every_record_has_a_value_that_is_not_its_default() -> None:
    told: dict[tuple[str, str], bool] = {}
    for kind in KINDS:
        for _, record in records(distinct(kind)):
            for field in dataclasses.fields(record):
                key = (type(record).__name__, field.name)
                told[key] = told.get(key, False) or getattr(record, field.name) != default_of(field)
    assert [key for key, differs in told.items() if not differs] == []
    assert len(told) > 150


@pytest.mark.parametrize("kind", KINDS)
def test_the_file_of_a_report_holds_every_field(kind: str) -> None:
    given = distinct(kind)
    encoded = json.loads(json.dumps(encode(given)))
    above = {place: encoded.pop(part) for part, place in ABOVE.items()}
    assert read({"schema_version": SCHEMA_VERSION, **above, "data": encoded}) == given
    assert decode(ReportInput, json.loads(json.dumps(encode(given)))) == given


@pytest.mark.django_db
@pytest.mark.parametrize("kind", KINDS)
def test_a_study_loaded_from_a_report_is_what_its_snapshot_says(kind: str, tmp_path: Path) -> None:
    given = distinct(kind)
    encoded = encode(given)
    above = {place: encoded.pop(part) for part, place in ABOVE.items()}
    (tmp_path / "report.json").write_bytes(as_json({"schema_version": SCHEMA_VERSION, **above, "data": encoded}))
    study = import_report(read_report(tmp_path / "report.json"), name="again", actor="ada", now=timezone.now())
    assert content_of(score(study)) == content_of(given)
