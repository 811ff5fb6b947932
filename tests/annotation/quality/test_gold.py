"""Gold texts: shown beside those that are judged, in need of an answer that the scale has."""

from __future__ import annotations

import pytest

from annotation.design.lay_out import design
from annotation.exceptions import DesignError
from annotation.importing.add_texts import add_texts
from annotation.models import HitItem, Study
from annotation.readers.records import TextRecord
from annotation.studies.create import Plan, create
from tests.annotation.conftest import NOW

pytestmark = [pytest.mark.database, pytest.mark.django_db]


def with_gold(answer: str) -> Study:
    made = create("g", mode="rehearsal", plan=Plan(texts_per_hit=2, gold_per_hit=1), actor="ada", now=NOW)
    texts = [TextRecord(f"r{i}", f"Reference {i}", "reference") for i in range(4)]
    texts += [TextRecord(f"m{i}", f"Model {i}", "model", generator="tiny") for i in range(4)]
    gold = TextRecord("g", "colourless green", "model", generator="tiny", context="alone", known_label=answer)
    add_texts(made, [*texts, gold], actor="ada", now=NOW)
    return made


def test_each_hit_shows_a_gold_text_on_top_of_those_to_be_judged() -> None:
    made = with_gold("Rare")
    design(made, actor="ada", now=NOW)
    roles = list(HitItem.objects.filter(hit__page=0).values_list("role", flat=True))
    assert sorted(roles)[:1] == ["gold"]
    assert set(HitItem.objects.filter(role="gold").values_list("text__key", flat=True)) == {"g"}


def test_an_answer_that_is_no_label_of_the_scale_is_refused() -> None:
    with pytest.raises(DesignError, match="'Quite rare' of a gold text is not a label of g"):
        design(with_gold("Quite rare"), actor="ada", now=NOW)
