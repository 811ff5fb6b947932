"""Texts put into a study."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from annotation.exceptions import DesignError, StateError
from annotation.importing.add_texts import add_texts
from annotation.models import AuditEvent, Context, Generator, Likelihood, Study, Text
from annotation.readers.records import LikelihoodRecord, TextRecord
from annotation.studies.create import Plan, create

pytestmark = [pytest.mark.database, pytest.mark.django_db]

NOW = datetime(2026, 11, 20, tzinfo=UTC)
FILE = "id,text,source,generator,context,log_prob,decoding\nr1,a b,reference,,c,-3,\nm1,b c d,model,g,c,-2,t=0.7\n"


def draft() -> Study:
    return create("draft", mode="rehearsal", plan=Plan(), actor="test", now=NOW)


def text(key: str, **more: object) -> TextRecord:
    given = {"body": f"body of {key}", "source": "model", "generator": "g", "decoding": "t=1"} | more
    return TextRecord(id=key, **given)


def test_a_file_makes_a_study_with_its_texts(tmp_path: Path) -> None:
    path = tmp_path / "texts.csv"
    path.write_text(FILE)
    call_command("import_texts", path, study="new", create=True)
    study = Study.objects.get(name="new")
    assert [(one.key, one.source, one.context.key) for one in study.texts.order_by("pk")] == [
        ("r1", "reference", "c"),
        ("m1", "model", "c"),
    ]
    assert Generator.objects.get(study=study).decoding == "t=0.7"
    told = Likelihood.objects.order_by("text__pk").values_list("log_prob", "length", "log_prob_text")
    assert list(told) == [(-3, 2, "-3"), (-2, 3, "-2")]
    assert Context.objects.count() == 1


@pytest.mark.parametrize(
    ("create_it", "sentence"), [(False, "no study called new"), (True, "log-probability is 0 or less")]
)
def test_nothing_is_left_of_an_import_that_fails(tmp_path: Path, create_it: bool, sentence: str) -> None:
    path = tmp_path / "texts.csv"
    path.write_text(FILE if not create_it else FILE.replace("-2", "2"))
    with pytest.raises(CommandError, match=sentence) as caught:
        call_command("import_texts", path, study="new", create=create_it)
    assert caught.value.returncode == 2
    assert not Study.objects.exists()


def test_references_shared_by_generators_have_a_likelihood_under_each() -> None:
    study = draft()
    shared = tuple(LikelihoodRecord(name, -1.0, 2, "whitespace") for name in ("g", "h"))
    added = add_texts(
        study, [text("r", source="reference", generator=None, decoding="", likelihoods=shared)], actor="test", now=NOW
    )
    assert (added.texts, added.references, added.likelihoods) == (1, 1, 2)
    assert sorted(study.generators.values_list("name", flat=True)) == ["g", "h"]


def test_an_id_that_the_study_has_already_is_refused() -> None:
    study = draft()
    add_texts(study, [text("a")], actor="test", now=NOW)
    with pytest.raises(StateError, match=r"has a text with the id 'a' already \(row 7\)"):
        add_texts(study, [text("b"), text("a", row=7)], actor="test", now=NOW)
    assert Text.objects.count() == 1
    assert AuditEvent.objects.filter(verb="add_texts").count() == 1


def test_a_generator_keeps_one_decoding_and_a_context_one_wording() -> None:
    study = draft()
    add_texts(study, [text("a", context="c", context_body="one")], actor="test", now=NOW)
    with pytest.raises(DesignError, match="'g' is decoded by 't=1' in this study, not by 't=2'"):
        add_texts(study, [text("b", decoding="t=2")], actor="test", now=NOW)
    with pytest.raises(DesignError, match="The context 'c' has another text"):
        add_texts(study, [text("b", context="c", context_body="two")], actor="test", now=NOW)


def test_a_published_study_takes_no_more_texts() -> None:
    study = draft()
    Study.objects.filter(pk=study.pk).update(status="published")
    with pytest.raises(StateError, match="is published"):
        add_texts(study, [text("a")], actor="test", now=NOW)


def test_a_text_without_any_probability_keeps_minus_infinity() -> None:
    study = draft()
    add_texts(study, [text("a", likelihoods=(LikelihoodRecord("g", -math.inf, 1, "char"),))], actor="test", now=NOW)
    assert Likelihood.objects.get().log_prob == -math.inf
