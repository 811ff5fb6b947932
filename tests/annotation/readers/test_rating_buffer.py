"""Ratings wait in little memory until their submissions are asked for."""

from __future__ import annotations

import json

from hypothesis import example, given, strategies

from annotation.readers.rating_buffer import RatingBuffer


def filled(rows: list[tuple[str, int, str]], labels: list[str]) -> RatingBuffer:
    """Of rows (item, number of the rater, HIT), in lines from 2."""
    buffer = RatingBuffer()
    buffer.raters, buffer.labels = {"r0": 0, "r1": 1}, labels
    for line, (item, rater, hit) in enumerate(rows, start=2):
        buffer.add(line, item, rater, hit=hit, label=0, position=None, cells={"item": item, "hit": hit})
    return buffer


def test_submissions_come_by_hit_and_rater_in_the_order_of_the_file():
    buffer = filled([("a", 0, "h"), ("b", 1, "k"), ("b", 1, "h"), ("c", 0, "h"), ("d", 1, "k")], ["Good"])
    hits, submissions = buffer.submissions(lambda row, position: None)
    assert [(hit.id, hit.texts, hit.max_assignments) for hit in hits] == [
        ("h", ("a", "c", "b"), 2),
        ("k", ("b", "d"), 1),
    ]
    assert [(one.hit, one.worker, [each.text for each in one.judgments]) for one in submissions] == [
        ("h", "r0", ["a", "c"]),
        ("h", "r1", ["b"]),
        ("k", "r1", ["b", "d"]),
    ]
    assert submissions[-1] == submissions[2] == submissions[0:3][2]


def test_a_second_rating_of_an_item_names_the_line_of_the_first():
    buffer = filled([("a", 0, ""), ("b", 0, "")], ["Good"])
    assert (buffer.row_of("b", 0), buffer.row_of("b", 1), buffer.row_of("c", 0)) == (3, None, None)
    buffer.add(9, "c", 0, hit="", label=0, position=None, cells={})
    assert buffer.row_of("c", 0) == 9


@given(strategies.dictionaries(strategies.text(max_size=5), strategies.text(max_size=20), max_size=4))
@example({"rater": "Anna"})
@example({"text": "50 %s", "rater": "Anna", "answer": "4"})
def test_cells_but_the_name_of_the_rater_are_stored_as_json_writes_them(cells):
    buffer = filled([], ["Good"])
    buffer.add(2, "a", 0, hit="", label=0, position=None, cells=cells)
    _, submissions = buffer.submissions(lambda row, position: None)
    assert submissions[0].raw == (("row 2", json.dumps({name: cells[name] for name in cells if name != "rater"})),)
