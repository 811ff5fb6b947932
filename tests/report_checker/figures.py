"""Kinds of captions of figures: what is drawn, whose intervals at which level, what n counts."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

from tests.report_checker.intervals import has_interval, mean_share, nothing_varies
from tests.report_checker.recount import Answer, Rows
from tests.report_checker.sentences import CHOSEN, NUMBER, Asked, Match, items_of, kind
from tests.report_checker.tables import Cell, Ranged, chosen_cells, label_cells, mean_cells, preference_cells

LEVELS = rf"(?:, with {NUMBER}% intervals(?: over \w+)?)?"
OF_FILES = 80  # per cent, of every interval in the files of scores: see `rare.VALUE`
OF_HJ = 90  # per cent, of the intervals of single texts by frequency
BAND = 90  # per cent of subsamples that a band holds
MARKS = "Each mark is a text; log p is natural and divided by its length."
SHADED = (
    "from 0, 0 to the line that joins a task's models, where HUSE is lower than on that line at the same ratio of "
    "HUSE-D to HUSE-Q."
)
GROUND = " Ground: blue where the classifier of HUSE answers reference, orange where it answers the generator."
EDGES = " At the edges: share of each source's texts."


def intervals(asked: Asked, drawn: bool, over: str = "") -> str:
    """The part of a caption that names the level of its intervals; "" where none is drawn."""
    return f", with {100 * asked.level:g}% intervals{f' over {over}' if over else ''}" if drawn else ""


def generators(rows: Rows) -> list[str]:
    return [name for name in dict.fromkeys(rows.sides.values()) if name]


def vary(values: Iterable[float]) -> bool:
    return len(set(values)) > 1


def of_side(rows: Rows, answers: Sequence[Answer], side: str) -> list[Answer]:
    return [answer for answer in answers if rows.sides[answer.text] == side]


@kind(rf"HJ by source\. Each mark is a text's mean rating \(HJ\)\. Large rings: mean of each source{LEVELS}\.")
def figure_hj(rows: Rows, match: Match, asked: Asked) -> str | None:
    texts: defaultdict[str, set[Fraction]] = defaultdict(set)
    for text, hj in rows.hj().items():
        texts[rows.sides[text]].add(hj)
    if rows.study["task"] != "typicality" or not texts:
        return None
    bars = intervals(asked, max(map(len, texts.values())) > 1, "texts")
    return f"HJ by source. Each mark is a text's mean rating (HJ). Large rings: mean of each source{bars}."


@kind(rf"(?P<name>\S+): HJ and log p\. {re.escape(MARKS)}(?:{re.escape(GROUND)})?{re.escape(EDGES)}")
def figure_scatter(rows: Rows, match: Match, asked: Asked) -> str | None:
    name = match["name"]
    finite = any(total > float("-inf") for (of, _), (total, _) in rows.likelihoods.items() if of == name)
    if name not in generators(rows) or items_of(rows, name) <= asked.k:
        return None
    return f"{name}: HJ and log p. {MARKS}{GROUND if finite else ''}{EDGES}"


@kind(rf"Ratings of (?P<what>[^.]+?)\. Share of each source's ratings{LEVELS}\.")
def figure_ratings(rows: Rows, match: Match, asked: Asked) -> str | None:
    """Of a generator and the references, or of human and machine texts in an arm; raters are the unit."""
    answers = rows.used
    if rows.study["task"] == "human_or_machine":
        arm = match["what"].removeprefix("human and machine texts, ")
        if arm != "all judgments":
            answers = [answer for answer in answers if answer.arm == arm]
        sides = [[a for a in answers if bool(rows.sides[a.text]) is machine] for machine in (False, True)]
    else:
        name = match["what"].removesuffix(" and of the references")
        sides = [of_side(rows, answers, "") if name in generators(rows) else [], of_side(rows, answers, name)]
    if not all(sides):
        return None
    several = any(len({answer.rater for answer in side}) > 1 for side in sides)
    return f"Ratings of {match['what']}. Share of each source's ratings{intervals(asked, several)}."


@kind(
    rf"Quality and diversity\. Each mark is a model{LEVELS}\.(?: Numbers: .+?\.)? Gray lines join places of equal "
    r"HUSE\."
    rf"(?: Shaded: {re.escape(SHADED)})?"
)
def figure_tradeoff(rows: Rows, match: Match, asked: Asked) -> str | None:
    drawn = [name for name in generators(rows) if rows.huse(name, asked.k) and items_of(rows, name) > asked.k]
    if len(drawn) < 2:
        return None
    spans = any(has_interval(rows, name, asked.k) and not nothing_varies(rows, name) for name in drawn)
    above = 0
    for name in drawn:
        huse, quality = rows.huse(name, asked.k), rows.huse(name, asked.k, quality_only=True)
        above += bool(huse and quality and quality[0] > 0 and 1 + huse[0] - quality[0] > 0)
    shaded = f" Shaded: {SHADED}" if above > 1 else ""
    many = len(drawn) > 4 or (len(drawn) > 2 and max(map(len, drawn)) > 22)
    key = f" Numbers: {'; '.join(f'({at}) {name}' for at, name in enumerate(drawn, 1))}." if many else ""
    return (
        f"Quality and diversity. Each mark is a model{intervals(asked, spans)}.{key} Gray lines join places of equal "
        f"HUSE.{shaded}"
    )


@kind(
    rf"Accuracy by arm\. Mean share of right answers{LEVELS}; n counts evaluators\. Upright line: guessing\."
    rf"(?: {re.escape(CHOSEN)})?"
)
def figure_accuracy(rows: Rows, match: Match, asked: Asked) -> str | None:
    if rows.study["task"] != "human_or_machine":
        return None
    spans = any(mean_share(rows.right_answers(arm["training"]), asked.level) for arm in rows.arms)
    chosen = len(rows.arms) > 1 and rows.study["arm_assignment"] == "chosen"
    assigned = f" {CHOSEN}" if chosen else ""
    return (
        f"Accuracy by arm. Mean share of right answers{intervals(asked, spans, 'evaluators')}; n counts evaluators. "
        f"Upright line: guessing.{assigned}"
    )


def estimates(name: str, title: str, counted: str, cells: Callable[[Rows, str, float], Iterable[Cell]]) -> None:
    """Register a caption of estimates by the pattern of its title. cells: of a criterion, those that are drawn."""

    def expect(rows: Rows, match: Match, asked: Asked) -> str | None:
        named = [criterion["name"] for criterion in rows.words["criteria"]]
        said = match.groupdict().get("criterion") or named[0]
        criterion = next((name for name in named if said in (name, name.replace("_", " "))), said)
        drawn = list(cells(rows, criterion, asked.level)) if criterion in named else []
        if not drawn:
            return None
        spans = any(isinstance(cell, Ranged) and cell.limits is not None for cell in drawn)
        return f"{match['title']} Estimates{intervals(asked, spans)}; n counts {counted}."

    expect.__name__ = name
    kind(rf"(?P<title>{title}) Estimates{LEVELS}; n counts \w+\.")(expect)


def of_means(rows: Rows, criterion: str, level: float) -> Iterable[Cell]:
    return (cells[0] for key, cells in mean_cells(rows, level).items() if key[0] == criterion)


def of_labels(rows: Rows, criterion: str, level: float) -> Iterable[Cell]:
    without = rows.pairs or rows.study["task"] == "which_machine"
    return () if without else (cells[0] for key, cells in label_cells(rows, level).items() if key[0] == criterion)


def of_pairs(rows: Rows, criterion: str, level: float) -> Iterable[Cell]:
    return (cells[0] for cells in preference_cells(rows, criterion, level).values()) if rows.pairs else ()


def of_choices(rows: Rows, criterion: str, level: float) -> Iterable[Cell]:
    return (
        (cells[0] for cells in chosen_cells(rows, criterion, level).values())
        if rows.study["task"] == "which_machine"
        else ()
    )


estimates("figure_chosen", r"Chosen texts by source(?: \((?P<criterion>[\w ]+)\))?\.", "judgments", of_choices)
estimates("figure_means", r"Mean (?P<criterion>\w+) by source\.", "texts", of_means)
estimates("figure_shares", r"Labels of (?P<criterion>\w+)\.", "judgments", of_labels)
estimates("figure_preferences", r"Preferences(?: \((?P<criterion>[\w ]+)\))?\.", "judgments", of_pairs)


# --- files of scores ---


def documents(rows: Rows, kind_of_file: str) -> list[dict[str, object]]:
    return [json.loads(row["document"]) for row in rows.files if row["kind"] == kind_of_file]


@kind(
    rf"Pass rates by category\. Share of near-negative tests passed, with {NUMBER}% intervals\. Dashed: what chance "
    r"gives\."
)
def figure_pass_rates(rows: Rows, match: Match, asked: Asked) -> str | None:
    if not documents(rows, "nnd"):
        return None
    return re.sub(rf"with {NUMBER}%", f"with {OF_FILES}%", match[0])


@kind(
    r"(?:All tests|Tests against (?P<category>\w+))(?:, .+?)?\. Share of near-negative tests passed, by "
    r"(?:parameters|training steps)\.(?: Bands: intervals of a bootstrap over contexts\.)? Dashed: what chance gives\."
)
def figure_curve(rows: Rows, match: Match, asked: Asked) -> str | None:
    points = [point for document in documents(rows, "nnd") for point in document["curve"]]  # type: ignore[attr-defined]
    points = [point for point in points if point["category"] == (match["category"] or "all")]
    if not points:
        return None
    axis = {"parameters": "parameters", "checkpoint_step": "training steps"}[points[0]["axis"]]
    bands = any(point["low"] is not None for point in points)
    title = f"Tests against {match['category']}" if match["category"] else "All tests"
    families = sorted({point["family"] for point in points if point["value"] is not None})
    only = f", {families[0]}" if len(families) == 1 else ""
    return (
        f"{title}{only}. Share of near-negative tests passed, by {axis}."
        f"{' Bands: intervals of a bootstrap over contexts.' if bands else ''} Dashed: what chance gives."
    )


@kind(rf"(?:Tokens by their rank under the model|Automatic verdicts by source)\. Share of each source's \w+{LEVELS}\.")
def figure_scored(rows: Rows, match: Match, asked: Asked) -> str | None:
    read = {name for document in documents(rows, "automatic") for name in document.get("texts", ())}  # type: ignore[attr-defined]
    of_source: defaultdict[str, set[str]] = defaultdict(set)
    for name in read:
        if name in rows.sides:
            of_source[rows.sides[name]].add(name)
    if not of_source:
        return None
    title, _, _ = match[0].partition(".")
    unit = "tokens" if title.startswith("Tokens") else "texts"
    several = max(map(len, of_source.values())) > 1
    return f"{title}. Share of each source's {unit}{intervals(asked, several)}."


# --- curves ---

SELECTIONS = (
    "Each place is a selection of rules, in order of its value; the table of selections names its rules. Bars hold the "
    "middle 95% of removals of as many ratings at random and are not intervals."
)


@kind(
    r"(?P<of>[^:]+): (?P<measure>HUSE|HUSE-Q|Accuracy) under every selection of exclusion rules\. Each place is a "
    r"selection of rules, in order of its value; the table of selections names its rules\. Bars hold the middle \d+% "
    r"of removals of as many ratings at random and are not intervals\."
)
def figure_exclusions(rows: Rows, match: Match, asked: Asked) -> str | None:
    judges = rows.study["task"] == "human_or_machine"
    names = [*(arm["training"] for arm in rows.arms), "all judgments"] if judges else generators(rows)
    if not rows.measured or match["of"] not in names:
        return None
    scored = any(of == match["of"] for of, _ in rows.likelihoods)
    measure = "Accuracy" if judges else "HUSE" if scored else "HUSE-Q"
    return f"{match['of']}: {measure} under every selection of exclusion rules. {SELECTIONS}"


@kind(
    rf"HJ by corpus frequency\. Each mark is a text's HJ{LEVELS}\."
    r"(?: Texts of frequency 0 have no place on this scale\.)?"
)
def figure_frequency(rows: Rows, match: Match, asked: Asked) -> str | None:
    counts = {text: row["corpus_count"] for text, row in rows.texts.items() if text in rows.hj()}
    if not any(counts.values()) or None in counts.values():
        return None
    left_out = " Texts of frequency 0 have no place on this scale." if 0 in counts.values() else ""
    codes: defaultdict[str, list[float]] = defaultdict(list)
    for answer in rows.used:
        codes[answer.text].append(float(answer.code))
    bars = f", with {OF_HJ}% intervals" if any(vary(codes[text]) for text, n in counts.items() if n) else ""
    return f"HJ by corpus frequency. Each mark is a text's HJ{bars}.{left_out}"


@kind(
    r"(?P<name>\S+): HUSE by number of (?P<over>texts|ratings per text)\. Mean over subsamples of the "
    r"(?:texts|ratings per text), drawn without replacement\. Bands hold the middle \d+% of the subsamples and are not "
    r"intervals\."
)
def figure_sizes(rows: Rows, match: Match, asked: Asked) -> str | None:
    if match["name"] not in generators(rows) or rows.study["task"] != "typicality":
        return None
    noun = "texts" if match["over"] == "texts" else "ratings per text"
    return (
        f"{match['name']}: HUSE by number of {match['over']}. Mean over subsamples of the {noun}, drawn without "
        f"replacement. Bands hold the middle {BAND}% of the subsamples and are not intervals."
    )
