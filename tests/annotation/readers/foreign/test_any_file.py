"""Files of other tools are read as they are: what their columns hold is guessed, and nothing is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotation.readers.foreign.guess import guess_mapping
from annotation.readers.foreign.layouts import without_texts
from annotation.readers.foreign.look import FileLook, look_at, look_from_json
from annotation.readers.foreign.ratings_mapping import guess_ratings, read_mapped_ratings
from annotation.readers.foreign.text_mapping import TextMapping, mapping_from_json
from annotation.readers.problems import FileProblems
from annotation.readers.texts import Examination, examine_texts
from tests.annotation.readers.foreign import other_tools as tools


def written(folder: Path, file: tools.Brought) -> Path:
    path = folder / file.name
    file.write(path)
    return path


def read(path: Path, mapping: TextMapping | None = None) -> Examination:
    return examine_texts(path, mapping=mapping or guess_mapping(look_at(path)))


@pytest.mark.parametrize("file", [*tools.TWENTY, *tools.FOLDERS], ids=lambda file: file.name)
def test_every_text_of_a_file_is_read_by_the_guess_alone(file: tools.Brought, tmp_path: Path) -> None:
    path = written(tmp_path, file)
    look = look_at(path)
    mapping = guess_mapping(look)
    examination = read(path, mapping)
    assert mapping.layout == file.layout
    assert (examination.total_problems, len(examination.texts)) == (0, file.texts), examination.faults
    bodies = {text.body.split(",")[0] for text in examination.texts}
    if file.texts == tools.MODELS_ONLY:
        assert {text.source for text in examination.texts} == {"model"}
        assert bodies == set(tools.MODEL)
    else:
        people = [text.body for text in examination.texts if text.source == "reference"]
        assert len(people) == 4
        if file.name != "japanese.csv":
            assert {body.split(",")[0][: len(text)] for body in people for text in tools.HUMAN if text in body} == set(
                tools.HUMAN
            )
    assert look_from_json(look.as_json()) == look
    assert mapping_from_json(mapping.as_json()) == mapping


def test_letters_of_other_encodings_come_as_they_are(tmp_path: Path) -> None:
    for name, words in (("german.csv", "schön über Straßen"), ("czech.csv", "žluťoučký kůň"), ("japanese.csv", "天気")):
        file = next(file for file in tools.TWENTY if file.name == name)
        examination = read(written(tmp_path, file))
        assert any(words in text.body for text in examination.texts), name
        assert any("letters are probably" in note for note in examination.notes)


def test_the_sides_of_a_row_belong_to_one_context(tmp_path: Path) -> None:
    texts = read(written(tmp_path, tools.TWENTY[0])).texts
    first = [text for text in texts if text.context == texts[0].context]
    assert [(text.source, text.generator, text.body) for text in first] == [
        ("reference", None, tools.HUMAN[0]),
        ("model", "gpt2", tools.MODEL[0]),
        ("model", "ctrl", tools.OTHER[0]),
    ]
    assert {text.context_body for text in first} == {tools.PROMPTS[0]}


def test_prompts_of_a_second_file_are_looked_up(tmp_path: Path) -> None:
    answers = written(tmp_path, next(file for file in tools.TWENTY if file.layout == "MT-Bench"))
    questions = tmp_path / "question.jsonl"
    questions.write_text(tools._lines(tools.MT_QUESTIONS))
    texts = examine_texts(answers, mapping=guess_mapping(look_at(answers)), joined=questions).texts
    assert [text.context_body for text in texts] == tools.PROMPTS


def test_one_reference_under_two_contexts_is_told(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text("prompt,human,gpt2\none,the rain falls,rain is falling\ntwo,the rain falls,it rains a lot\n")
    warnings = read(path).faults[0].warnings.listed
    assert [warning.code for warning in warnings] == ["same-reference"]
    assert "belongs to the context 'row 2' in row 2" in warnings[0].rule


def test_files_that_hold_no_texts_say_what_they_are(tmp_path: Path) -> None:
    for name, content in (("q.csv", tools.QUALTRICS), ("g.csv", tools.GOOGLE_FORMS), ("p.csv", tools.PROLIFIC)):
        (tmp_path / name).write_text(content)
        assert "no texts" in without_texts(look_at(tmp_path / name)), name


@pytest.mark.parametrize(("name", "content", "texts", "ratings", "layout"), tools.RATED)
def test_ratings_of_other_tools_are_read(
    name: str, content: str, texts: int, ratings: int, layout: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(content)
    mapping = guess_ratings(look_at(tmp_path / name))
    work = read_mapped_ratings(tmp_path / name, mapping)
    judgments = [judgment for submission in work.submissions for judgment in submission.judgments]
    assert (mapping.layout, len(work.texts), len(judgments)) == (layout, texts, ratings)


def test_answers_in_words_keep_their_words_and_order(tmp_path: Path) -> None:
    path = tmp_path / "form.csv"
    path.write_text("Timestamp,How natural is A?\n1/1/24,Strongly disagree\n1/1/24,Agree\n")
    work = read_mapped_ratings(path, guess_ratings(look_at(path)))
    assert [(label.label, label.code) for label in work.scale.labels] == [("Agree", "4"), ("Strongly disagree", "1")]


def test_an_answer_of_no_scale_is_a_problem_with_its_row(tmp_path: Path) -> None:
    path = tmp_path / "tidy.csv"
    path.write_text("text_id,annotator,score\nt1,ann,4\nt2,ann,lovely\n")
    with pytest.raises(FileProblems, match="row 3, column 'score': 'lovely' is not a number"):
        read_mapped_ratings(path, guess_ratings(look_at(path)))


def test_a_mapping_from_outside_is_held_to_its_form() -> None:
    for stored, words in (
        ({"colour": "red"}, "'colour' is not a key"),
        ({"models": "gpt2"}, "'models' has a value of the wrong kind"),
        ({"shape": "round"}, "shape is long or wide"),
        ({"more": {"mood": "a"}}, "'mood' is not one of"),
    ):
        with pytest.raises(ValueError, match=words):
            mapping_from_json(stored)


def test_a_look_shows_few_words_of_a_column(tmp_path: Path) -> None:
    look: FileLook = look_at(written(tmp_path, tools.TWENTY[2]))
    author = look.column("author")
    assert author is not None
    assert author.words == ("human", "gpt2")
