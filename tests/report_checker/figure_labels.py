"""Labels of marks and words of figures, held against the tables of the page, whose cells are counted from the rows.

A figure whose labels are neither held nor listed with a reason is a difference.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from lxml.html import HtmlElement

from tests.report_checker.columns import headed
from tests.report_checker.intervals import pooled_share
from tests.report_checker.page import Page, words
from tests.report_checker.recount import Answer, Rows
from tests.report_checker.tables import Ranged, same

LISTED = {
    "exclusions-": "values of selections, to whose table sentences are held",
    "gltr-ranks": "of the file of scores, whose counts are held in the table beside it",
    "automatic-verdicts": "of the file of scores, whose counts are held in the table beside it",
    "pass-rate": "of the file of scores, which the program reads and does not compute",
    "hj-by-frequency": "the words of each text; the correlations are held in the table beside it",
}
NUMBER = r"−?\d+(?:\.\d+)?"
SPANS = re.compile(rf" \[{NUMBER}, {NUMBER}\]")
ESTIMATES = re.compile(r"Highest: (?P<high>.+?) (?:texts?|judgments?)\. Lowest: (?P<low>.+?) (?:texts?|judgments?)\.")


@dataclass(frozen=True, slots=True)
class Figure:
    """What a figure says. title: as its caption has it; words: in place of the picture; marks: of each, as pointed at;
    labels: those that are written in the picture and name a number of texts, ratings or people."""

    name: str
    title: str
    words: str
    marks: tuple[str, ...]
    labels: tuple[str, ...]


def figures(page: Page) -> Iterator[Figure]:
    for element in page.tree.iter("figure"):
        title, picture = element.find("figcaption/b"), element.find(".//svg")
        live = element.find(".//*[@data-figure]")
        if title is not None and picture is not None and live is not None:
            labels = [text for text in texts(picture, "text") if re.search(r"n = \d|\(\d+", text)]
            name, alt = live.get("data-figure") or "", picture.get("aria-label") or ""
            yield Figure(name, words(title), alt, tuple(texts(picture, "title")), tuple(labels))


def texts(picture: HtmlElement, tag: str) -> list[str]:
    return [words(element) for element in picture.iter() if str(element.tag).endswith(tag)]


Row = dict[str, str]
Hold = Callable[[Page, Rows, Figure, float], Iterator[str]]
HELD: dict[str, Hold] = {}


def held(*names: str) -> Callable[[Hold], Hold]:
    """Register the figures whose names begin so. What it yields is false."""

    def add(hold: Hold) -> Hold:
        HELD.update(dict.fromkeys(names, hold))
        return hold

    return add


def differences(page: Page, rows: Rows, level: float) -> Iterator[str]:
    """Each label that the tables say otherwise; a page whose tables are cut has marks without a row."""
    yield from differences_of_ticks(page)
    for figure in figures(page) if not page.cut_tables() else ():
        hold = next((HELD[name] for name in HELD if figure.name.startswith(name)), None)
        if hold is not None:
            yield from (f"figure {figure.title!r}: {line}" for line in hold(page, rows, figure, level))
        elif not figure.name.startswith(tuple(LISTED)):
            yield f"figure {figure.name}: its labels are neither held nor listed"


def differences_of_ticks(page: Page) -> Iterator[str]:
    """Numbers along an axis, and along a line of labels, that are not in proportion to where they are written."""
    for picture in page.tree.xpath("//figure//svg"):
        lines: defaultdict[tuple[str, ...], list[tuple[float, float]]] = defaultdict(list)
        for element in picture.iter():
            match = TICK.fullmatch(words(element)) if str(element.tag).endswith("text") else None
            if match and "tick" in (element.get("class") or ""):
                across = element.get("text-anchor") == "middle"
                at, other = ("x", "y") if across else ("y", "x")
                lines[at, element.get(other)].append((float(element.get(at)), number_of(match[2].replace(",", ""))))
            elif match and match[1] and element.get("class") == "halo quiet":
                lines[match[1], element.get("x")].append((float(element.get("y")), number_of(match[2])))
        for name, places in lines.items():
            values = [value for _, value in places]
            scales = [values, [math.log(value) for value in values]] if min(values) > 0 else [values]
            if len(places) > 2 and not any(in_proportion([at for at, _ in places], scale) for scale in scales):
                yield f"figure {picture.get('aria-label')!r}: {name[0]} at {places} are not in proportion"


TICK = re.compile(rf"(?:([A-Z]\S+) )?({NUMBER}|\d+(?:,\d+)+)%?")
PIXEL = 0.2  # twice what a place is rounded by


def in_proportion(places: Sequence[float], values: Sequence[float]) -> bool:
    """Whether the places are on one line with the values."""
    low, high = values.index(min(values)), values.index(max(values))
    if values[low] == values[high]:
        return False
    slope = (places[high] - places[low]) / (values[high] - values[low])
    return all(
        abs(places[low] + slope * (value - values[low]) - place) < PIXEL
        for place, value in zip(places, values, strict=True)
    )


def table(page: Page, beginning: str, **named: str) -> list[Row]:
    """Rows of the table whose caption begins so, by head; of those, the ones with these cells."""
    for caption, cells in page.captioned():
        if caption.startswith(beginning):
            head, body = headed(caption, cells)
            rows = (dict(zip(head, row, strict=True)) for row in body)
            return [row for row in rows if all(row[head] == cell for head, cell in named.items())]
    return []


def otherwise(said: Sequence[str], expected: Sequence[str]) -> Iterator[str]:
    """Where both are not the same, in any order."""
    more, less = Counter(said) - Counter(expected), Counter(expected) - Counter(said)
    if more or less:
        yield f"{sorted(more)}, and the tables say {sorted(less)}"


def number_of(cell: str) -> float:
    return float(SPANS.sub("", cell).lstrip("<> ").rstrip("%").replace("−", "-"))  # of "> 99.9%", its bound


def criterion_of(figure: Figure) -> str:
    match = re.search(r"Mean (.+) by source|Labels of (.+)|\((.+)\)", figure.title)
    return next((name for name in match.groups() if name), "") if match else ""


def of_estimates(page: Page, figure: Figure) -> Iterator[tuple[str, str, str]]:
    """Name, estimate and n of each mark."""
    criterion = criterion_of(figure)
    by_name = {"Criterion": criterion.replace("_", " ")}
    if figure.name.startswith("means"):
        for row in table(page, "Ratings by source", **by_name):
            yield row["Source"], row["Mean of the texts' means"], row["Texts"]
    elif figure.name.startswith("shares"):
        for row in table(page, "How often each label", **by_name):
            yield f"{row['Source']}: {row['Label']}", row["Share of judgments"], row["Judgments"]
    elif figure.name.startswith("chosen"):
        named = figure.name.removeprefix("chosen-").replace("_", " ")
        for row in table(page, f"How often a text of each source was chosen ({named})"):
            yield row["Source"], row["Chosen"], row["Answers"]
    elif figure.name.startswith("accuracy-by"):
        every = table(page, "Human-or-machine judgments")
        arms = [row for row in every if row["Training"] != "all"] or every
        for row in arms:
            yield row["Training"], row["Accuracy"], row["Evaluators"]
    else:
        for row in table(page, f"Preferences ({criterion}" if criterion else "Preferences ("):
            yield f"{row['First']} over {row['Second']}", row["First preferred, ties half"], row["Judgments"]


@held("means", "shares", "chosen-", "preferences")
def estimates(page: Page, rows: Rows, figure: Figure, level: float) -> Iterator[str]:
    """Each mark, its label, and which is highest and lowest."""
    known = list(of_estimates(page, figure))
    shown = {f"{name} {cell}, n = {n}": number_of(cell) for name, cell, n in known}
    yield from otherwise(figure.marks, [*shown])
    yield from otherwise(figure.labels, [f"{name}, n = {n}" for name, _, n in known])
    match = ESTIMATES.fullmatch(figure.words)
    if match is None:
        if len(shown) > 1 or not any(mark in figure.words for mark in shown):
            yield figure.words
    elif (shown.get(match["high"]), shown.get(match["low"])) != (max(shown.values()), min(shown.values())):
        yield f"{figure.words}, and the tables say {shown}"


@held("accuracy-by")
def accuracy(page: Page, rows: Rows, figure: Figure, level: float) -> Iterator[str]:
    """Words of this figure are a sentence that is counted."""
    expected = [f"{name} {cell}, n = {n}" for name, cell, n in of_estimates(page, figure)]
    yield from otherwise(figure.marks, expected)
    yield from otherwise(figure.labels, expected)


@held("hj-by-source")
def hj_by_source(page: Page, rows: Rows, figure: Figure, level: float) -> Iterator[str]:
    """Words of this figure are a sentence that is counted."""
    means = table(page, "HJ by source: mean")
    yield from otherwise(figure.labels, [f"{row['Source']} {row['Mean HJ']}, n = {row['n']}" for row in means])
    every = table(page, "HJ: mean of a text's ratings")
    marks = [f"{row['Source']} {row['Id']}: HJ {row['HJ']}" for row in every if row["HJ"] != "–"]
    marks += [f"mean of {row['Source']} {row['Mean HJ']}, n = {row['n']}" for row in means]
    yield from otherwise(figure.marks, marks)


@held("scatter")
def scatter(page: Page, rows: Rows, figure: Figure, level: float) -> Iterator[str]:
    """Marks of the generator have their log p in the table of texts; of references of two generators it has none."""
    every = {row["Id"]: row for row in table(page, "HJ: mean of a text's ratings")}
    counts: Counter[str] = Counter()
    for mark in figure.marks:
        match = re.fullmatch(rf"(\S+) (\S+): HJ ({NUMBER})(?:, log p per unit ({NUMBER}|−∞))?.*", mark)
        row = every.get(match[2]) if match else None
        if match is None or row is None:
            yield mark
            continue
        counts[match[1]] += 1
        if (match[1], match[3]) != (row["Source"], row["HJ"]):
            yield f"{mark}, and the table says {row}"
        name = figure.title.partition(":")[0]
        total, length = rows.likelihoods[name, match[2]]
        if match[4] and match[4] != "−∞" and not same(match[4], total / length):
            yield f"{mark}, and the rows say {total / length}"
    if "−∞" not in str(every):
        yield from otherwise(figure.labels, [f"{side} ({n})" for side, n in counts.items()])


@held("ratings-", "scores-")
def histogram(page: Page, rows: Rows, figure: Figure, level: float) -> Iterator[str]:
    """Counts and shares by label, with their limits. Words of this figure are a sentence."""
    groups: defaultdict[str, list[Answer]] = defaultdict(list)
    for answer in rows.used:
        groups[group_of(rows, figure, answer)].append(answer)
    groups.pop("", None)
    expected = {(name, label) for name, answers in groups.items() for label in rows.labels_of(answers[0].criterion)}
    if len(figure.marks) != len(expected):
        yield f"{len(figure.marks)} marks, and the rows have {len(expected)}"
    for mark in figure.marks:
        match = re.fullmatch(rf"(.+?), (.+): ({NUMBER}%(?:{SPANS.pattern})?) (\d+) of (\d+) ratings?", mark)
        if match is None or (match[1], match[2]) not in expected:
            yield f"{mark}, which is no label of the rows"
            continue
        answers = groups[match[1]]
        number, share = sum(answer.label == match[2] for answer in answers), share_of_label(answers, match[2], level)
        if (match[4], match[5]) != (str(number), str(len(answers))) or not same(match[3], share):
            yield f"{mark}, and the rows say {number} of {len(answers)}, {share}"
    yield from otherwise(figure.labels, [f"{name} ({len(answers)} ratings)" for name, answers in groups.items()])


def group_of(rows: Rows, figure: Figure, answer: Answer) -> str:
    """Of whose texts the answer is in this figure; "" for none."""
    side = rows.sides[answer.text]
    if figure.name.startswith("scores"):
        is_shown = figure.title.rpartition(", ")[2] in ("all judgments", answer.arm)
        return ("machine texts" if side else "human texts") if is_shown else ""
    shown = figure.title.removeprefix("Ratings of ").removesuffix(" and of the references")
    return (side or "reference") if side in ("", shown) else ""


def share_of_label(answers: Sequence[Answer], label: str, level: float) -> Ranged:
    counts: defaultdict[str, list[bool]] = defaultdict(list)
    for answer in answers:
        counts[answer.rater].append(answer.label == label)
    limits = pooled_share([(sum(held), len(held)) for held in counts.values()], level)
    share = 100 * fmean(answer.label == label for answer in answers)
    return Ranged(share, limits and (100 * limits[0], 100 * limits[1]))


@held("tradeoff")
def tradeoff(page: Page, rows: Rows, figure: Figure, level: float) -> Iterator[str]:
    exact = {row["Generator"]: row for row in table(page, "HUSE, HUSE-Q (judgment alone), HUSE-D", Ties="exact")}
    for match in re.finditer(r"(\S+), at HUSE-Q (.+?) and HUSE-D (.+?) \(n = (\d+)\)", figure.words):
        row = exact.get(match[1], {})
        if [match[2], match[3], match[4]] != [row.get(head) for head in ("HUSE-Q", "HUSE-D", "n")]:
            yield f"{match[0]}, and the table says {row}"
    for mark in figure.marks:
        known = re.search(r"(\S+) \(n = (\d+)\)", mark)
        if known and exact.get(known[1], {}).get("n") != known[2]:
            yield mark


@held("huse-by-")
def curve(page: Page, rows: Rows, figure: Figure, level: float) -> Iterator[str]:
    """HUSE as in the table of sizes, and accuracy, which is in per cent there; numbers of draws are not held."""
    over = "ratings per text" if "ratings per text" in figure.title else "texts"
    name = figure.title.partition(":")[0]
    sizes = {row[over.capitalize()]: row for row in table(page, f"HUSE by number of {over}", Generator=name)}
    ends = set()
    for mark in figure.marks:
        match = re.fullmatch(r"(HUSE|accuracy) at (\d+): (.+?), n = \d+", mark)
        row = sizes.get(match[2]) if match else None
        if match is None or row is None:
            yield mark
            continue
        ends.add((match[3], match[2]))
        apart = abs(100 * number_of(match[3]) - number_of(row["Accuracy"]))  # of two digits and of three
        if match[3] != row["HUSE"] if match[1] == "HUSE" else apart > 0.56:
            yield f"{mark}, and the table says {row}"
    for match in re.finditer(rf"(?:from|to) ({NUMBER}(?: \[{NUMBER}, {NUMBER}\])?) at (\d+)", figure.words):
        if (match[1], match[2]) not in ends:
            yield figure.words
