"""Ten questions that reviewers ask, answered on the paper page or one link from it, by the rows of the database."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import pytest
from lxml import html as lxml_html

from tests.report_checker import world
from tests.report_checker.page import Page
from tests.report_checker.rare import ALL_PAID, FIRST_RARE, RARE
from tests.report_checker.recount import Rows, count, decimal
from tests.report_checker.sentences import CHOSEN, by_amount, left_out, people, per_text, provider, rewards, way_words
from tests.report_checker.studies import TRAININGS, Draw, draw
from tests.report_checker.world import Reported, report_of

pytestmark = pytest.mark.django_db

FILES: dict[str, str] = {"automatic": "h-score", "nnd": "near-negative tests"}
SMALL: dict[str, Any] = {**ALL_PAID, "texts": 6, "stated": ("ethics", "plan"), "ways": ()}
STUDIES: dict[str, Draw] = {
    "typicality": replace(draw(5), **{**SMALL, "k": 3, "outcome": "rules"}),
    "human or machine, four trainings": replace(draw(6), **{**SMALL, "arms": TRAININGS, "outcome": "excluded"}),
    **{
        FILES[changes["files"][0]]: draw(FIRST_RARE + at)
        for at, (_, changes, _) in enumerate(RARE)
        if "files" in changes
    },
}


def text_of(reported: Reported) -> str:
    """What is read on the paper page, and in each section that its list of contents leads to."""
    tree = Page(reported.page).tree
    keys = [link.get("href")[1:] for link in tree.xpath("//nav//a")]
    words = []
    for key in ("summary", "paper", *keys):
        part = lxml_html.fromstring(lxml_html.tostring(tree.get_element_by_id(key)))
        for hidden in part.xpath("//script | //style | //details | //svg"):
            hidden.drop_tree()
        words += [" ".join(text.split()) for text in part.itertext()]
    return " ".join(" ".join(words).split())


def answers(rows: Rows, k: int) -> Iterator[tuple[str, str]]:
    """Each question with what answers it of a study that was judged."""
    study, task = rows.study, rows.study["task"]
    yield "how many raters", f"judged by {count(people(rows), 'rater')}"
    yield "how many for each text", f"received {per_text(rows)} rating"
    yield "who they are", provider(rows)
    yield (
        "who they are",
        "Who the raters are" if "raters" not in rows.stated and study["mode"] == "live" else "simulated",
    )
    yield "paid what", f"The reward was {rewards(rows)} per assignment" if by_amount(rows) else way_words(rows.ways[0])
    yield "assigned how", f"dealt into HITs and ordered at random by seed {study['seed']}."
    if len(rows.arms) > 1:
        yield "assigned how", CHOSEN
    yield "left out why", f"Excluded from analysis {left_out(rows)}"
    out, total = left_out(rows), len(rows.submissions)
    if out:
        yield "left out why", f"Of {count(total, 'submission')}, {out} ({100 * out / total:.1f}%)"
    criterion = "human_or_machine" if task == "human_or_machine" else "typicality"
    alpha = rows.alpha(criterion, ordinal=True)
    assert alpha is not None
    yield "agreement", f"Raters agreed with Krippendorff's α of {decimal(alpha)}"
    if task == "typicality":
        yield "interval of what", "Intervals of HUSE are for the expectation of the estimator at this number of texts"
        yield "which tie mode", f"{k} "
        yield "which tie mode", "ties by exact arithmetic"
    else:
        yield "interval of what", "intervals over evaluators"
    yield "planned before", f"Planned, as the researchers state: {rows.stated['plan'].rstrip('.')}"


def answers_of_files(rows: Rows) -> Iterator[tuple[str, str]]:
    """The same where a file holds the results, and nobody has judged a text yet."""
    (file,) = rows.files
    yield "how many raters", "not judged yet"
    yield "how many for each text", "There are no ratings yet."
    yield "who they are", "Who the raters are"
    yield "paid what", "How raters were paid" if rows.ways else "The reward is"
    yield "assigned how", f"dealt into HITs and ordered at random by seed {rows.study['seed']}."
    yield "left out why", "Excluded from analysis 0"
    yield "agreement", f"the results are those of {file['name']}."
    yield "interval of what", f"The numbers of {file['name']} have 80% intervals: wilson (texts)."
    if file["kind"] == "nnd":
        yield "which tie mode", "Equal likelihoods: equality fails."
    yield "planned before", "Planned, as the researchers state" if "plan" in rows.stated else "Plan before the data"


@pytest.mark.parametrize("kind", STUDIES)
def test_each_question_is_answered_by_the_facts_of_the_database(kind: str) -> None:
    with patch.object(world, "draw", lambda seed: STUDIES[kind]):
        reported = report_of(STUDIES[kind].seed)
    rows, read = Rows(reported.study), text_of(reported)
    expected = list(answers_of_files(rows) if rows.files else answers(rows, STUDIES[kind].k))
    assert len({question for question, _ in expected}) >= 9
    assert [(question, words) for question, words in expected if words not in read] == []
