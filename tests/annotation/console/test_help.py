"""The help is read inside the console, by whoever is signed in, under the console's policy."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.accounts.models import User
from annotation.console.navigation import HELP, help_page
from annotation.console.urls import urlpatterns
from annotation.design.kinds import installed_kinds

DOCS = Path(__file__).resolve().parents[3] / "docs"


@pytest.fixture
def researcher(db: None) -> Client:
    client = Client()
    client.force_login(User.objects.create_user("ada"))
    return client


@pytest.fixture
def folder(tmp_path: Path, settings: Any) -> Path:
    """A folder of pages, with a file beside it that is nobody's to read."""
    settings.HELP_FOLDER = tmp_path / "site"
    settings.HELP_FOLDER.mkdir()
    (settings.HELP_FOLDER / "index.html").write_text("<h1>Start</h1>")
    (settings.HELP_FOLDER / "site.css").write_text("p {}")
    (tmp_path / "secret.txt").write_text("secret")
    return tmp_path


@pytest.mark.django_db
def test_a_page_of_the_help_is_shown_under_the_console_s_policy(researcher: Client, folder: Path) -> None:
    shown = researcher.get(reverse("console:help"), follow=True)
    assert b"".join(shown.streaming_content) == b"<h1>Start</h1>"
    assert "script-src 'self'" in shown["Content-Security-Policy"]
    sheet = researcher.get("/console/help/site.css")
    assert (sheet["Content-Type"], b"".join(sheet.streaming_content)) == ("text/css", b"p {}")


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["../secret.txt", "%2e%2e/secret.txt", "..%2fsecret.txt", "/etc/passwd", "none.html"])
def test_no_path_leads_out_of_the_folder(researcher: Client, folder: Path, path: str) -> None:
    assert researcher.get(f"/console/help/{path}").status_code == 404


@pytest.mark.django_db
def test_without_a_session_the_help_asks_to_sign_in(folder: Path) -> None:
    assert Client().get("/console/help/index.html")["Location"].startswith("/console/sign-in/")


@pytest.mark.django_db
def test_help_that_was_not_built_says_how_to_build_it(researcher: Client, tmp_path: Path, settings: Any) -> None:
    settings.HELP_FOLDER = tmp_path
    page = researcher.get("/console/help/designing.html", follow=True).content.decode()
    assert 'aria-current="page">Help</a>' in page
    assert all(words in page for words in ("make docs", "HELP_FOLDER", "-site.zip"))


@pytest.mark.django_db
def test_each_page_leads_to_the_help_on_its_own_subject(researcher: Client) -> None:
    for address, page in (("/console/", "first-study.html"), ("/console/settings/", "web-api.html")):
        assert f'href="/console/help/{page}"' in researcher.get(address).content.decode()
    assert help_page("recruit-prolific-filters") == "prolific.html"
    assert help_page("activity") == "index.html"


def test_the_help_is_named_for_addresses_that_exist() -> None:
    def names(patterns: Any) -> set[str]:
        return {
            name
            for pattern in patterns
            for name in (names(pattern.url_patterns) if hasattr(pattern, "url_patterns") else {pattern.name})
        }

    known = names(urlpatterns)
    assert [name for name in HELP if not any(one == name or one.startswith(f"{name}-") for one in known)] == []


@pytest.mark.django_db
def test_links_of_cards_lead_to_a_page_of_each_task_inside_the_console(researcher: Client, folder: Path) -> None:
    gallery = researcher.get(reverse("console:studies-gallery")).content.decode()
    links = set(re.findall(r'<a href="/console/help/(tasks/[^"]+)">About ', gallery))
    assert links == {kind.help_page for kind in installed_kinds().values() if kind.presets}
    for link in links:
        source = DOCS / link.replace(".html", ".md")
        page = folder / "site" / link
        page.parent.mkdir(exist_ok=True)
        page.write_text(source.read_text(encoding="utf-8").splitlines()[0])
        shown = researcher.get(f"/console/help/{link}")
        assert b"".join(shown.streaming_content).startswith(b"# "), link
