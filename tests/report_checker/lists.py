"""What the page lists: every text, what each sentence states, the pages that raters saw, and facts of the design."""

from __future__ import annotations

import json
import platform
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from fractions import Fraction
from importlib.metadata import version

from tests.report_checker.columns import NONE
from tests.report_checker.intervals import SEED
from tests.report_checker.made_by import VERSION
from tests.report_checker.page import Page, words
from tests.report_checker.recount import Rows, count, moment, money
from tests.report_checker.sentences import Asked, is_nominal

OF_ITEM = re.compile(r"(\d+) of (\d+)")
CHECK = re.compile(r"please choose “\d+” here\.")
DIGIT = re.compile(r"\d")


def differences(page: Page, rows: Rows, asked: Asked) -> Iterator[str]:
    """Each entry of a list that the rows say otherwise."""
    yield from _texts(page, rows)
    yield from _stated(page)
    yield from _pages(page, rows)
    yield from _facts(page, rows, asked)


def _texts(page: Page, rows: Rows) -> Iterator[str]:
    """The list of texts where they have no HJ: their words with their context, source, and raters who count."""
    raters: defaultdict[str, set[int]] = defaultdict(set)
    for answer in rows.used:
        for text in (answer.text, answer.partner):
            if text:
                raters[text].add(answer.submission)
    for table in page.tree.xpath("//table[@class='texts'][not(caption)]"):
        head, *body = ([words(cell) for cell in row] for row in table.iter("tr"))
        listed = [dict(zip(head, row, strict=True)) for row in body]
        every = [*rows.texts][: len(listed)] if page.tree.xpath("//details/p[@class='quiet']") else [*rows.texts]
        if [row["Id"] for row in listed] != every:
            yield f"list of texts: {[row['Id'] for row in listed]}\n    rows: {every}"
        for row in listed:
            key = row["Id"]
            text = " ".join((rows.bodies.get(key, "") + rows.contexts.get(key, "").partition(": ")[2]).split())
            ratings = str(len(raters[key])) if raters[key] else NONE
            expected = {"Source": rows.sides.get(key) or "reference", "Text": text, "Ratings": ratings}
            for name, value in expected.items():
                if row.get(name, value) != value:
                    yield f"list of texts: {key} {name}: {row[name]}\n    rows: {value}"


def _stated(page: Page) -> Iterator[str]:
    """A sentence in the list of what each states is a sentence of the page, where it is held against the rows."""
    shown = "\n".join(each.text for each in page.shown())
    for entry in page.tree.xpath("//details[contains(@class, 'stated')]//li"):
        text = words(entry).removesuffix(words(entry.find("code"))).strip()
        if text not in shown:
            yield f"what sentences state: {text!r} is no sentence of the page"


def _pages(page: Page, rows: Rows) -> Iterator[str]:
    """The texts of a page as shown are those of one HIT, in its order; other lines with a digit are of the wording."""
    wording = json.dumps(rows.words, ensure_ascii=False)
    wording = wording.replace("{nouns}", rows.words["nouns"]).replace("{noun}", rows.words["noun"])
    ends = ["".join(f"{label} ({code})" for label, code, _ in each["labels"]) for each in rows.words["criteria"]]
    checks = {hit["id"]: hit["checks"] for hit in rows.hits}
    groups = rows.study["task"] == "which_machine"
    hits = [(_lines_of(items, groups=groups), len(items) + checks[hit]) for hit, items in rows.shown_in_hits.items()]
    for shown in page.tree.xpath("//*[contains(@class, 'page-text')]"):
        lines = [" ".join(line.split()) for line in shown.text_content().split("\n")]
        lines = [line for line in lines if DIGIT.search(line) and _as_stored(line) not in wording and line not in ends]
        lines = [line for line in lines if not CHECK.search(line)]
        rounds = [line for line in lines if line.startswith("Practice ")]
        lines = [line for line in lines if line not in rounds]
        numbered = [line for line in lines if OF_ITEM.fullmatch(line)]
        texts = [line for line in lines if line not in numbered]
        if rounds != [f"Practice {number} of {len(rounds)}" for number in range(1, len(rounds) + 1)]:
            yield f"page as shown: {rounds}"
        every = [f"{number} of {len(numbered)}" for number in range(1, len(numbered) + 1)]
        if lines and (numbered != every or (texts, len(numbered)) not in hits):
            yield f"page as shown: {lines}\n    rows: no HIT has these texts in this order"


def _as_stored(line: str) -> str:
    return json.dumps(line, ensure_ascii=False)[1:-1]


def _lines_of(items: list[dict[str, str]], *, groups: bool) -> list[str]:
    """Each text under its context; groups: texts of one context, which is shown once, follow each other."""
    parts: list[str] = []
    for before, item in zip([None, *items], items, strict=False):
        is_same = groups and before is not None and before["context"] == item["context"]
        parts += ["" if is_same else item["context"], item["body"], item["partner"]]
    return [" ".join(part.split()) for part in parts if DIGIT.search(part)]


def _facts(page: Page, rows: Rows, asked: Asked) -> Iterator[str]:
    shown = page.facts()
    for name, expected in (facts(rows, asked) | settings(rows, shown)).items():
        if name in shown and shown[name] != expected:
            yield f"fact: {name} is {shown[name]}\n    rows: {expected}"
    sentences = "\n".join(each.text for each in page.shown())
    for name in ("Exclusions in words", "Mixing and order of sources", "How texts were allotted and ordered"):
        for text in shown.get(name, []):
            if text not in sentences:
                yield f"fact: {name} is {text!r}, which is no sentence of the page"


def facts(rows: Rows, asked: Asked) -> dict[str, list[str]]:
    """Facts of the design by their names on the page; a name that is not there is not asked for."""
    study = rows.study
    most = max((hit["items"] for hit in rows.hits), default=0)
    unit = ("pair of texts", "pairs of texts") if rows.pairs else ("text", "")
    sides = Counter(side or "references" for side in rows.sides.values())
    known = {
        "Seed of the analysis": str(SEED),
        "Neighbours k": str(asked.k),
        "Level of intervals": f"{asked.level:g}",
        "Size of a task": f"at most {count(most, *unit)}",
        "Texts per HIT, at most": str(most),
        "Raters planned per text": str(study["raters_per_text"]),
        "Evaluators planned per condition": str(study["evaluators_per_cell"]),
        "Assignments": str(len(rows.submissions)),
        "Outputs evaluated of each system": "; ".join(f"{side}: {number}" for side, number in sides.items()),
        "Size of the scale": _of_first(rows, _size(rows)),
        "How responses become scores": _of_first(rows, _coding(rows)),
    }
    if rows.submissions:
        times = sorted(moment(row["submitted_at"]) for row in rows.submissions)
        first, last = (f"{at:%A}, {at.day} {at:%B %Y, %H:%M} UTC" for at in (times[0], times[-1]))
        known["Where and when evaluators worked"] = f"online, from {first} to {last}"
        spent = rows.spent["reward"] + rows.spent["fee"] + rows.spent["bonus"]
        known["Total cost"] = money(spent, study["currency"])
    return {name: [value] for name, value in known.items()}


def _of_first(rows: Rows, words: str) -> str:
    """What is said of the first criterion, with its name where there are several."""
    first, *others = rows.words["criteria"]
    return f"{words} ({first['name'].replace('_', ' ')})" if others else words


def _size(rows: Rows) -> str:
    codes = [int(code) for _, code, _ in rows.words["criteria"][0]["labels"]]
    return str(max(codes) - min(codes) + 1 if rows.study["task"] == "direct_assessment" else len(codes))


def _coding(rows: Rows) -> str:
    first = rows.words["criteria"][0]
    if rows.pairs:
        return "as preferences, ties as half"
    if rows.study["task"] == "which_machine":
        return "as shares of texts chosen"
    if is_nominal(rows, first["name"]):
        return "labels without an order: shares of each, no scores"
    codes = sorted((Fraction(code), label) for label, code, _ in first["labels"])
    (low, lowest), (high, highest) = (
        (f"{float(code):g}".replace("-", "−"), label) for code, label in codes[:: len(codes) - 1]
    )
    return f"{low} to {high}, {low} = {lowest}, {high} = {highest}"


def settings(rows: Rows, shown: dict[str, list[str]]) -> dict[str, list[str]]:
    """The settings and versions that the page names, as the row of the study and the installed packages have them."""
    names = [entry.partition(" = ")[0] for entry in shown.get("Settings", [])]
    packages = [entry.partition(" ")[0] for entry in shown.get("Versions", [])]
    known = {"assay": VERSION, "python": platform.python_version()}
    return {
        "Settings": [f"{name} = {rows.study[name]}" for name in names],
        "Versions": [f"{name} {known.get(name) or version(name)}" for name in packages],
    }
