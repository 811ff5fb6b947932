"""From a template and a table to reviewed work, in the browser alone (cases 10, 14 and 25 of the specification)."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path

from django.core.management import call_command
from django.utils import timezone
from playwright.sync_api import Browser, expect

from annotation.accounts.models import User
from annotation.hits.batches.publish_batch import publish_batch
from annotation.hits.batches.queries import works_of
from annotation.hits.batches.results_file import file_names, write_results
from annotation.jobs.run import run_due
from annotation.marketplace.core import clock
from annotation.marketplace.workers.open_accounts import Record, open_worker
from annotation.marketplace.workers.sessions import new_link
from annotation.models import Batch, Judgment
from annotation.mturk.client import Market
from tests.annotation.console.test_browser import signed_in
from tests.browsing import fresh
from tests.marketplace.framed.desk import Desk, enter
from tests.marketplace.people import Person

# As the template "Survey Link" has it: no form and no submit button, and a script that hides the link in a preview.
SURVEY = """<section><p>${who}, please answer:</p>
<a id="link" href="http://survey.example/s/${number}" target="_blank">Survey ${number}</a></section>
<input id="surveycode" name="surveycode" required aria-label="Survey code">
<script>const query = new URLSearchParams(location.search), worker = query.get('workerId');
if (!worker) link.hidden = true; else link.href += '?workerId=' + worker;</script>"""


def test_25_from_template_and_table_to_reviewed_work(
    olga: User, site: str, browser: Browser, market: Market, worker: Callable[[str], Person], tmp_path: Path
) -> None:
    (tmp_path / "survey.html").write_text(SURVEY)
    (tmp_path / "people.csv").write_text("who,number\nReaders & friends,7\n<b>You</b>,8\n")
    with fresh(browser, base_url=site) as context:
        context.add_cookies(signed_in(olga, site))  # type: ignore[arg-type]
        page = context.new_page()
        page.goto("/console/batches/")
        page.get_by_role("link", name="New batch").click()
        for label, text in (
            ("Name", "survey"),
            ("Title", "Answer a survey"),
            ("Description", "Ten minutes."),
            ("Reward per assignment", "1.50"),
            ("Assignments per task", "3"),
        ):
            page.get_by_label(label, exact=label != "Reward per assignment").fill(text)
        page.get_by_label("Template (HTML)").set_input_files(tmp_path / "survey.html")
        page.get_by_label("Table (CSV)").set_input_files(tmp_path / "people.csv")
        page.get_by_role("button", name="Check and preview").click()
        task = page.frame_locator("iframe")
        expect(task.get_by_text("Readers & friends, please answer:")).to_be_visible()
        expect(task.get_by_role("link")).to_have_count(0)  # hidden in the preview
        page.get_by_role("link", name="Next").click()
        expect(task.get_by_text("You, please answer:")).to_be_visible()
        batch_page = page.url.partition("?")[0]
        page.get_by_role("button", name="Publish for $9.00").click()
        run_due(clock=timezone.now)
        expect(page.get_by_text("2 tasks published.")).to_be_visible()

        first = next(hit for hit in market.hits() if "/s/7" in _question(market, hit.market_id))
        ann = open_worker("ann", worker_id=None, record=Record(), now=clock.now())
        with fresh(browser, base_url=site) as people:
            desk = Desk(ann.worker_id, people, people.new_page())
            enter(desk.page, new_link(ann, now=timezone.now()))
            frame = desk.accept({"HITId": first.market_id})
            frame.get_by_label("Survey code").fill("42-XYZ")
            frame.get_by_role("link", name="Survey 7").click()
            bar = desk.page.locator("#way-out")
            expect(bar).to_contain_text("survey.example")
            expect(bar.get_by_text("The address contains your worker ID.")).to_be_visible()
            frame.get_by_role("button", name="Submit").click()
            desk.recorded()
        for name in ("bob", "cy"):
            worker(name).do({"HITId": first.market_id}, [("surveycode", f"code of {name}")])

        page.goto(batch_page)
        expect(page.locator("dl", has_text="To review")).to_contain_text("To review3")
        page.get_by_role("button", name="Gather results").click()
        run_due(clock=timezone.now)
        with page.expect_download() as saved:
            page.get_by_role("link", name="_batch_results.csv").click()
        reader = csv.DictReader(io.StringIO(saved.value.path().read_text()))
        rows = list(reader)
        assert [row["Answer.surveycode"] for row in rows] == ["42-XYZ", "code of bob", "code of cy"]
        assert {row["Input.who"] for row in rows} == {"Readers & friends"}
        for row, (approve, reject) in zip(rows, [("X", ""), ("x", ""), ("", "The code is unknown.")], strict=True):
            row |= {"Approve": approve, "Reject": reject}
        with (tmp_path / "reviewed.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, list(reader.fieldnames or ()))
            writer.writeheader()
            writer.writerows(rows)
        page.goto(batch_page)
        page.get_by_label("Reviewed results (CSV)").set_input_files(tmp_path / "reviewed.csv")
        page.get_by_role("button", name="Check this file").click()
        run_due(clock=timezone.now)
        expect(page.get_by_text("To approve: 2, for $3.00 with fees. To reject: 1.")).to_be_visible()
        page.get_by_role("button", name="Approve 2 and reject 1").click()
        run_due(clock=timezone.now)
        expect(page.get_by_text("Approved: 2. Rejected: 1.")).to_be_visible()
    assert sorted((work.status, work.feedback) for work in market.submitted(first.market_id)) == [
        ("Approved", ""),
        ("Approved", ""),
        ("Rejected", "The code is unknown."),
    ]


FLAT = """<crowd-form answer-format="flatten-objects"><p>${word}</p><crowd-radio-group>
<crowd-radio-button name="q" value="1">One</crowd-radio-button>
<crowd-radio-button name="q" value="2">Two</crowd-radio-button>
<crowd-radio-button name="q" value="3">Three</crowd-radio-button></crowd-radio-group>
<crowd-checkbox name="tags" value="odd">Odd</crowd-checkbox>
<crowd-classifier name="category" header="C" categories="['x','y']"></crowd-classifier>
<crowd-classifier-multi-select name="topics" header="T" categories="['a','b']"></crowd-classifier-multi-select>
<crowd-input name="why" label="Why"></crowd-input></crowd-form>"""
FLAT_MAPPING = """name = "flat"
[[items]]
text = "Input.word"
source = { value = "reference" }
rating = "Answer.q.{answer}"
[scale]
numbers = "1-3"
"""


def test_10_flat_answers_from_the_template_to_a_study(
    olga: User, site: str, browser: Browser, market: Market, draft: Callable[..., Batch], tmp_path: Path
) -> None:
    batch = draft(olga, FLAT, "word\nfirst\n")
    publish_batch(batch, market=market, clock=timezone.now, tell=lambda *_: None, actor="olga")
    (row,) = batch.hits.all()
    for name, choice in (("ann", "One"), ("bob", "Three")):  # nobody ticks 2
        account = open_worker(name, worker_id=None, record=Record(), now=clock.now())
        with fresh(browser, base_url=site) as people:
            desk = Desk(account.worker_id, people, people.new_page())
            enter(desk.page, new_link(account, now=timezone.now()))
            frame = desk.accept({"HITId": row.market_id})
            for role, label in (("radio", choice), ("radio", "x"), ("checkbox", "b")):
                frame.get_by_role(role, name=label, exact=True).check()  # type: ignore[arg-type]
            if name == "ann":
                frame.get_by_role("textbox", name="Why").fill("so")
            frame.get_by_role("button", name="Submit").click()
            desk.recorded()
    works = works_of(batch, market, lambda *_: None)
    write_results(batch, works, tmp_path, now=timezone.now(), actor="olga")
    plain = tmp_path / file_names(batch)[0]
    columns = ["q.1", "q.2", "q.3", "tags.odd", "category.label", "topics.labels", "why"]
    assert [
        [line[f"Answer.{name}"] for name in columns] for line in csv.DictReader(io.StringIO(plain.read_text()))
    ] == [
        ["true", "false", "false", "false", "x", '["b"]', "so"],
        ["false", "false", "true", "false", "x", '["b"]', ""],
    ]
    (tmp_path / "mapping.toml").write_text(FLAT_MAPPING)
    call_command(
        "import_batch", str(plain), "--study", "flat", "--mapping", str(tmp_path / "mapping.toml"), stdout=io.StringIO()
    )
    assert sorted(Judgment.objects.values_list("label__code", flat=True)) == ["1", "3"]


def _question(market: Market, hit_id: str) -> str:
    return str(market._call("get_hit", HITId=hit_id)["HIT"]["Question"])
