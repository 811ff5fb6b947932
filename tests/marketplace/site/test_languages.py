"""The worker site in other languages: nothing is left untranslated, and one can choose."""

from __future__ import annotations

import ast
import gettext
import json
import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from django.conf import settings as project
from django.utils import translation
from django.utils.translation import gettext as spoken
from django.utils.translation.template import templatize
from lxml import html

MARKETPLACE = Path(project.ROOT) / "annotation" / "marketplace"
LANGUAGES = ["de", "es"]
MARKED = {"_", "gettext", "gettext_lazy", "ngettext", "ngettext_lazy", "pgettext", "npgettext"}
ENTRY = re.compile(r'msgid (".*")\n(?:msgid_plural (".*")\n)?msgstr(?:\[0\])? (".*")(?:\nmsgstr\[1\] (".*"))?')
# A call of gettext: parentheses within its strings, however deep, do not end it.
CALLS = re.compile(r"""n?gettext\((?:'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|[^()'"]|\([^()]*\))*\)""")
PLACES = re.compile(r"%(?:\(\w+\))?[sd%]")


def marked(source: str) -> Iterator[str]:
    """The strings that Python source marks for translation, singular and plural."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MARKED:
            words = [each.value for each in node.args[:2] if isinstance(each, ast.Constant)]
            yield from (word for word in words if isinstance(word, str))


def in_templates(path: Path) -> Iterator[str]:
    """The strings that a template marks: Django writes it anew as calls, surrounded by what is no Python."""
    calls = CALLS.findall(templatize(path.read_text(encoding="utf-8")))
    written = re.findall(r"_\(('[^']*'|\"[^\"]*\")\)", path.read_text(encoding="utf-8"))
    yield from (word for call in calls for word in marked(call.replace("gettext(u", "gettext(").replace(",u", ",")))
    yield from (ast.literal_eval(word) for word in written)


def used() -> set[str]:
    python = {word for path in MARKETPLACE.rglob("*.py") for word in marked(path.read_text(encoding="utf-8"))}
    templates = [path for path in (MARKETPLACE / "templates").rglob("*") if path.suffix in {".html", ".txt"}]
    return python | {word for path in templates for word in in_templates(path)}


def test_no_page_shows_a_time_that_the_zone_of_the_reader_cannot_replace() -> None:
    """A date of a time stands in the element that the page's script rewrites; days of earnings have no time."""
    dates = re.compile(r"""\|(?:date|time)\b""")
    pages = {path.name for path in (MARKETPLACE / "templates").rglob("*.html") if dates.search(path.read_text("utf-8"))}
    assert pages == {"earnings.html"}


def entries(language: str) -> list[tuple[str, ...]]:
    """Singular, plural, and what they are translated to."""
    content = (MARKETPLACE / "locale" / language / "LC_MESSAGES" / "django.po").read_text(encoding="utf-8")
    return [tuple(json.loads(part) if part else "" for part in found) for found in ENTRY.findall(content)][1:]


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_words_of_the_pages_lack_a_translation(language: str) -> None:
    assert len(used()) > 450
    translated = {word for one, many, *_ in entries(language) for word in (one, many)}
    assert used() - translated == set()
    assert [one for one, many, first, second in entries(language) if not first or (many and not second)] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_translation_has_the_same_places_to_fill_in(language: str) -> None:
    for one, many, first, second in entries(language):
        assert set(PLACES.findall(first)) <= set(PLACES.findall(one + many)), one
        wanted = many or one
        assert sorted(PLACES.findall(second or first)) == sorted(PLACES.findall(wanted)), one


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_compiled_is_what_is_written(language: str) -> None:
    with (MARKETPLACE / "locale" / language / "LC_MESSAGES" / "django.mo").open("rb") as file:
        compiled = gettext.GNUTranslations(file)
    for one, many, first, second in entries(language):
        if many:
            assert (compiled.ngettext(one, many, 1), compiled.ngettext(one, many, 2)) == (first, second)
        else:
            assert compiled.gettext(one) == first


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_other_applications_words_take_the_place_of_ours(language: str) -> None:
    with translation.override(language):
        assert {one: first for one, many, first, _ in entries(language) if not many and spoken(one) != first} == {}


@pytest.fixture
def browser() -> Iterator[httpx.Client]:
    with httpx.Client(trust_env=False, follow_redirects=True) as client:
        yield client


@pytest.mark.parametrize(
    ("wished", "spoken", "title"),
    [("de-AT,de;q=0.9", "de", "Anmelden"), ("es", "es", "Entrar"), ("fr,en", "en", "Sign in"), ("", "en", "Sign in")],
)
def test_a_page_speaks_the_language_that_the_browser_asks_for(site, browser, wished, spoken, title) -> None:
    page = html.fromstring(browser.get(f"{site}/hits/sign-in/", headers={"Accept-Language": wished}).content)
    assert (page.get("lang"), page.findtext(".//title")) == (spoken, title)


def test_a_language_that_was_chosen_stays(site, browser) -> None:
    page = browser.get(f"{site}/hits/language/?next=/hits/terms/")
    form = html.fromstring(page.content).forms[-1]
    after = browser.post(f"{site}/hits/language/", data={**dict(form.form_values()), "language": "es"})
    assert (after.url.path, html.fromstring(after.content).get("lang")) == ("/hits/terms/", "es")
    assert html.fromstring(browser.get(f"{site}/hits/sign-in/").content).get("lang") == "es"


def test_the_way_back_leads_to_no_other_site(site, browser) -> None:
    form = html.fromstring(browser.get(f"{site}/hits/language/?next=https://elsewhere.example/").content).forms[-1]
    answer = browser.post(
        f"{site}/hits/language/", data={**dict(form.form_values()), "language": "de"}, follow_redirects=False
    )
    assert not answer.headers["location"].startswith("http")


def test_pages_that_are_not_translated_keep_to_their_own_language(site, browser) -> None:
    answer = browser.get(f"{site}/admin/login/", headers={"Accept-Language": "de"})
    assert html.fromstring(answer.content).get("lang") == "en"
