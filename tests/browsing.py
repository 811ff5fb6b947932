"""A real Chromium for tests, and axe for what it shows."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Frame, Page, expect, sync_playwright

# Playwright's own list of what Chromium shall leave off, for the flag below replaces it ...
OFF = (
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsUpgrades",
    "HttpsFirstBalancedModeAutoEnable",
    "LensOverlay",
    "MediaRouter",
    "PaintHolding",
    "ThirdPartyStoragePartitioning",
    "AvoidCorsURLLoaderRestartOnRedirect",
    "OptimizationHints",
    "NetworkTimeServiceQuerying",
    "AimEnabled",
    "PreconnectToSearch",
    # ... and the popups of the address bar: two pages beside each page, which cost a tenth of a core at rest.
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    # A process that waits beside each page for the next one.
    "SpareRendererForSitePerProcess",
)
FLAGS = [
    f"--disable-features={','.join(OFF)}",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PHONE = {"width": 360, "height": 740}
DESK = {"width": 1280, "height": 800}
PAPER = 688  # pixels between the margins of a printed report: A4 is 210 mm wide, and each margin 14 mm
WIDTHS = {"narrow": PHONE, "wide": DESK}
# How a page is looked at: narrow and wide, light and dark.
LOOKS: dict[str, dict[str, Any]] = {
    f"{width}-{scheme}": {"viewport": viewport, "color_scheme": scheme}
    for width, viewport in WIDTHS.items()
    for scheme in ("light", "dark")
}
# Only what is wrong is worked out and sent here: what a page does right is a hundred times as much.
FINDINGS = """async ([about, looks]) => {
  const places = looks ? looks.flatMap(look => axe_looks.get(look)) : [document.documentElement];
  if (!places.length) return [];
  const {violations} = await axe.run({include: places}, {...about, iframes: false, resultTypes: ["violations"]});
  return violations.filter(rule => ["serious", "critical"].includes(rule.impact))
    .flatMap(rule => rule.nodes.map(place => `${rule.id}: ${place.target.join(" ")}`));
}"""
# What an element looks like, as a number that is equal for two of equal looks: what a style sheet can ask of it and of
# what it stands in, and whether it has words of its own. Kept by that, for the rules of the eye.
LOOKS_OF_ELEMENTS = """() => {
  const number = words => {
    let [a, b] = [7, 11];
    for (let at = 0; at < words.length; at++) {
      const code = words.charCodeAt(at);
      [a, b] = [Math.imul(a ^ code, 2654435761), Math.imul(b ^ code, 1597334677)];
    }
    return 4294967296 * (2097151 & b) + (a >>> 0);
  };
  const states = [":disabled", ":checked", ":focus", ":invalid", ":first-child", ":last-child"];
  const attribute = ({name, value}) => {
    if (/^(class|style|role|type|fill|hidden|open|lang|dir)$|^(aria|data)-/.test(name))
      return /^aria-(label|describe|control|own)/.test(name) ? name : `${name}=${value}`;
    return ["href", "id", "for", "name", "src"].includes(name) ? "" : name;
  };
  const own = element => [
    element.localName,
    [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim()),
    ...states.filter(state => element.matches(state)),
    ...[...element.attributes].map(attribute),
  ].join();
  const sheets = number([...document.styleSheets].map(sheet => sheet.href || sheet.ownerNode.textContent).join());
  const looks = new Map(), known = new Map();
  for (const element of document.querySelectorAll("*")) {
    const look = number(`${known.get(element.parentElement) || sheets}>${own(element)}`);
    known.set(element, look);
    if (!looks.has(look)) looks.set(look, []);
    looks.get(look).push(element);
  }
  window.axe_looks = looks;
  return [...looks.keys()];
}"""
PATIENCE_MS = 30_000  # a machine with other work is slow, not wrong
expect.set_options(timeout=PATIENCE_MS)
# What axe's rules are about; best practices that no standard asks for are left to the eye.
STANDARDS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
# The rules that only looks can break, which take nine tenths of axe's time: each look is held against them once.
RULES_OF_THE_EYE = ["color-contrast", "link-in-text-block", "target-size"]
EYE = {"runOnly": {"type": "rule", "values": RULES_OF_THE_EYE}}
OTHERS = {
    "runOnly": {"type": "tag", "values": STANDARDS},
    "rules": {rule: {"enabled": False} for rule in RULES_OF_THE_EYE},
}


@contextmanager
def chromium(path: str) -> Iterator[Browser]:
    """The browser at `path`, headless. Its sandbox needs a user other than root, as elsewhere."""
    # Playwright keeps an event loop in the thread, where Django would refuse to use the database.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=path, args=FLAGS, chromium_sandbox=False)
        yield launched
        launched.close()


@contextmanager
def fresh(browser: Browser, **settings: Any) -> Iterator[BrowserContext]:
    """A browser context with nothing in it: its own cookies, storage and window size (a desk's unless said)."""
    context = browser.new_context(**{"viewport": DESK, **settings})
    context.set_default_timeout(PATIENCE_MS)
    yield context
    context.close()


@cache
def _axe() -> str:
    return (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")


def faults(shown: Page | Frame, *, looks_alone: bool = False) -> list[str]:
    """What axe finds serious or critical in a page or in one frame: "rule: selector" for each place.

    A frame is looked at by itself (axe in the page does not reach into a sandboxed frame), so call it for each.
    An element that looks like one that this process has seen, at the same width and in the same colours, is not held
    against the rules of the eye again.
    looks_alone: nothing changed since the last time but colours, so the other rules need not be asked.
    """
    if not shown.evaluate("'axe' in window"):
        shown.evaluate(_axe())
    wrong = [] if looks_alone else list(shown.evaluate(FINDINGS, [OTHERS, None]))
    seen = _seen(*shown.evaluate("[innerWidth, matchMedia('(prefers-color-scheme: dark)').matches]"))
    new = [look for look in shown.evaluate(LOOKS_OF_ELEMENTS) if look not in seen]
    at_places = list(shown.evaluate(FINDINGS, [EYE, new]))
    if not at_places:  # a fault is a fault each time that it is looked at
        seen.update(new)
    return wrong + at_places


@cache
def _seen(width: int, dark: bool) -> set[int]:
    """The looks without a fault that this process has seen."""
    return set()


def sideways(page: Page) -> int:
    """By how many pixels the page is wider than its window: 0 where nobody has to scroll sideways."""
    return int(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))


def beyond_paper(page: Page) -> list[str]:
    """Captions of the tables that are wider than the paper they are printed on."""
    height = (page.viewport_size or DESK)["height"]
    page.set_viewport_size({"width": PAPER, "height": height})
    page.emulate_media(media="print")
    wide = page.evaluate(
        """paper => [...document.querySelectorAll("table")]
          .filter(table => table.getBoundingClientRect().right > paper + 1)
          .map(table => table.caption ? table.caption.textContent : "a table without a caption")""",
        PAPER,
    )
    page.emulate_media(media="screen")
    return list(wide)


def wrong_with(page: Page) -> list[str]:
    """What is wrong with a page: axe's serious and critical findings, name, language or heading missing, too wide."""
    wrong = faults(page)
    wrong += [f"{sideways(page)} pixels too wide"] if sideways(page) else []
    wrong += [] if page.title() and page.locator("html").get_attribute("lang") == "en" else ["no name or language"]
    wrong += [] if page.locator("h1").count() == 1 else ["not one heading"]
    return wrong


def wrong_by_day_and_night(page: Page) -> list[str]:
    """What is wrong with a page in light colours, and with its colours in dark ones: nothing else changes."""
    page.emulate_media(color_scheme="light")
    wrong = wrong_with(page)
    page.emulate_media(color_scheme="dark")
    return wrong + [f"dark: {one}" for one in faults(page, looks_alone=True)]


def wrong_at_each_width(page: Page) -> list[str]:
    """What is wrong with a page: wide in light, narrow in dark, for colours are the same at every width."""
    wrong = []
    for width, viewport in WIDTHS.items():
        page.set_viewport_size(viewport)
        page.emulate_media(color_scheme="light" if width == "wide" else "dark")
        wrong += [f"{width}: {one}" for one in wrong_with(page)]
    return wrong
