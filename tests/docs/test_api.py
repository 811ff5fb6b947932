"""The API reference: browsable, complete, and as the source says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import metrics
from docs.make_api import OUT, ROOT, first_sentence, out_of_date, pages, text


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


def test_the_committed_pages_are_up_to_date() -> None:
    stale = out_of_date(pages(ROOT), OUT)
    assert not stale, f"run python docs/make_api.py: {stale}"


def test_every_name_the_package_offers_has_its_place_in_the_index() -> None:
    index = (OUT / "README.md").read_text(encoding="utf-8")
    documented = set(re.findall(r"^- \[`([A-Za-z_]+)`\]\([\w.]+\.md#", index, re.MULTILINE))
    classes_and_functions = {name for name in metrics.__all__ if callable(getattr(metrics, name))}
    assert classes_and_functions <= documented


def test_every_link_leads_to_a_page_and_a_heading() -> None:
    for path in OUT.glob("*.md"):
        for page, anchor in re.findall(r"\]\(([\w.]+\.md)#?([\w]*)\)", path.read_text(encoding="utf-8")):
            headings = re.findall(r"^#+ `(.+)`$", (OUT / page).read_text(encoding="utf-8"), re.MULTILINE)
            assert not anchor or anchor in {heading.lower() for heading in headings}, (path.name, page, anchor)


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


def test_the_command_checks_without_writing() -> None:
    done = subprocess.run([sys.executable, "docs/make_api.py", "--check"], cwd=ROOT, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (0, b"Up to date.\n")


def test_signs_of_markdown_are_escaped_outside_code_only() -> None:
    assert text("a*b < `c*d` [0, 1] snake_case") == "a\\*b \\< `c*d` \\[0, 1] snake_case"


def test_the_first_sentence_ends_at_its_full_stop_and_not_within_a_number() -> None:
    assert first_sentence("About 0.3 ms, e.g. here.\nMore follows. And more.") == "About 0.3 ms, e.g. here."
