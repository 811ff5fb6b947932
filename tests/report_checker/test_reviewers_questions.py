"""Ten questions that reviewers ask, answered on the paper page or one link from it, by the rows of the database."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from lxml import html as lxml_html

from annotation.models import Study
from annotation.reports.attach_scores import attach
from annotation.reports.machine_scores import read_by_model
from annotation.reports.nnd_tests import make_tests
from metrics.data.to_json import json_text
from metrics.likelihood import Decoding, Layout, ModelCard, Pair, Scored, TokenStats
from metrics.nnd.run import administer_by_model, findings_json, summarise_models
from tests.report_checker import world
from tests.report_checker.page import Page
from tests.report_checker.rare import ALL_PAID
from tests.report_checker.recount import Rows, count, decimal
from tests.report_checker.sentences import CHOSEN, by_amount, left_out, people, per_text, provider, rewards, way_words
from tests.report_checker.studies import TRAININGS, Draw, draw, rehearse
from tests.report_checker.world import NOW, Reported, report_of

pytestmark = pytest.mark.django_db

SMALL: dict[str, Any] = {**ALL_PAID, "texts": 6, "stated": ("ethics", "plan"), "ways": ()}
STUDIES: dict[str, Draw] = {
    "typicality": replace(draw(5), **{**SMALL, "k": 3, "outcome": "rules"}),
    "human or machine, four trainings": replace(draw(6), **{**SMALL, "arms": TRAININGS, "outcome": "excluded"}),
    "near-negative tests": replace(draw(8), **{**SMALL, "outcome": "unrated"}),
    "h-score": replace(draw(17), **{**SMALL, "outcome": "unrated"}),
}


class Letters:
    """A model without weights: the longer a word, the less it expects it."""

    card = ModelCard("letters", "1", "letters", "float32", Decoding(), Layout(start="always"))

    def score(self, pairs: Sequence[Pair]) -> list[Scored]:
        return [Scored(float(-len(text)), len(text.split())) for _, text in pairs]

    def statistics(self, pairs: Sequence[Pair]) -> list[TokenStats]:
        words = [tuple(text.split()) for _, text in pairs]
        return [TokenStats(each, *_predictions(np.array([len(word) for word in each]))) for each in words]

    def distributions(self, pair: Pair) -> Any:
        raise NotImplementedError("no verb of these studies asks for whole distributions")


def _predictions(lengths: Any) -> tuple[Any, ...]:
    """log p, that of the most probable word, rank, entropy, and mean and variance of log p."""
    ones = np.ones(len(lengths))
    return -lengths / 2, -ones / 2, lengths, ones, -ones, ones


def made(kind: str, drawn: Draw, folder: Path) -> Study:
    """The study; with a file of results that the product's own verbs made where it is of one of the two kinds."""
    study = rehearse(drawn)
    if kind == "near-negative tests":
        # Of the texts that the raters of another study found one better than the other.
        tests = make_tests(rehearse(replace(STUDIES["typicality"], seed=777, contexts=True, outcome="approved")))
        administered = administer_by_model(tests, Letters(), model="letters")
        document = findings_json(summarise_models([administered]))
    elif kind == "h-score":
        document = read_by_model(study, model=Letters(), actor="ada", now=NOW)
    else:
        return study
    (folder / f"{kind}.json").write_text(json_text(document), encoding="utf-8")
    attach(study, folder / f"{kind}.json", model="letters", version="1", actor="ada", now=NOW)
    return Study.objects.get(pk=study.pk)


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
        yield "left out why", f"Of {count(total, 'submission')}, {out} ({decimal(100 * out / total, 1)}%)"
    criterion = "human_or_machine" if task == "human_or_machine" else "typicality"
    alpha = rows.alpha(criterion, ordinal=True)
    assert alpha is not None
    yield "agreement", f"Krippendorff's α was {decimal(alpha)}"
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
    is_live = rows.study["mode"] == "live" and "raters" not in rows.stated
    yield "who they are", "Who the raters are" if is_live else provider(rows)
    yield "paid what", "How raters are paid" if rows.ways else "The reward is"
    yield "assigned how", f"dealt into HITs and ordered at random by seed {rows.study['seed']}."
    yield "left out why", "Excluded from analysis 0"
    yield "agreement", f"the results are those of {file['name']}."
    yield "interval of what", f"The numbers of {file['name']} have 95% intervals by "
    if file["kind"] == "nnd":
        yield "which tie mode", "Equal likelihoods: equality fails."
    yield "planned before", "Planned, as the researchers state" if "plan" in rows.stated else "Plan of the study"


@pytest.mark.parametrize("kind", STUDIES)
def test_each_question_is_answered_by_the_facts_of_the_database(kind: str, tmp_path: Path) -> None:
    drawn = STUDIES[kind]
    with (
        patch.object(world, "draw", lambda seed: drawn),
        patch.object(world, "rehearse", lambda drawn: made(kind, drawn, tmp_path)),
    ):
        reported = report_of(drawn.seed)
    rows, read = Rows(reported.study), text_of(reported)
    expected = list(answers_of_files(rows) if rows.files else answers(rows, drawn.k))
    assert len({question for question, _ in expected}) >= 9
    assert [(question, words) for question, words in expected if words not in read] == []
    # Where nothing has happened, nothing is said to have happened.
    if not rows.answers:
        assert re.findall(r"Raters were|They answered|were shown|Workers needed|was approved", read) == []
