"""A template and a table become the pages of HITs, raw and in one pass (case 18 of the specification)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from annotation.accounts.models import User
from annotation.exceptions import DesignError
from annotation.hits.batches.template import page_of
from annotation.models import Batch
from annotation.readers.problems import FileProblems
from tests.annotation.batches.conftest import PLAN

TEMPLATE = "<p>${html}</p>\n<script>const list = ${list}; const s = `${js}`;</script><form><p>${x}</p></form>"
TABLE = """html,list,x,spare
<b>"bold"</b> & ${x},"[""a"", ""b""]",\U0001f600,s1
"line one
line two",[],plain,s2
"""


@pytest.fixture
def ada(db: None) -> User:
    return User.objects.create_user("ada")


def pages(batch: Batch) -> list[str]:
    return [page_of(batch.template, hit.cells, title=batch.title) for hit in batch.hits.all()]


def test_18_cells_go_in_as_they_are_in_one_pass(ada: User, draft: Callable[..., Batch]) -> None:
    batch = draft(ada, TEMPLATE, TABLE, replace(PLAN, literal=("js",)))
    first, second = pages(batch)
    assert '<p><b>"bold"</b> & ${x}</p>\n<script>const list = ["a", "b"]; const s = `${js}`;</script>' in first
    assert "<p>\U0001f600</p>" in first
    assert "<p>line one\nline two</p>" in second
    assert [hit.cells["spare"] for hit in batch.hits.all()] == ["s1", "s2"]
    assert [hit.line for hit in batch.hits.all()] == [2, 3]


def test_18_a_variable_without_a_column_is_named_with_its_lines(ada: User, draft: Callable[..., Batch]) -> None:
    with pytest.raises(DesignError, match=r"no column for \$\{X\} \(line 1, 3\); \$\{Y\} \(line 2\)") as refused:
        draft(ada, "${X} ${x}\n${Y}\n${X}", "x\n1\n")
    assert refused.value.field == "template"
    with pytest.raises(DesignError, match="would be alike"):
        draft(ada, "<p>nothing</p>", "x\n1\n")
    assert Batch.objects.count() == 0


def test_18_a_row_that_is_too_large_is_named(ada: User, draft: Callable[..., Batch]) -> None:
    table = "x\n" + "a\n" + "b" * 65_535 + "\n"
    with pytest.raises(FileProblems, match=r"row 3, column 'x': the page is 6\d,\d\d\d bytes") as refused:
        draft(ada, "<p>${x}</p>", table)
    assert (refused.value.total, Batch.objects.count()) == (1, 0)


@pytest.mark.parametrize(
    "layout",
    [
        "<form><p>${x}</p></form>",
        "<crowd-form><p>${x}</p></crowd-form>",
        "<crowd-entity-annotation text='${x}'></crowd-entity-annotation>",
        "<p>${x}</p><input type=submit>",
    ],
)
def test_a_layout_that_hands_in_by_itself_gets_no_form(layout: str) -> None:
    assert 'id="mturk_form"' not in page_of(layout, {"x": "1"}, title="T")


def test_a_layout_without_a_form_is_put_into_one() -> None:
    page = page_of("<p>${x}</p><!-- <form> -->", {"x": "1"}, title="A & B")
    assert page.startswith("<!DOCTYPE html>")
    assert "<title>A &amp; B</title>" in page
    assert '<form id="mturk_form"' in page
    assert 'id="submitButton"' in page
    document = "<html><body class=a><p>${x}</p></body></html>"
    wrapped = page_of(document, {"x": "1"}, title="T")
    assert wrapped.startswith('<html><body class=a><form id="mturk_form"')
    assert wrapped.endswith("</form></body></html>")
