"""The tidy form: items and ratings from anywhere."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command

from annotation.models import Hit, Judgment, Study, Text
from annotation.reports.gather import score

pytestmark = [pytest.mark.database, pytest.mark.django_db]

ITEMS = "id,source,log_prob,length\nr1,reference,-12.4,4\nm1,model,-6.1,4\n"
RATINGS = "item,rater,value\nr1,ann,4\nm1,ann,2\nr1,bob,5\nm1,bob,2\n"


def taken(tmp_path: Path, items: str = ITEMS, ratings: str = RATINGS) -> Study:
    (tmp_path / "items.csv").write_text(items)
    (tmp_path / "ratings.csv").write_text(ratings)
    call_command("import_ratings", items=tmp_path / "items.csv", ratings=tmp_path / "ratings.csv", study="tidy")
    return Study.objects.get(name="tidy")


def test_means_are_exact_and_the_scale_is_what_occurs(tmp_path: Path) -> None:
    study = taken(tmp_path)
    (facts,) = score(study).generators
    assert {item.id: (item.hj, item.ratings, item.log_prob) for item in facts.items} == {
        "r1": (Fraction(9, 2), 2, -12.4),
        "m1": (Fraction(2), 2, -6.1),
    }
    assert [(label.label, label.code) for label in study.scale.labels.order_by("pk")] == [
        ("5", "5"),
        ("4", "4"),
        ("2", "2"),
    ]


def test_values_need_not_be_whole(tmp_path: Path) -> None:
    study = taken(tmp_path, ratings="item,rater,value\nr1,ann,0.1\nm1,ann,0.2\nr1,bob,0.2\nm1,bob,1e-1\n")
    found = score(study)
    assert {item.hj for item in found.generators[0].items} == {Fraction(3, 20)}
    assert {row.value for row in found.ratings} == {Fraction(1, 10), Fraction(1, 5)}


def test_without_hits_none_are_reported(tmp_path: Path) -> None:
    study = taken(tmp_path)
    found = score(study)
    assert (found.study.hits, found.study.interleaving, found.ratings[0].hit) == (None, None, None)
    assert (found.crowd.workers, found.crowd.submitted, found.crowd.provider) == (2, 2, None)
    assert Text.objects.get(key="r1").body == "r1"


def test_hits_positions_and_labels_are_kept(tmp_path: Path) -> None:
    lines = ["item,rater,value,label,hit,position", "r1,ann,1,Good,h1,2", "m1,ann,0,Bad,h1,1", "r1,bob,0,Bad,h2,1"]
    taken(tmp_path, ratings="\n".join(lines) + "\n")
    told = Judgment.objects.order_by("presentation__submission__pk", "presentation__position").values_list(
        "presentation__text__key", "label__label", "presentation__submission__hit__market_id"
    )
    assert list(told) == [("m1", "Bad", "h1"), ("r1", "Good", "h1"), ("r1", "Bad", "h2")]
    assert Hit.objects.count() == 2


def test_a_reference_has_a_row_for_each_generator(tmp_path: Path) -> None:
    rows = ["r1,reference,a,-1,1", "r1,reference,b,-2,1", "m1,model,a,-3,1", "m2,model,b,-4,1"]
    items = "\n".join(["id,source,generator,log_prob,length", *rows, ""])
    study = taken(tmp_path, items, "item,rater,value\nr1,ann,4\nm1,ann,2\nm2,ann,1\n")
    told = {facts.name: [(item.id, item.log_prob) for item in facts.items] for facts in score(study).generators}
    assert told == {"a": [("r1", -1), ("m1", -3)], "b": [("r1", -2), ("m2", -4)]}


FAULTS = {
    "an unknown item": (ITEMS, RATINGS + "zz,ann,1\n", "ratings.csv, row 6, column 'item': no item has the id 'zz'"),
    "an item in another Unicode form": (
        ITEMS + "cafe\u0301,reference,-3,1\n",
        RATINGS + "caf\u00e9,ann,1\n",
        "ratings.csv, row 6, column 'item': an item has the id 'caf\u00e9' in another Unicode form",
    ),
    "a rating twice": (ITEMS, RATINGS + "r1,ann,1\n", "ratings.csv, row 6, column 'rater': 'ann' rates 'r1' in row 2"),
    "no number": (ITEMS, RATINGS + "r1,cid,good\n", "ratings.csv, row 6, column 'value': 'good' is not a number"),
    "a number beyond reason": (
        ITEMS,
        RATINGS + "r1,cid,1e999\n",
        "ratings.csv, row 6, column 'value': must be written in",
    ),
    "no rater": (ITEMS, RATINGS + "r1,,1\n", "ratings.csv, row 6, column 'rater': must not be empty"),
    "no column": (
        ITEMS,
        "item,value\nr1,1\n",
        "ratings.csv, row 1, column 'rater': this column is missing from the header",
    ),
    "no ratings": (ITEMS, "item,rater,value\n", "ratings.csv, the file holds a header and no rows"),
    "a label of two values": (
        ITEMS,
        "item,rater,value,label\nr1,a,1,Good\nr1,b,2,Good\n",
        "ratings.csv, row 3, column 'label': the label 'Good' has another value",
    ),
    "a value of two labels": (
        ITEMS,
        "item,rater,value,label\nr1,a,1,Good\nr1,b,1,Bad\n",
        "ratings.csv, row 3, column 'label': the value 1 is labelled 'Good'",
    ),
    "an item twice": (
        ITEMS + "m1,model,-2,1\n",
        RATINGS,
        "items.csv, row 4, column 'id': duplicate ID 'm1' (first in row 3)",
    ),
    "log p above 0": (ITEMS + "m2,model,2,1\n", RATINGS, "items.csv, row 4, column 'log_prob': a log-probability"),
    "length 0": (ITEMS + "m2,model,-2,0\n", RATINGS, "items.csv, row 4, column 'length': must be 1 or more"),
    "an unknown source": (ITEMS + "m2,robot,-2,1\n", RATINGS, "items.csv, row 4, column 'source': the source must be"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_told_and_nothing_is_written(name: str, tmp_path: Path) -> None:
    items, ratings, sentence = FAULTS[name]
    with pytest.raises(CommandError) as caught:
        taken(tmp_path, items, ratings)
    assert sentence in str(caught.value)
    assert caught.value.returncode == 2
    assert not any(model.objects.exists() for model in apps.get_app_config("annotation").get_models())
