"""The banned words of names and texts only become fewer."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.language import allow_list, words


@pytest.fixture(scope="module")
def counts() -> words.Counts:
    return words.count()


def test_no_file_uses_a_banned_word_more_often_than_the_list_allows(counts: words.Counts) -> None:
    excess = allow_list.excess(counts, allow_list.load())
    assert not excess, "Write another word (words.BANNED and language.md name better ones):\n" + "\n".join(excess)


def test_the_list_allows_no_more_than_is_there(counts: words.Counts) -> None:
    slack = allow_list.slack(counts, allow_list.load())
    assert not slack, "Fewer than allowed; run `python -m tests.language --lower`:\n" + "\n".join(slack)


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("told_of", ["told"]),
        ("MOST_NAME", ["most"]),
        ("ToldContext", ["told"]),
        ("money", []),
        ("almost_done", []),
        ("foundation", []),
    ],
)
def test_names_are_split_at_underscores_and_capitals(name: str, parts: list[str]) -> None:
    assert words.banned_parts(name) == parts


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("Nothing was handed in yet.", "hand in"),
        ("Leave the text out of the results.", "leave out"),
        ("It can be taken back.", "take back"),
        ("N is no plan: it holds no table.", "is none"),
        ("It costs a dollar a HIT, 3 ratings a text.", "a line (for per)"),
        ("It is approved by itself.", "by itself"),
        ("Nobody was given this code.", "nobody"),
    ],
)
def test_a_phrase_is_seen_in_its_inflections(text: str, phrase: str) -> None:
    assert words.phrases_in(iter([text]))[phrase] == 1


@pytest.mark.parametrize(
    "text", ["There is no table.", "It is no longer open.", "A handy index.", "The fortune teller."]
)
def test_other_words_are_left_alone(text: str) -> None:
    assert not words.phrases_in(iter([text]))


def test_bindings_count_and_uses_do_not() -> None:
    tree = ast.parse("def read(told, *, one=1):\n    found = told\n    return found + one\n")
    assert [part for name in words.bound_names(tree) for part in words.banned_parts(name)] == ["told", "one", "found"]


def test_a_planted_word_is_seen(tmp_path: Path) -> None:
    for package in words.PACKAGES:
        (tmp_path / package).mkdir()
    for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md"):
        (tmp_path / name).write_text("", encoding="utf-8")
    (tmp_path / "metrics" / "planted.py").write_text('"""Told."""\nfound = "nobody came"\n', encoding="utf-8")
    (tmp_path / "annotation" / "page.html").write_text('{% translate "Hand it in" %}', encoding="utf-8")
    counts = words.count(tmp_path)
    assert counts["names"] == {"metrics/planted.py": {"found": 1}}
    assert counts["texts"] == {"metrics/planted.py": {"nobody": 1}, "annotation/page.html": {"hand in": 1}}
    empty: words.Counts = {rule: {} for rule in counts}
    assert len(allow_list.excess(counts, empty)) == 3
    assert len(allow_list.slack(empty, counts)) == 3
