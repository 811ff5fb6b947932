"""The client against a studio that is served: studies, texts, publishing within a budget, people as a function."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pandas as pd
import polars as pl
import pytest

from annotation.client import Studio, StudioError, connect
from annotation.client.frames import frame_of_csv
from annotation.client.studio import score_table
from annotation.marketplace.models import Requester
from annotation.rehearsal.crowd.browser import Answer, Browser
from tests.annotation.conftest import told
from tests.docs.paths import ROOT

TEXTS = [f"The council opened bridge number {number} after a long debate." for number in range(6)]


@pytest.mark.long
def test_the_lines_of_the_page_ask_people_as_a_function_and_read_the_study_as_frames(
    studio: Studio, working: None, site: str, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_TOKEN", token)
    page = (ROOT / "docs" / "studio.md").read_text(encoding="utf-8")
    page = page.replace("http://127.0.0.1:8000", site).replace("from textassay import", "from annotation.client import")
    names: dict[str, Any] = {}
    for lines in re.findall(r"```python\n(.+?)```", page, re.DOTALL):
        exec(lines, names)
    names["studio"].close()
    scores, ratings, study = names["scores"], names["ratings"], names["study"]
    assert sorted(scores["item"]) == ["t1", "t2", "t3"]
    assert (scores["n"] == 3).all()
    for row in scores.itertuples():
        assert row.value == pytest.approx(ratings.loc[ratings["item"] == row.item, "value"].mean())
        assert row.low <= row.value <= row.high
    assert names["texts"]["key"].tolist() == ["t1", "t2", "t3"]
    assert len(names["evidence"]) == len(set(names["evidence"]["rater"])) == 3
    study = studio.study(study.name)
    assert names["snapshot"].sha256 == study.snapshot().sha256
    # 1 task x 3 people x $2.50, no fee.
    assert study.progress().budget_cents == 5_000
    assert study.progress().reserved_cents + study.progress().spent_cents == 750
    assert {row["mode"] for row in studio.studies().to_dict("records")} == {"rehearsal"}
    assert studio.study("headlines").progress().status == "draft"
    assert names["price"].assignments == 3


def test_what_costs_more_than_the_budget_is_not_published(studio: Studio, working: None) -> None:
    with pytest.raises(StudioError, match="budget") as caught:
        studio.ask(TEXTS, budget_cents=749, raters=3, name="dear", progress=False, minimum_approved_hits=7)
    assert caught.value.code in {"budget", "design", "state"}
    assert str(caught.value).endswith("go on with studio.study('dear'), or archive it in the console.")
    study = studio.study("dear")
    assert study.progress().status == "draft"
    assert study.price().total_cents == 750
    assert study.configure()["minimum_approved_hits"] == 7


def test_people_are_not_asked_before_they_read_a_name(studio: Studio, working: None) -> None:
    Requester.objects.update(display_name="")
    settings = {"minimum_approved_hits": 0, "minimum_percent_approved": 0, "country": ""}
    with pytest.raises(StudioError, match=r"Nothing was published.*the name of who asks") as caught:
        studio.ask(TEXTS[:2], budget_cents=5_000, mode="live", name="nameless", progress=False, **settings)
    assert 'manage.py create_requester lab --display-name "NAME"' in str(caught.value)
    assert caught.value.code == "design"
    assert studio.study("nameless").progress().status == "draft"


def test_texts_with_faults_are_refused_by_row_and_column(studio: Studio, working: None) -> None:
    study = studio.create_study("mine")
    table = pd.DataFrame(
        {"id": ["a", "b", "a"], "text": ["One.", "", "Three."], "source": ["reference", "model", "robot"]}
    )
    with pytest.raises(StudioError) as caught:
        study.add_texts(table, generator="gpt")
    sentence = str(caught.value)
    assert sentence.startswith("No text was added. ")
    assert "row 2, column text" in sentence
    assert "column source" in sentence
    assert len(study.texts()) == 0
    with pytest.raises(StudioError, match="Text 2 is not a string, but int"):
        study.add_texts(["One.", 2])
    with pytest.raises(StudioError, match="a DataFrame or a list of texts, not str"):
        study.add_texts("One.")


def test_errors_are_sentences_that_say_what_to_do(studio: Studio, site: str, token: str) -> None:
    with pytest.raises(StudioError, match=r"There is no study 'nowhere'"):
        studio.study("nowhere")
    with pytest.raises(StudioError, match="There is no preset") as caught:
        studio.create_study("mine", preset="no-such-paper")
    assert caught.value.fields.keys() == {"preset"}
    study = studio.create_study("mine", mode="live")
    with pytest.raises(StudioError, match="simulated people come to rehearsals only"):
        study.rehearse(budget_cents=100)
    with pytest.raises(StudioError) as caught:
        study.configure(texts_per_hit=0)
    assert caught.value.fields.keys() == {"texts_per_hit"}
    with pytest.raises(StudioError, match="does not know this token"):
        connect(site, "assay_wrong")
    with pytest.raises(StudioError, match="not as a studio of Assay does"):
        connect(f"{site}/console", token)
    with connect(site, token, backend="no_such_library") as other, pytest.raises(StudioError, match="no_such_library"):
        other.studies()


def test_a_studio_that_does_not_answer_and_a_missing_token_are_sentences(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(StudioError, match="Is the studio running"):
        connect("http://127.0.0.1:9", "assay_x")
    monkeypatch.delenv("ASSAY_TOKEN", raising=False)
    with pytest.raises(StudioError, match="Create one under Settings"):
        connect()


def test_waiting_ends_at_its_time_and_leaves_the_study_as_it_is(studio: Studio) -> None:
    study = studio.create_study("mine")
    with pytest.raises(StudioError, match="not complete yet") as caught:
        study.wait(timeout_seconds=0.0, progress=False)
    assert caught.value.code == "timeout"


@pytest.mark.parametrize(("make", "backend"), [(pd.DataFrame, "pandas"), (pl.DataFrame, "polars")])
def test_scores_of_several_criteria_are_means_by_text_and_criterion(make: Callable[[Any], Any], backend: str) -> None:
    ratings = {
        "item": ["a", "a", "a", "a", "b"],
        "rater": ["x", "y"] * 2 + ["x"],
        "value": [1, 3, 5, 5, 4],
        "criterion": ["c"] * 2 + ["d"] * 2 + ["c"],
    }
    scores = score_table(make(ratings), level=0.9, backend=backend, order=["b", "a"])
    columns = {name: list(scores[name]) for name in ("item", "criterion", "value", "n")}
    assert columns == {"item": ["b", "a", "a"], "criterion": ["c", "c", "d"], "value": [4.0, 2.0, 5.0], "n": [1, 2, 2]}


def test_numbers_of_a_file_are_numbers_and_empty_cells_none() -> None:
    frame = frame_of_csv(b"name,n,share\na,1,0.5\nb,,1\n", "polars")
    assert frame.to_dicts() == [{"name": "a", "n": 1, "share": 0.5}, {"name": "b", "n": None, "share": 1.0}]


@pytest.mark.long
def test_two_workers_answer_a_live_question_and_an_interrupted_wait_goes_on(studio: Studio, working: None) -> None:
    settings = {"minimum_approved_hits": 0, "minimum_percent_approved": 0, "country": ""}
    lines: list[str] = []
    studio.ask(TEXTS[:2], budget_cents=5_000, raters=2, mode="live", name="people", progress=lines.append, **settings)
    assert lines[0] == "Study: people"
    answers = studio.answers("people")
    with pytest.raises(StudioError, match="not complete yet"):
        answers.wait(timeout_seconds=0.0, progress=False)
    for name, label in (("ann", "40"), ("ben", "60")):
        with Browser(told("create_worker", name)["sign_in_url"]) as worker:
            sheet = worker.accept(next(worker.offers()))
            worker.hand_in(sheet, [Answer(label, 4_000) for _field in sheet.fields])
    assert answers.wait(progress=False).collected == 2
    scores = answers.scores()
    assert scores["value"].tolist() == [50.0, 50.0]
    assert scores["n"].tolist() == [2, 2]
