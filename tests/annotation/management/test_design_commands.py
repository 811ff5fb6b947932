"""From a preset to pages on disk, by commands."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from annotation.design.lay_out import design
from annotation.importing.add_texts import add_texts
from annotation.models import Arm, Cell, Study
from annotation.readers.records import TextRecord
from tests.annotation.conftest import NOW

pytestmark = pytest.mark.django_db


def told(*words: str) -> str:
    out = io.StringIO()
    call_command(*words, stdout=out)
    return out.getvalue()


def with_texts(study: Study) -> Study:
    texts = []
    for domain in ("news", "stories"):
        texts += [TextRecord(f"{domain}-r{i}", f"Text {i}", "reference", domain=domain) for i in range(5)]
        for name in ("small", "large"):
            texts += [
                TextRecord(f"{domain}-{name}{i}", f"Made {i}", "model", generator=name, domain=domain) for i in range(5)
            ]
    add_texts(study, texts, actor="ada", now=NOW)
    return study


def test_a_preset_is_a_draft_whose_values_can_be_changed() -> None:
    said = told("new_study", "mine", "--preset", "clark-2021", "--set", "evaluators_per_cell=20", "--set", "country=")
    study = Study.objects.get(name="mine")
    assert (study.task, study.texts_per_hit, study.reward_cents, study.once) == ("human_or_machine", 5, 125, True)
    assert (study.evaluators_per_cell, study.country, study.minimum_approved_hits) == (20, "", 1000)
    assert "Clark et al. 2021" in said


def test_words_are_printed_edited_and_given_back(tmp_path: Path) -> None:
    words = json.loads(told("new_study", "--preset", "huse-2019", "--print-wording"))
    path = tmp_path / "words.json"
    path.write_text(json.dumps({**words, "heading": "How usual is each {noun}?"}), encoding="utf-8")
    told("new_study", "mine", "--wording", str(path), "--noun", "title")
    wording = Study.objects.get(name="mine").wordings.get()
    assert (wording.version, wording.body["heading"], wording.body["noun"]) == (1, "How usual is each {noun}?", "title")
    path.write_text(json.dumps({**words, "intro": "one"}), encoding="utf-8")
    with pytest.raises(CommandError, match="intro"):
        told("new_study", "other", "--wording", str(path))
    assert not Study.objects.filter(name="other").exists()


@pytest.mark.parametrize("option", [("--noun", "story"), ("--set", "noun=story")])
def test_a_noun_is_the_noun_of_the_pages_and_of_the_study(option: tuple[str, str]) -> None:
    told("new_study", "mine", "--preset", "clark-2021", *option)
    study = Study.objects.get(name="mine")
    body = study.wordings.get().body
    assert (study.noun, body["noun"], body["nouns"]) == ("story", "story", "stories")


def test_clarks_cells_follow_the_studys_domains_and_generators() -> None:
    """2 generators x 2 domains untrained, 3 trainings x 2 domains for the last."""
    told("new_study", "mine", "--preset", "clark-2021", "--set", "evaluators_per_cell=4")
    study = with_texts(Study.objects.get(name="mine"))
    assert "10 cells" in told("set_conditions", "mine", "--clark")
    trained = Cell.objects.filter(arm__study=study).exclude(arm__training="none")
    assert {cell.generator.name for cell in trained if cell.generator} == {"large"}
    assert Arm.objects.get(study=study, training="comparison").reward_cents == 225
    found = design(study, actor="ada", now=NOW)
    assert (found.cells, found.assignments) == (10, 40)
    for hit in study.hits.select_related("cell__generator"):
        texts = hit.texts.all()
        assert {text.domain for text in texts} == {hit.cell.domain}
        assert {text.generator_id for text in texts if text.generator_id} == {hit.cell.generator_id}


@pytest.mark.parametrize("references", [0, 3])
def test_clarks_cells_need_texts_of_a_generator(references: int) -> None:
    told("new_study", "mine", "--preset", "clark-2021")
    texts = [TextRecord(f"r{i}", f"Text {i}", "reference", domain="news") for i in range(references)]
    add_texts(Study.objects.get(name="mine"), texts, actor="ada", now=NOW)
    with pytest.raises(CommandError, match=r"no text of a generator yet.*Add texts first"):
        told("set_conditions", "mine", "--clark")
    assert not Cell.objects.exists()


def test_tasks_are_created_from_the_texts_of_a_draft_once() -> None:
    """2 domains of 5 references and 5 texts of a generator, 5 in a HIT; 4 evaluators in each domain, for $1.25."""
    told("new_study", "mine", "--preset", "clark-2021", "--set", "evaluators_per_cell=4")
    study = with_texts(Study.objects.get(name="mine"))
    told("set_conditions", "mine", "--cell", "none,news,small", "--cell", "none,stories,small")
    printed = told("configure", "mine", "--create-tasks").splitlines()[0]
    assert (study.hits.count(), sum(study.hits.values_list("max_assignments", flat=True))) == (4, 8)
    assert printed == "Tasks created. HITs: 4, assignments: 8, at most $10.00"
    with pytest.raises(CommandError, match="already has its HITs"):
        told("configure", "mine", "--create-tasks")
    assert "4 HITs discarded." in told("configure", "mine", "--clear-layout")
    assert not study.hits.exists()


def test_a_cell_of_what_is_not_there_is_refused() -> None:
    told("new_study", "mine", "--preset", "clark-2021")
    with_texts(Study.objects.get(name="mine"))
    with pytest.raises(CommandError, match="the domain recipes; no text"):
        told("set_conditions", "mine", "--cell", "none,recipes")
    with pytest.raises(CommandError, match="generator huge"):
        told("set_conditions", "mine", "--cell", "none,news,huge")
    assert not Cell.objects.exists()


def test_pages_are_written_one_for_each_cell(tmp_path: Path) -> None:
    told("new_study", "mine", "--preset", "clark-2021", "--set", "evaluators_per_cell=4")
    study = with_texts(Study.objects.get(name="mine"))
    told("set_conditions", "mine", "--cell", "none,news", "--cell", "instructions,stories,small")
    design(study, actor="ada", now=NOW)
    told("preview", "mine", "--out", str(tmp_path / "pages"))
    written = sorted(path.name for path in (tmp_path / "pages").iterdir())
    assert [name.rsplit("-", 1)[1] for name in written] == ["none.html", "instructions.html"]
    assert "Programs repeat themselves" in (tmp_path / "pages" / written[1]).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["new_study", "mine", "--set", "foo=1"], "does not have the form FIELD=VALUE"),
        (["new_study", "mine", "--set", "texts_per_hit=many"], "whole number"),
        (["new_study", "mine", "--owner", "nobody"], "no user named 'nobody'"),
        (["new_study"], "Enter the name of the study"),
    ],
)
def test_commands_refuse_nonsense_in_a_sentence(words: list[str], sentence: str) -> None:
    with pytest.raises(CommandError, match=sentence):
        told(*words)


def test_a_study_is_a_rehearsal_unless_live_is_stated() -> None:
    told("new_study", "played")
    told("new_study", "paid", "--mode", "live")
    assert dict(Study.objects.values_list("name", "mode")) == {"played": "rehearsal", "paid": "live"}
