"""Mapping files: the layouts they can tell of, and the sentence when one is odd."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from annotation.readers.batch import read_batch
from annotation.readers.mapping_file import load_mapping, shipped_mappings
from annotation.readers.problems import FileProblems
from annotation.readers.records import CollectedWork

DOCS = Path(__file__).resolve().parents[3] / "docs" / "import.md"
SCALE = '[scale]\nnumbers = "1-3"\n'
ITEM = '[[items]]\ntext = "Input.text"\nrating = "Answer.rating"\nsource = { value = "model" }\n'


def read(tmp_path: Path, mapping: str, csv: str) -> CollectedWork:
    (tmp_path / "map.toml").write_text(mapping)
    (tmp_path / "batch.csv").write_text(csv)
    return read_batch(tmp_path / "batch.csv", tmp_path / "map.toml")


def test_the_shipped_mappings_are_whole() -> None:
    assert [mapping.name for mapping in shipped_mappings()] == ["HUSE batch results"]


def test_one_text_a_hit_needs_no_number_and_a_fixed_source_no_column(tmp_path: Path) -> None:
    csv = (
        'HITId,WorkerId,Input.text,Answer.rating\nh1,a,"two\nlines, quoted",3\nh1,b,"two\nlines, quoted",1\nh2,a,x,2\n'
    )
    work = read(tmp_path, ITEM + SCALE, csv)
    assert [(text.body, text.source, text.generator, text.likelihoods) for text in work.texts] == [
        ("two\nlines, quoted", "model", "model", ()),
        ("x", "model", "model", ()),
    ]
    assert [[one.label for one in row.judgments] for row in work.submissions] == [["3"], ["1"], ["2"]]
    assert len(work.hits) == 2


def test_two_groups_of_columns_in_one_hit(tmp_path: Path) -> None:
    mapping = (
        '[[items]]\ntext = "Input.human"\nrating = "Answer.human"\nsource = { value = "reference" }\n'
        '[[items]]\ntext = "Input.machine"\nrating = "Answer.machine"\nsource = { value = "model" }\n'
        'generator = { value = "gpt2" }\n' + SCALE
    )
    csv = "HITId,WorkerId,Input.human,Input.machine,Answer.human,Answer.machine\nh1,a,x,y,3,1\n"
    work = read(tmp_path, mapping, csv)
    assert [(text.body, text.source, text.generator) for text in work.texts] == [
        ("x", "reference", None),
        ("y", "model", "gpt2"),
    ]
    assert work.hits[0].texts == tuple(text.id for text in work.texts)


def test_the_system_column_may_tell_source_and_generator(tmp_path: Path) -> None:
    mapping = (
        '[[items]]\ntext = "Input.t{i}"\nrating = "Answer.r{i}"\nsource = "Input.s{i}"\ngenerator = "Input.s{i}"\n'
        'log_probs = { gpt2 = "Input.lp_gpt2_{i}", lstm = "Input.lp_lstm_{i}" }\n'
        '[sources]\nhuman = "reference"\ngpt2 = "model"\nlstm = "model"\n' + SCALE
    )
    names = [f"{name}{at}" for at in (1, 2, 3) for name in ("Input.t", "Input.s", "Input.lp_gpt2_", "Input.lp_lstm_")]
    cells = ["x", "human", "-1", "-2", "y", "gpt2", "-3", "", "z", "lstm", "", "-4"]
    head = ["HITId", "WorkerId", *names, "Answer.r1", "Answer.r2", "Answer.r3"]
    work = read(tmp_path, mapping, f"{','.join(head)}\n{','.join(['h', 'w', *cells, '1', '2', '3'])}\n")
    told = [(text.generator, [(one.generator, one.log_prob) for one in text.likelihoods]) for text in work.texts]
    assert told == [(None, [("gpt2", -1), ("lstm", -2)]), ("gpt2", [("gpt2", -3)]), ("lstm", [("lstm", -4)])]


def test_a_reference_of_several_generators_must_say_whose_log_p_it_has(tmp_path: Path) -> None:
    mapping = ITEM.replace('{ value = "model" }', '"S"') + 'generator = "G"\nlog_prob = "L"\n' + SCALE
    head = "HITId,WorkerId,S,G,L,Input.text,Answer.rating\nh1,a,model,g,-1,x,1\nh2,a,model,h,-1,y,1\n"
    with pytest.raises(FileProblems, match=r"row 4, column 'L': a reference's log p must name one of the 2 generators"):
        read(tmp_path, mapping, head + "h3,a,reference,,-1,z,1\n")
    work = read(tmp_path, mapping, head + "h3,a,reference,h,-1,z,1\n")
    assert work.texts[2].likelihoods[0].generator == "h"


def test_answers_may_stand_in_a_column_each(tmp_path: Path) -> None:
    mapping = ITEM.replace('"Answer.rating"', '"Answer.q.{answer}"') + SCALE
    head = "HITId,WorkerId,Input.text,Answer.q.1,Answer.q.2,Answer.q.3\n"
    work = read(tmp_path, mapping, head + "h,a,x,false,true,false\n")
    assert work.submissions[0].judgments[0].label == "2"
    with pytest.raises(FileProblems, match=r"row 2, column 'Answer.q.3': two answers are ticked"):
        read(tmp_path, mapping, head + "h,a,x,false,true,true\n")


def test_words_of_the_file_become_labels_of_the_scale(tmp_path: Path) -> None:
    labels = '[scale]\nlabels = [{label = "Good", code = 2.5, answer = ["good", "5"]}, {label = "Bad", code = 0}]\n'
    csv = "HITId,WorkerId,Input.text,Answer.rating\nh,a,x,5\nh,b,x,Bad\nh,c,x,good\n"
    work = read(tmp_path, ITEM + labels, csv)
    assert [row.judgments[0].label for row in work.submissions] == ["Good", "Bad", "Good"]
    assert [(one.label, one.code) for one in work.scale.labels] == [("Good", "2.5"), ("Bad", "0")]


def test_an_unanswered_text_may_be_skipped(tmp_path: Path) -> None:
    csv = "HITId,WorkerId,Input.text,Answer.rating\nh,a,x,\nh,b,x,3\n"
    work = read(tmp_path, ITEM + SCALE + 'blank = "skip"\n', csv)
    assert [len(row.judgments) for row in work.submissions] == [0, 1]


def test_a_text_repeated_in_many_hits_is_one_text_by_id_or_by_wording(tmp_path: Path) -> None:
    csv = "HITId,WorkerId,Input.text,Input.id,Answer.rating\nh1,a,x,t1,1\nh2,b,x,t1,2\nh3,c,y,t2,3\n"
    for mapping in (ITEM + 'id = "Input.id"\n' + SCALE, 'identity = "text"\n' + ITEM + SCALE):
        work = read(tmp_path, mapping, csv)
        assert [text.body for text in work.texts] == ["x", "y"]
        assert len(work.hits) == 3
    with pytest.raises(FileProblems, match=r"row 3, column 'Input.text': the text 't1' differs from row 2"):
        read(tmp_path, ITEM + 'id = "Input.id"\n' + SCALE, csv.replace("h2,b,x", "h2,b,other"))


@pytest.mark.parametrize(("count", "length"), [("whitespace", 3), ("single blanks", 4)])
def test_words_are_counted_as_the_mapping_says(tmp_path: Path, count: str, length: int) -> None:
    mapping = ITEM + 'log_prob = "L"\n' + SCALE + f'[length]\ncount = "{count}"\n'
    work = read(tmp_path, mapping, "HITId,WorkerId,L,Input.text,Answer.rating\nh,a,-1,one  two three,1\n")
    assert work.texts[0].likelihoods[0].length == length


def test_a_blank_log_p_is_warned_of_and_left_out(tmp_path: Path) -> None:
    work = read(tmp_path, ITEM + 'log_prob = "L"\n' + SCALE, "HITId,WorkerId,L,Input.text,Answer.rating\nh,a,,x,1\n")
    assert work.texts[0].likelihoods == ()
    assert "row 2, column 'L': is blank" in work.warnings[0]


ODD = {
    "not TOML": ("[[items", "not TOML"),
    "no items": (SCALE, "items"),
    "no rating": ('[[items]]\ntext = "T"\nsource = "S"\n' + SCALE, "items[1].rating"),
    "an unknown key": (ITEM + 'colour = "red"\n' + SCALE, "items[1].colour"),
    "a fixed rating": (ITEM.replace('"Answer.rating"', '{ value = "3" }') + SCALE, "items[1].rating"),
    "a number without a numbered text": (ITEM + 'log_prob = "L{i}"\n' + SCALE, "items[1].log_prob"),
    "an unknown source": (ITEM + SCALE + '[sources]\nx = "robot"\n', "sources.x"),
    "no scale": (ITEM, "scale"),
    "a code that is no number": (
        ITEM + '[scale]\nlabels = [{label="a",code="x"},{label="b",code=1}]\n',
        "scale.labels[1].code",
    ),
    "a code twice": (ITEM + '[scale]\nlabels = [{label="a",code=1},{label="b",code=1}]\n', "scale.labels"),
    "an odd range": (ITEM + '[scale]\nnumbers = "low-high"\n', "scale.numbers"),
    "a name over its limit": (ITEM + SCALE + f'name = "{"x" * 121}"\n', "scale.name"),
    "an odd unit": (ITEM + SCALE + '[length]\nunit = "yards"\n', "length.unit"),
    "an unknown column of the market": (ITEM + SCALE + '[columns]\nmood = "Mood"\n', "columns.mood"),
}


@pytest.mark.parametrize("name", ODD)
def test_an_odd_mapping_names_the_key(name: str, tmp_path: Path) -> None:
    text, key = ODD[name]
    path = tmp_path / "map.toml"
    path.write_text(text)
    with pytest.raises(FileProblems) as caught:
        load_mapping(path)
    assert "map.toml" in str(caught.value)
    assert key in str(caught.value)


def test_the_example_of_the_manual_is_a_mapping(tmp_path: Path) -> None:
    examples = re.findall(r"```toml\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.S)
    whole = next(one for one in examples if "[[items]]" in one and "[scale]" in one)
    names = [f"Input.{name}{at}" for at in (1, 2) for name in ("ending", "kind", "story", "system", "logp", "tokens")]
    cells = ["They left.", "gold", "A storm.", "", "-3", "4", "They stay.", "system", "A storm.", "tiny", "-2", "5"]
    head = ",".join(["HITId", "WorkerId", *names, "Answer.rating1", "Answer.rating2"])
    work = read(tmp_path, whole, f"{head}\n{','.join(['h', 'w', *cells, 'good', '1'])}\n")
    assert [one.label for one in work.submissions[0].judgments] == ["Good", "Bad"]
    assert [(text.source, text.likelihoods[0].unit) for text in work.texts] == [
        ("reference", "model_token"),
        ("model", "model_token"),
    ]
