"""Every field of what a report is made from comes back from a report that was read and told again.

The walk goes by the records' own fields: one that is added tomorrow is given a value of its own and looked for, though
nobody lists it here.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest
from django.utils import timezone

from annotation.importing.import_study import import_work
from annotation.models import Codebook, Decision, Likelihood, Remark, Scoring, Statement, Study
from annotation.quality.code_explanations import code, edit_codebook
from annotation.readers.report_file import read_report
from annotation.reports.gather import score
from metrics.report.formats.json import ABOVE, SCHEMA_VERSION, read
from metrics.report.formats.write import as_json
from metrics.report.record_codec import decode, encode
from metrics.report.records import ReportInput
from tests.annotation.reports.round_trips import drawn
from tests.annotation.review.factories import member

KINDS = ("typicality", "evaluators", "pairs")
# What the next report says of itself: who made it with what, under which name, and that it was imported.
ITS_OWN = re.compile(r"(versions|commit|command|study\.name|study\.provenance)\b")


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


def read_back(given: ReportInput, folder: Path, name: str = "again") -> Study:
    encoded = encode(given)
    above = {place: encoded.pop(part) for part, place in ABOVE.items()}
    (folder / "report.json").write_bytes(as_json({"schema_version": SCHEMA_VERSION, **above, "data": encoded}))
    return import_work(read_report(folder / "report.json"), name=name, actor="ada", now=timezone.now()).study


def plain(given: ReportInput) -> Any:
    """As JSON values, tables as lists of records, raters by number in the order of their names."""
    raters = sorted({one.rater for one in (*given.ratings, *given.assignments)})
    words = json.dumps(_rows(encode(given)))
    for at, rater in enumerate(raters):
        words = re.sub(rf'"{re.escape(rater)}"', f'"rater {at}"', words)
    return json.loads(words)


def _rows(value: Any) -> Any:
    if isinstance(value, dict) and set(value) == {"columns", "rows"}:
        return [dict(zip(value["columns"], row, strict=True)) for row in value["rows"]]
    if isinstance(value, dict):
        return {name: _rows(one) for name, one in value.items()}
    return [_rows(one) for one in value] if isinstance(value, list) else value


def changed(before: Any, after: Any, path: str = "") -> Iterator[str]:
    """Where two values differ."""
    if isinstance(before, dict) and isinstance(after, dict):
        for name in before | after:
            yield from changed(before.get(name), after.get(name), f"{path}.{name}".lstrip("."))
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for at, (one, two) in enumerate(zip(before, after, strict=True)):
            yield from changed(one, two, f"{path}[{at}]")
    elif before != after:
        yield f"{path}: {str(before)[:60]} became {str(after)[:60]}"


def lost(before: ReportInput, after: ReportInput) -> list[str]:
    found = [one for one in changed(plain(before), plain(after)) if not ITS_OWN.match(one)]
    return list({re.sub(r"\[\d+\]", "[]", one.split(":")[0]): one for one in found}.values())


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


@pytest.mark.database
@pytest.mark.django_db
@pytest.mark.parametrize("kind", KINDS)
def test_every_field_survives_an_import_and_the_report_after_it(kind: str, tmp_path: Path) -> None:
    given = distinct(kind)
    assert lost(given, score(read_back(given, tmp_path))) == []


# What is said or decided here after the import is not taken back by what the report had said.


@pytest.fixture
def imported(tmp_path: Path, db: None) -> Study:
    return read_back(drawn("evaluators", 1), tmp_path)


@pytest.mark.database
def test_codes_given_after_an_import_stand_beside_those_of_the_report(imported: Study) -> None:
    before = score(imported)
    owner, purpose = member(imported, "owner"), Codebook.Purpose.COMMENTS
    book = edit_codebook(imported, purpose, [("content", ["untrue"])], actor=owner, now=timezone.now())
    told = {(one.text, one.rater) for one in before.codes}
    remarks = Remark.objects.filter(presentation__submission__hit__study=imported).select_related(
        "presentation__text", "presentation__submission__worker"
    )
    places = [(one, (one.presentation.text.key, one.presentation.submission.worker.pseudonym)) for one in remarks]
    remark, place = next((one, place) for one, place in places if place in told)
    code(remark, book, ["untrue"], coder=owner, now=timezone.now())
    after = score(imported)
    assert set(before.codes) < set(after.codes)
    (added,) = set(after.codes) - set(before.codes)
    assert ((added.text, added.rater), added.coder, added.codes) == (place, "coder 3", ("untrue",))
    assert after.codebook == (*before.codebook, ("content", ("untrue",)))


@pytest.mark.database
def test_payment_decided_after_an_import_is_counted(imported: Study) -> None:
    paid = Decision.objects.filter(submission__hit__study=imported, matter=Decision.Matter.PAYMENT)
    approved = paid.filter(verdict=Decision.Verdict.APPROVE).count()
    paid.filter(pk=paid.order_by("pk")[0].pk).update(
        verdict=Decision.Verdict.REJECT, reason="copied", at=timezone.now()
    )
    crowd = score(imported).crowd
    assert (crowd.approved, crowd.rejected) == (approved - 1, 1)


@pytest.mark.database
def test_a_statement_that_was_taken_away_after_an_import_stays_away(imported: Study) -> None:
    assert score(imported).licence == "CC BY 4.0"
    Statement.objects.filter(study=imported, key__in=["licence", "registered"]).delete()
    after = score(imported)
    assert after.licence is None
    assert after.plan is not None
    assert after.plan.registered_where is None


@pytest.mark.database
@pytest.mark.django_db
def test_what_a_model_read_here_is_not_ascribed_to_the_model_of_the_report(tmp_path: Path) -> None:
    study = read_back(distinct("typicality"), tmp_path)
    told = score(study).generators[0].log_prob_model
    scoring = Scoring.objects.create(
        study=study,
        generator=study.generators.get(name="zulu"),
        signature="s",
        model="tiny",
        revision="1",
        tokenizer="bpe",
        dtype="float32",
        include_eos=True,
        created_at=timezone.now(),
    )
    Likelihood.objects.filter(generator__name="zulu", text__study=study).update(scoring=scoring, length_unit="char")
    facts = score(study).generators[0]
    assert facts.log_prob_model != told
    assert "tiny" in str(facts.log_prob_model)
    assert facts.length_unit == "char"
