"""The API reference: browsable and complete."""

from __future__ import annotations

import re
from pathlib import Path

import metrics
from docs.make_api import ROOT, first_sentence, out_of_date, pages, text


def source(folder: Path, body: str) -> Path:
    (folder / "metrics").mkdir()
    (folder / "metrics" / "__init__.py").write_text('"""A package."""\n\n__all__ = ["twice"]\n')
    (folder / "metrics" / "sums.py").write_text(body)
    return folder


BODY = '''"""Sums. Nothing else."""

def twice(x: float, *, times: int = 2) -> float:
    """`times` * x. Raises nothing."""
    return _product(x, times)

def _product(a: float, b: int) -> float:
    return a * b
'''


def test_every_name_the_package_offers_has_its_place_in_the_index() -> None:
    index = pages(ROOT)["README.md"]
    documented = set(re.findall(r"^- \[`([A-Za-z_]+)`\]\([\w.]+\.md#", index, re.MULTILINE))
    classes_and_functions = {name for name in metrics.__all__ if callable(getattr(metrics, name))}
    assert classes_and_functions <= documented


def test_every_link_leads_to_a_page_and_a_heading() -> None:
    written = pages(ROOT)
    assert len(written) > 100
    for name, body in written.items():
        for page, anchor in re.findall(r"\]\(([\w.]+\.md)#?([\w]*)\)", body):
            headings = re.findall(r"^#+ `(.+)`$", written[page], re.MULTILINE)
            assert not anchor or anchor in {heading.lower() for heading in headings}, (name, page, anchor)


def test_a_page_shows_the_signature_and_the_docstring_and_hides_what_is_private(tmp_path: Path) -> None:
    page = pages(source(tmp_path, BODY))["metrics.sums.md"]
    assert "def twice(x: float, *, times: int = 2) -> float:" in page
    assert "`times` \\* x. Raises nothing." in page
    assert "_product" not in page


def test_the_index_links_an_exported_name_to_its_home(tmp_path: Path) -> None:
    index = pages(source(tmp_path, BODY))["README.md"]
    assert "- [`twice`](metrics.sums.md#twice): `times` \\* x." in index


def test_a_changed_missing_or_left_over_page_is_out_of_date(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("old")
    (tmp_path / "gone.md").write_text("left over")
    assert out_of_date({"a.md": "new", "b.md": "missing"}, tmp_path) == ["a.md", "b.md", "gone.md"]


def test_signs_of_markdown_are_escaped_outside_code_only() -> None:
    assert text("a*b < `c*d` [0, 1] snake_case") == "a\\*b \\< `c*d` \\[0, 1] snake_case"


def test_the_first_sentence_ends_at_its_full_stop_and_not_within_a_number() -> None:
    assert first_sentence("About 0.3 ms, e.g. here.\nMore follows. And more.") == "About 0.3 ms, e.g. here."


def test_sections_of_a_docstring_become_a_list_a_paragraph_and_code() -> None:
    doc = (
        "Twice.\n\nArgs:\n    x: a number,\n        finite.\n    y: 0 < y.\n\nReturns:\n    2 * x.\n\n"
        "Example:\n    >>> 2 * 3\n    6"
    )
    assert text(doc) == (
        "Twice.\n\n**Args**\n\n- `x`: a number, finite.\n- `y`: 0 \\< y.\n\n**Returns**\n\n2 \\* x.\n\n**Example**"
        "\n\n```python\n>>> 2 * 3\n6\n```"
    )
