"""What made each number, as the page lists it: counts, settings and version are those of its table and the rows."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Sequence
from itertools import product
from pathlib import Path

from tests.report_checker.columns import headed
from tests.report_checker.intervals import SEED
from tests.report_checker.page import Page, words
from tests.report_checker.recount import Answer, Rows, spread
from tests.report_checker.sentences import Asked, items_of
from tests.report_checker.tables import BESIDE

VERSION = re.findall(r"__version__ = \"(.+)\"", Path("metrics/version.py").read_text(encoding="utf-8"))[0]
# Heads of the column that a number's n is in, unless it has one beside it: the first that its table has.
N_OF = {
    "rating_": "Judgments",
    "log_strength": "Judgments",
    "share_of_answers": "Judgments",
    "label_share": "Judgments",
    "preferred": "Judgments",
    "alpha|": "Texts",
    "icc_": "Texts",
    "mean|": "Texts",
    "accuracy": "Evaluators",
    "cohens_d": "Evaluators",
    "hedges_g": "Evaluators",
    "chosen|": "Answers",
    "f1|": "Ratings",
    "precision|": "Ratings",
    "recall|": "Ratings",
    "percent_": "Ratings",
    "alpha_": "Ratings",
}


def made(page: Page) -> Iterator[tuple[str, str, str, dict[str, str]]]:
    """Each row of the list: where the number is, its name there, the name of the measure, and what made it."""
    for row in page.tree.xpath("//table[@class='signatures']//tr[td]"):
        result, number, code = (words(cell) for cell in row)
        name, *parts = code.split("|")
        yield result, number, code, {"": name, **dict(part.split(":", 1) for part in parts if ":" in part)}


def differences(page: Page, rows: Rows, asked: Asked) -> Iterator[str]:
    """Each count, setting or version that is not that of its number."""
    known: defaultdict[str, list[dict[str, str]]] = defaultdict(list)
    for caption, cells in page.captioned():
        head, body = headed(caption, cells)
        known[caption] += [dict(zip(head, row, strict=True)) for row in body]
    cut, (items, raters) = page.cut_tables(), numbers_of(rows)
    for result, number, code, fields in made(page):
        held = next((name for name in known if name.startswith(result)), None)
        row = row_of(known[held], number) if held else None
        if held and row is None and held not in cut and not held.startswith(FROM_FILES):
            yield f"what made {number}: no row of {result}"
        expectation = {"items": items, "raters": raters} if FROM_RATINGS.match(code) else {}
        for name, expected in (expectation | expectations(rows, asked, result, number, code, row)).items():
            if name in fields and fields[name] not in expected:
                yield f"what made {number}: {code}\n    rows: {name} is {' or '.join(sorted(expected))}"


def row_of(rows: list[dict[str, str]], number: str) -> dict[str, str] | None:
    """The row whose first cell begins the name of the number, and whose other words are the rest of it."""
    return next((row for row in rows for key in (number, number.rpartition(": ")[0]) if names(row, key)), None)


def names(row: dict[str, str], key: str) -> bool:
    first, *others = row.values()
    if key != first and not key.startswith(f"{first}, "):
        return False
    rest = key.removeprefix(first).removeprefix(", ")
    for cell in others:
        if rest and (rest == cell or rest.startswith(f"{cell}, ")):
            rest = rest.removeprefix(cell).removeprefix(", ")
    return not rest


def numbers_of(rows: Rows) -> tuple[set[str], set[str]]:
    """How many items (texts, pairs or contexts) and raters the answers of any criterion, source and arm are of."""
    items: defaultdict[tuple[str, ...], set[Hashable]] = defaultdict(set)
    raters: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
    for each in rows.answers:
        sides, uses = ("", rows.sides[each.text] or "references"), ("every",) if each.excluded else ("every", "used")
        for key in product(uses, ("", each.criterion), sides, ("", each.arm)):
            items["text", *key].add((each.text, each.partner))
            items["context", *key].add(rows.texts[each.text]["context_id"] or each.text)
            raters[key].add(each.rater)
    return {str(len(held)) for held in items.values()}, {str(len(held)) for held in raters.values()}


FROM_FILES = ("Near-negative",)
FROM_RATINGS = re.compile(
    r"effect_|mean\||label_share|preferred|rating_mean|share_of|accuracy|f1|precision|recall|percent|log_str"
)
HUSE = ("huse|", "huse_q|", "huse_d|", "log_prob_only|")
ITEMS = ("Contexts", "Texts", "Contexts or texts")


def expectations(
    rows: Rows, asked: Asked, result: str, number: str, code: str, row: dict[str, str] | None
) -> dict[str, set[str]]:
    """By field, what it may be."""
    column = number.rpartition(": ")[2]
    choice = re.search(r"\bk = (\d+)", number)
    expected = {
        "v": {VERSION},
        "seed": {"0" if "subsamples:" in code else str(SEED)},
        "k": {choice[1] if choice else str(asked.k)},
        "B": {"999"},
    }
    if code.startswith(HUSE) and "subsamples:" not in code:
        generator = (result if row is None else next(iter(row.values()))).partition(",")[0]
        if items_of(rows, generator):
            every = any(words in number for words in ("no rule", "No exclusions", "with every judgment"))
            ratings = ratings_of(rows, generator, rows.answers if every else rows.used)
            is_selected = " by rules of exclusion" in result and not every
            expected |= {} if is_selected else {"r": {ratings.replace(" to ", "-"), "?"}}
            expected |= {"n": {str(items_of(rows, generator))}} if row is None else {}
    if row is None:
        return expected
    beside = BESIDE.search(row.get(column, ""))
    head = next((head for name, head in N_OF.items() if code.startswith(name)), "n")
    if beside or head in row:
        expected["n"] = {beside[1] if beside else row[head]}
    raters = next((row[head] for head in ("Raters", "Evaluators") if head in row), None)
    expected |= {"raters": {raters}, "r": {raters}} if raters else {}
    items = next((row[head] for head in ITEMS if head in row and column != "less the references"), None)
    expected |= {"items": {items}} if items else {}
    return expected


def ratings_of(rows: Rows, generator: str, answers: Sequence[Answer]) -> str:
    counts = Counter(answer.text for answer in answers if rows.sides[answer.text] in ("", generator))
    return spread(counts.values())
