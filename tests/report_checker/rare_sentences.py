"""Kinds of sentences that few studies have: of a plan in the log, a draw, files of scores, the paper's table, gaps."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from statistics import fmean, stdev
from typing import Any

from scipy.stats import t

from tests.report_checker.intervals import nothing_varies
from tests.report_checker.rare import SECTION
from tests.report_checker.recount import Rows, count, day, decimal, disjoint, moment
from tests.report_checker.sentences import (
    NUMBER,
    Asked,
    Match,
    coding_of,
    fixed,
    is_nominal,
    items_of,
    kind,
    left_out,
    limits,
    listed,
    raters,
    said_p,
    shown,
    the,
    was,
)
from tests.report_checker.tables import Ranged, chosen_cells, label_cells

TINY = "assay-tiny"
OF_TOST = 0.9  # level of the interval of two one-sided tests at 5%

# --- the plan in the log ---


@kind(
    r"The plan was stored in the log on [^;]+?; (?:registered at [^;]+; )?(?:no deviation|\d+ deviations?: .+?)"
    r"\.(?= |$)"
)
def plan_logged(rows: Rows, match: Match, asked: Asked) -> str | None:
    if rows.logged is None:
        return None
    at, plan = rows.logged
    before = all(at < moment(row["submitted_at"]) for row in rows.submissions) and rows.submissions
    digest = hashlib.sha256(json.dumps(plan, sort_keys=True, ensure_ascii=False).encode()).hexdigest()
    order = f", {'before' if before else 'after'} the first submission" if rows.submissions else ""
    text = f"The plan was stored in the log on {day(at)}{order}"
    text += f" (SHA-256 {digest[:12]}…)"
    if "registered" in plan["stated"]:
        text += f"; registered at {plan['stated']['registered']}"
    noted = [rows.stated["deviations"]] if "deviations" in rows.stated else []
    settings = plan["settings"].items()
    noted += [
        f"{name} is {rows.study[name]}, and {value} was planned."
        for name, value in settings
        if name in rows.study and rows.study[name] != value
    ]
    deviations = f"{count(len(noted), 'deviation')}: {'; '.join(noted).rstrip('.')}" if noted else "no deviation"
    return f"{text}; {deviations}."


def margin_points(rows: Rows) -> int | None:
    return rows.logged[1]["settings"]["margin_points"] if rows.logged else None


@kind(
    r"Equivalence was tested by two one-sided t-tests with a margin of \d+ percentage points around chance, declared "
    r"before \(Lakens, 2017\)\."
)
def analysis_equivalence(rows: Rows, match: Match, asked: Asked) -> str | None:
    points = margin_points(rows)
    return re.sub(r"of \d+ percentage", f"of {points} percentage", match[0], count=1) if points else None


@kind(
    r"Accuracy was (?:not )?shown to lie within \d+% to \d+%, the margin around chance that the plan of \d+ \w+ \d+ "
    rf"declared: (?P<value>{NUMBER})% (?P<span>\[{NUMBER}, {NUMBER}\]) at \d+%, p (?P<p>[<=] [\d.]+) \(TOST\)\."
)
def tested_equivalence(rows: Rows, match: Match, asked: Asked) -> str | None:
    points, shares = margin_points(rows), rows.accuracies()
    if not points or rows.logged is None or len(set(shares)) < 2:
        return None
    mean, error, df = fmean(shares), stdev(shares) / len(shares) ** 0.5, len(shares) - 1
    low, high = (50 - points) / 100, (50 + points) / 100
    p = max(float(t.sf((mean - low) / error, df)), float(t.cdf((mean - high) / error, df)))
    half = float(t.ppf((1 + OF_TOST) / 2, df)) * error
    ends = limits((mean - half, mean + half), match["span"], 1, 100)
    return (
        f"Accuracy was {'' if p <= 0.05 else 'not '}shown to lie within {50 - points}% to {50 + points}%, the margin "
        f"around chance that the plan of {day(rows.logged[0])} declared: {shown(100 * mean, match['value'], 1)}%"
        f"{ends} at {100 * OF_TOST:g}%, p {said_p(p, match['p'])} (TOST)."
    )


@kind(r"Whether accuracy is within \d+% to \d+% cannot be tested: every evaluator has the same accuracy\.")
def untestable_equivalence(rows: Rows, match: Match, asked: Asked) -> str | None:
    points = margin_points(rows)
    if not points or len(set(rows.accuracies())) > 1:
        return None
    return (
        f"Whether accuracy is within {50 - points}% to {50 + points}% cannot be tested: every evaluator has the same "
        "accuracy."
    )


# --- how people came to their condition ---


@kind(
    r"Conditions were assigned at random when people entered \(\d+ draws?, seed \S+?\): each person to the one with "
    r"the fewest people who had finished or were inside, among those with a free place, ties at random\."
)
def conditions_drawn(rows: Rows, match: Match, asked: Asked) -> str | None:
    if rows.study["arm_assignment"] != "drawn":
        return None
    return re.sub(r"\(.*?\)", f"({count(rows.drawn, 'draw')}, seed {rows.study['draw_seed']})", match[0], count=1)


@kind(r"\d+ (?:people|person|simulated raters?) took part(?: through [^.;]+?)? \([^()]*(?:located|approv)[^()]*\)\.")
def raters_with_criteria(rows: Rows, match: Match, asked: Asked) -> str | None:
    """Where nothing else says what was asked of people."""
    study = rows.study
    percent, hits = study["minimum_percent_approved"], study["minimum_approved_hits"]
    asks = [f"approval rate above {percent}%"] if percent else []
    asks += [f"more than {hits} approved HITs"] if hits else []
    asks += [f"located in {the(study['country'])}"] if study["country"] else []
    return f"{str(raters(rows, match, asked)).removesuffix('.')} ({'; '.join(asks)})."


# --- exclusions of a study that came from elsewhere, or whose snapshot lacks the words on quality ---

fixed(
    "none_left_out",
    "No imported rating was excluded from this analysis. Exclusions before the import are not known.",
    lambda rows: rows.study["mode"] == "imported" and not left_out(rows),
)


@kind(r"Of \d+ submissions?, \d+ \([\d.]+%\) (?:was|were) excluded from the analysis\.")
def excluded_in_part(rows: Rows, match: Match, asked: Asked) -> str | None:
    total, out = len(rows.submissions), left_out(rows)
    if not out:
        return None
    share = decimal(100 * out / total, 1)
    return f"Of {count(total, 'submission')}, {out} ({share}%) {was(out)} excluded from the analysis."


# --- warnings ---


@kind(r"For \d+ of \d+ texts? the number of ratings is not known\.")
def unknown_ratings(rows: Rows, match: Match, asked: Asked) -> str | None:
    """Of a snapshot with means alone: of every text that has one."""
    return f"For {len(rows.hj())} of {count(len(rows.texts), 'text')} the number of ratings is not known."


fixed(
    "missing_section",
    f"The section {SECTION} is missing: the report of this snapshot had it, and the package that adds it is not "
    "installed.",
    lambda rows: True,
)


@kind(r"(?P<name>\S+): no feature varies; HUSE is set to 1 by convention\.")
def no_feature(rows: Rows, match: Match, asked: Asked) -> str | None:
    return match[0] if match["name"] in rows.sides.values() and nothing_varies(rows, match["name"]) else None


def impossible(rows: Rows, name: str) -> dict[str, bool]:
    """Of each text of a generator and of the references, whether it has probability zero."""
    return {text: total == float("-inf") for (of, text), (total, _) in rows.likelihoods.items() if of == name}


@kind(r"(?P<name>\S+): \d+ texts? with probability zero under the model\.")
def zero_probability(rows: Rows, match: Match, asked: Asked) -> str | None:
    number = sum(is_zero for text, is_zero in impossible(rows, match["name"]).items() if text in rows.hj())
    return f"{match['name']}: {count(number, 'text')} with probability zero under the model." if number else None


@kind(r"(?P<name>\S+): exactly one source has probability zero, so HUSE is 0 by construction\.")
def disjoint_support(rows: Rows, match: Match, asked: Asked) -> str | None:
    return match[0] if disjoint(rows, match["name"]) else None


@kind(r"Automatic verdicts of .+? rest on thresholds that were not calibrated\.")
def uncalibrated(rows: Rows, match: Match, asked: Asked) -> str | None:
    loose = [
        row["name"]
        for row in rows.files
        if row["kind"] == "automatic" and not json.loads(row["document"])["thresholds"]["calibrated"]
    ]
    return f"Automatic verdicts of {', '.join(loose)} rest on thresholds that were not calibrated." if loose else None


@kind(rf"The model {TINY} is for trying out; its numbers say nothing about texts: .+?\.(?= |$)")
def tiny_model(rows: Rows, match: Match, asked: Asked) -> str | None:
    uses = [row["name"] for row in rows.files if row["model"] == TINY]
    if not uses:
        return None
    return f"The model {TINY} is for trying out; its numbers say nothing about texts: {'; '.join(uses)}."


# --- the caption of the table on the paper page ---


BRACKETS = r"(?:, and in brackets [a-z ]+)?"


def in_brackets(asked: Asked, caption: str, words: str) -> str:
    """What an n counts that stands in brackets beside a value; "" where none does in the table of that caption."""
    table = asked.page.tables().get(caption, []) if asked.page else []
    return f", and in brackets {words}" if any("(n =" in cell for row in table for cell in row) else ""


def paper(
    name: str,
    words: str,
    counted: str,
    holds: Callable[[Rows, Asked], bool],
    level: float | None = None,
    bracketed: str = "",
) -> None:
    """Register a caption: its intervals, where it names some, are at the level of the report, or of a file."""

    def expect(rows: Rows, match: Match, asked: Asked) -> str | None:
        at = 100 * (asked.level if level is None else level)
        named = f", with {at:g}% intervals" if " intervals;" in match[0] else ""
        also = in_brackets(asked, match[0], bracketed) if bracketed else ""
        return f"{words}{named}; n counts {counted}{also}." if holds(rows, asked) else None

    kind(rf"{re.escape(words)}(?:, with {NUMBER}% intervals)?; n counts \w+{BRACKETS}\.")(_named(expect, name))


def _named(function: Callable[..., str | None], name: str) -> Callable[..., str | None]:
    function.__name__ = name
    return function


def has_huse(rows: Rows, asked: Asked) -> bool:
    if rows.study["task"] != "typicality":
        return False
    return any(items_of(rows, name) > asked.k for name in rows.sides.values() if name)


def holds_file(kind_of_file: str) -> Callable[[Rows, Asked], bool]:
    return lambda rows, asked: any(row["kind"] == kind_of_file for row in rows.files)


paper(
    "paper_huse",
    "HUSE, HUSE-Q (judgment alone) and HUSE-D (diversity) against the references",
    "texts",
    has_huse,
)
paper(
    "paper_accuracy",
    "Accuracy of evaluators who said whether a text was by a human or a machine, and their share of answers that say "
    "human",
    "evaluators",
    lambda rows, asked: rows.study["task"] == "human_or_machine",
    bracketed="answers",
)


@kind(rf"Mean rating[a-z ]*? over texts[a-z, ]*?(?:, with {NUMBER}% intervals)?; n counts texts{BRACKETS}\.")
def paper_scales(rows: Rows, match: Match, asked: Asked) -> str | None:
    scales = [name for criterion in rows.words["criteria"] if not is_nominal(rows, name := criterion["name"])]
    if not scales:
        return None
    of = f" of {scales[0].replace('_', ' ')}" if len(scales) == 1 else ""
    judged = {rows.sides[answer.text] for answer in rows.used}
    difference = ", and its difference from the references" if "" in judged and len(judged) > 1 else ""
    named = f", with {100 * asked.level:g}% intervals" if " intervals;" in match[0] else ""
    also = in_brackets(asked, match[0], "the judgments of both sources")
    return f"Mean rating{of} over texts{difference}{named}; n counts texts{also}."


paper(
    "paper_chosen",
    "How often a text of each source was chosen, and would be by chance",
    "answers",
    lambda rows, asked: bool(rows.study["task"] == "which_machine"),
)
paper(
    "paper_pairs",
    "Share of judgments that prefer the first of two sources, ties as half",
    "judgments",
    lambda rows, asked: rows.pairs,
)
paper(
    "paper_labels",
    "Share of the judgments with each label",
    "judgments",
    lambda rows, asked: all(is_nominal(rows, criterion["name"]) for criterion in rows.words["criteria"]),
)
# Of files the level is that of the file: see `rare.VALUE`.
paper(
    "paper_automatic",
    "Texts that look written by a human or by a machine to a language model (frac(p))",
    "texts",
    holds_file("automatic"),
    0.8,
)
paper(
    "paper_nnd",
    "Near-negative tests in which a model gives the better text the higher likelihood",
    "tests",
    holds_file("nnd"),
    0.8,
)


@kind(
    rf"Raters chose a text of (?P<source>.+) in {NUMBER}%(?P<span> \[{NUMBER}, {NUMBER}\])? of cases "
    rf"\((?P<criterion>[^)]+)\), where chance gives {NUMBER}%; \d+ contexts?, \d+ raters?\."
)
def chosen_of(rows: Rows, match: Match, asked: Asked) -> str | None:
    # Of a name that no criterion has, what it must be is that of the first.
    names = {criterion["name"].replace("_", " "): criterion["name"] for criterion in rows.words["criteria"]}
    criterion = match["criterion"] if match["criterion"] in names else next(iter(names))
    cells = chosen_cells(rows, names[criterion], asked.level).get((match["source"],))
    if cells is None:
        return None
    share, chance, *_ = cells
    assert isinstance(share, Ranged)
    held = [answer for answer in rows.used if rows.sides[answer.text] == match["source"]]
    contexts = {rows.texts[answer.text]["context_id"] for answer in held}
    raters = {answer.rater for answer in held}
    ends = limits(share.limits, match["span"].strip(), 1, 1) if match["span"] and share.limits else ""
    value, by_chance = decimal(float(share.value), 1), decimal(float(str(chance)), 1)
    return (
        f"Raters chose a text of {match['source']} in {value}%{ends} of cases ({criterion}), where chance gives "
        f"{by_chance}%; {count(len(contexts), 'context')}, {count(len(raters), 'rater')}."
    )


@kind(r"No text has been rated by people yet: the results are those of .+?\.(?= |$)")
def results_of_files(rows: Rows, match: Match, asked: Asked) -> str | None:
    if rows.answers or not rows.files:
        return None
    return f"No text has been rated by people yet: the results are those of {', '.join(f['name'] for f in rows.files)}."


@kind(r"[\w.-]+: the better text had the higher likelihood, .+?\.(?= |$)")
def near_negative_result(rows: Rows, match: Match, asked: Asked) -> str | None:
    if rows.answers or [row["kind"] for row in rows.files] != ["nnd"]:
        return None
    (file,) = rows.files
    rates = [
        f"for {model['model']} in {said_share(model['overall'])} of {count(model['overall']['n'], 'test')}"
        for model in of_file(file)["models"]
    ]
    return (
        f"{file['name']}: the better text had the higher likelihood, {'; '.join(rates)} ({level_of(file)} intervals)."
    )


@kind(r"[\w.-]+: to .+? of \d+ texts? are human-like and .+?\.(?= |$)")
def automatic_result(rows: Rows, match: Match, asked: Asked) -> str | None:
    if rows.answers or [row["kind"] for row in rows.files] != ["automatic"]:
        return None
    (file,) = rows.files
    held = of_file(file)
    loose = "" if held["thresholds"]["calibrated"] else ", by thresholds that were not calibrated"
    return (
        f"{file['name']}: to {held['backend']['model']}, {said_share(held['h'])} of {count(held['h']['n'], 'text')} "
        f"are human-like and {said_share(held['m'])} are machine-like ({level_of(file)} intervals){loose}."
    )


@kind(r"(?:All|None of the|\d+ of the) \d+ texts of [\w.-]+ (?:is|are) of this study\.")
def texts_of_file(rows: Rows, match: Match, asked: Asked) -> str | None:
    if rows.answers or [row["kind"] for row in rows.files] != ["automatic"]:
        return None
    (file,) = rows.files
    names = of_file(file)["texts"]
    known = sum(name in rows.texts for name in names)
    which = f"All {len(names)}" if known == len(names) else f"{known or 'None'} of the {len(names)}"
    return f"{which} texts of {file['name']} {'is' if known < 2 else 'are'} of this study."


def of_file(file: dict[str, Any]) -> dict[str, Any]:
    """What the file holds."""
    held: dict[str, Any] = json.loads(file["document"]) if isinstance(file["document"], str) else file["document"]
    return held


def said_share(value: dict[str, Any]) -> str:
    """A share of a file with its interval, as sentences have it."""
    low, high = (decimal(100 * value["interval"][end], 1) for end in ("low", "high"))
    return f"{decimal(100 * value['value'], 1)}% [{low}, {high}]"


def level_of(file: dict[str, Any]) -> str:
    """The level of every interval of the file: see `rare.VALUE`."""
    return f"{100 * interval_of(file)['level']:g}%"


def interval_of(file: dict[str, Any]) -> dict[str, Any]:
    held = of_file(file)
    interval: dict[str, Any] = (held["h"] if "h" in held else held["models"][0]["overall"])["interval"]
    return interval


@kind(r"The numbers of [\w.-]+ have [\d.]+% intervals by .+?\.(?= |$)")
def intervals_of_files(rows: Rows, match: Match, asked: Asked) -> str | None:
    """Every interval of the stored documents is of one kind: see `rare.VALUE`."""
    if not rows.files or rows.answers:
        return None
    (file,) = rows.files
    target = interval_of(file)["target"]
    return f"The numbers of {file['name']} have {level_of(file)} intervals by Wilson's method ({target})."


@kind(r"The most frequent label \((?P<criterion>[^)]+)\) was .+\.")
def most_frequent_labels(rows: Rows, match: Match, asked: Asked) -> str | None:
    """By counting: of each source the label of most judgments, all of them where several tie."""
    named = {each["name"].replace("_", " "): each["name"] for each in rows.words["criteria"]}
    criterion = named.get(match["criterion"], next(iter(named.values())))
    if not is_nominal(rows, criterion):
        return None
    cells = {key[1:]: cell for key, cell in label_cells(rows, asked.level).items() if key[0] == criterion}
    codes = {answer.label: answer.code for answer in rows.used if answer.criterion == criterion}
    parts = []
    for source in sorted({source for source, _ in cells}, key=lambda source: (source != "references", source)):
        by_label = {label: cell for (side, label), cell in cells.items() if side == source}
        most = max(int(str(cell[1])) for cell in by_label.values())
        labels = sorted((label for label, cell in by_label.items() if int(str(cell[1])) == most), key=codes.__getitem__)
        share, _, _, judgments = by_label[labels[0]]
        assert isinstance(share, Ranged)
        said = re.search(rf"for (?:the )?{re.escape(source)}, {NUMBER}%(?P<span> \[{NUMBER}, {NUMBER}\])?", match[0])
        ends = limits(share.limits, (said and said["span"]) or "", 1) if len(labels) == 1 else " each"
        whose = "the references" if source == "references" else source
        quoted = listed([f"“{label}”" for label in labels])
        counted = count(int(str(judgments)), "judgment")
        parts.append(f"{quoted} for {whose}, {decimal(share.value, 1)}%{ends} of {counted}")
    return f"The most frequent label ({criterion.replace('_', ' ')}) was {'; '.join(parts)}."


# --- captions of tables ---


def caption(name: str, pattern: str, holds: Callable[[Rows, str], bool]) -> None:
    """Register a caption by a pattern with the level of its intervals, if any, and its criterion, if any."""

    def expect(rows: Rows, match: Match, asked: Asked) -> str | None:
        groups = match.groupdict()
        criteria = {criterion["name"].replace("_", " "): criterion["name"] for criterion in rows.words["criteria"]}
        criterion = groups.get("criterion") or next(iter(criteria))
        if criterion not in criteria or not holds(rows, criteria[criterion]):
            return None
        if groups.get("units") and (groups["units"] == "contexts") != rows.has_contexts:
            return None
        return re.sub(rf"{NUMBER}% intervals", f"{100 * asked.level:g}% intervals", match[0], count=1)

    kind(pattern)(_named(expect, name))


CRITERION = r"\((?P<criterion>[^()_]+)\)"
LEVEL = rf"{NUMBER}% intervals"


def is_rated(rows: Rows, criterion: str) -> bool:
    return not is_nominal(rows, criterion)


def are_pairs(rows: Rows, criterion: str) -> bool:
    return rows.pairs


caption(
    "caption_agreement",
    rf"Krippendorff's alpha(?:, with {LEVEL} over new texts and new raters)?\.",
    lambda rows, criterion: True,
)
caption(
    "caption_chosen",
    rf"How often a text of each source was chosen {CRITERION}, against chance; {LEVEL} over new contexts and new "
    r"raters\.",
    lambda rows, criterion: bool(rows.study["task"] == "which_machine"),
)
caption(
    "caption_criteria",
    r"Correlation of two criteria over texts: Pearson's r of the texts' mean ratings\.",
    lambda rows, criterion: len(rows.words["criteria"]) > 1,
)
caption(
    "caption_intraclass",
    rf"Intraclass correlation, raters as a sample that differs from text to text {CRITERION}\.",
    is_rated,
)
caption(
    "caption_labels",
    rf"How often each label was given, by source(?:; {LEVEL} over new (?P<units>texts|contexts) and new raters)?\.",
    lambda rows, criterion: not rows.pairs,
)
caption(
    "caption_preferences",
    rf"Preferences {CRITERION}(?:; {LEVEL} over new (?P<units>pairs of texts|contexts) and new raters)?\.",
    are_pairs,
)


@kind(
    rf"Ratings by source(?P<coded>, coded .+?)?(?P<tail>; {LEVEL} of (?:means|differences|means and differences) over "
    r"new (?P<units>texts|contexts) and new raters)?\.$"
)
def caption_scales(rows: Rows, match: Match, asked: Asked) -> str | None:
    """Codes by criterion where these differ; of an import those of the first question alone are stored."""
    if match["units"] and (match["units"] == "contexts") != rows.has_contexts:
        return None
    rated = [name for name in dict.fromkeys(answer.criterion for answer in rows.used) if is_rated(rows, name)]
    labels = {each["name"]: each["labels"] for each in rows.words["criteria"]}
    codings = {name: coding_of([tuple(label) for label in labels[name]]) for name in rated}
    first = rows.words["criteria"][0]["name"]
    if rows.study["mode"] == "imported" and set(rated) - {first}:
        coded = ""
    elif len(set(codings.values())) == 1:
        coded = f", coded {codings[rated[0]]}"
    else:
        parts = [f"{coding} ({name.replace('_', ' ')})" for name, coding in codings.items()]
        coded = f", coded {'; '.join(parts)}"
    tail = re.sub(rf"{NUMBER}% intervals", f"{100 * asked.level:g}% intervals", match["tail"] or "")
    return f"Ratings by source{coded}{tail}." if rated else None


caption("caption_sides", r"Share of decided votes for the text on the left, with tests of 50%\.", are_pairs)
caption(
    "caption_standardized",
    r"Mean of all ratings by source, raw and standardized by rater \(z\)\.",
    lambda rows, criterion: True,
)
caption(
    "caption_strength_differences",
    rf"Differences of Bradley-Terry strength {CRITERION}: above 0, the first is preferred(?:; {LEVEL} over new "
    r"contexts and new raters)?\.",
    are_pairs,
)
caption(
    "caption_strengths",
    rf"Bradley-Terry strengths {CRITERION}, centred at 0: higher is preferred(?:; {LEVEL} over new contexts and new "
    r"raters)?\.",
    are_pairs,
)


# --- margins that hardly separate sources ---

WIDE = 1 / 3


@kind(
    r"The declared margin of equivalence, [\d.]+ (?:points|percentage points), is \d+% of the largest difference that "
    r"is possible: sources inside it can still differ clearly\."
)
def margin_is_wide(rows: Rows, match: Match, asked: Asked) -> str | None:
    margin, criterion = rows.declared.get("margin"), rows.declared.get("criterion", "")
    names = [each["name"] for each in rows.words["criteria"]]
    if margin is None or criterion not in ("", names[0]) or (not criterion and len(names) > 1):
        return None
    if rows.study["task"] == "human_or_machine":
        largest, said = float(bool(criterion)), f"{100 * margin:g} percentage points"
    else:
        codes = [float(code) for _, code, _ in rows.words["criteria"][0]["labels"]]
        largest, said = max(codes) - min(codes), f"{margin:g} points"
    if not largest or margin / largest < WIDE or rows.pairs or is_nominal(rows, names[0]):
        return None
    return (
        f"The declared margin of equivalence, {said}, is {100 * margin / largest:.0f}% of the largest difference that "
        "is possible: sources inside it can still differ clearly."
    )


@kind(
    r"The declared margin around chance, \d+% to \d+%, is \d+% of the largest distance from 50% that is possible: "
    r"accuracy inside it can still differ clearly from chance\."
)
def chance_margin_is_wide(rows: Rows, match: Match, asked: Asked) -> str | None:
    points = margin_points(rows)
    if not points or points / 50 < WIDE or rows.study["task"] != "human_or_machine":
        return None
    return (
        f"The declared margin around chance, {50 - points}% to {50 + points}%, is {2 * points}% of the largest "
        "distance from 50% that is possible: accuracy inside it can still differ clearly from chance."
    )
