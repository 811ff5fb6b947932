"""Each kind of sentence that a report may state, and what it must say by the rows of the database.

A kind has a pattern and a function from the rows (and the match) to the sentence as it must be. What cannot be counted
anew here (limits of intervals, p values of resampling) is taken over from the match: `BLIND` lists where.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from statistics import fmean, stdev

from scipy.stats import t

from tests.report_checker.comparison import Comparison, compare, other_criteria, share_a_context
from tests.report_checker.intervals import (
    ROUNDED,
    alpha_ranges,
    alpha_ranges_over_items,
    are_alike_on_log_scale,
    are_of_one_variance,
    exclusion_p,
    has_interval,
    huse_limits,
    mean_share,
    nothing_varies,
    other_raters,
    paper_huse,
)
from tests.report_checker.page import Page
from tests.report_checker.recount import Rows, clock, count, day, decimal, middle, moment, money, spread

Match = re.Match[str]


@dataclass(frozen=True, slots=True)
class Asked:
    """How the report was asked for, and its page, for sentences about what the page itself lists."""

    k: int
    level: float
    page: Page | None = None
    without: str = ""  # what the snapshot was written without: `rare.RARE`


Expect = Callable[[Rows, Match, Asked], "str | None"]
NUMBER = r"−?\d+(?:\.\d+)?"
SPAN = rf"(?: \[{NUMBER}, {NUMBER}\])?"
WAYS = {
    "link": "by a link",
    "list": "by personal links",
    "team": "colleagues",
    "accounts": "registered accounts",
}
MARKETS = {"assay": "Assay", "mturk": "Amazon Mechanical Turk"}
FEWEST = 5  # ratings of a text, below which F26 calls it thin
VOLUNTEERS = "Raters were volunteers and were paid nothing."
CHOSEN = (
    "Assignment to arms was not random: raters took tasks, and with them their arm, from a list that showed the pay."
)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of sentence. pattern: of the whole sentence; expect: None says that it must not be there."""

    name: str
    pattern: re.Pattern[str]
    expect: Expect


KINDS: list[Kind] = []


def kind(pattern: str) -> Callable[[Expect], Expect]:
    """Register a kind under its function's name."""

    def add(expect: Expect) -> Expect:
        KINDS.append(Kind(expect.__name__, re.compile(pattern), expect))
        return expect

    return add


def fixed(name: str, sentence: str, holds: Callable[[Rows], bool]) -> None:
    """Register a sentence without a number, and when it may be said."""
    KINDS.append(
        Kind(name, re.compile(re.escape(sentence)), lambda rows, match, asked: sentence if holds(rows) else None)
    )


def shown(value: float, said: str, digits: int = 2) -> str:
    """The value as it is printed; one that lies between two roundings as it is said."""
    words = decimal(value, digits)
    number = float(said.replace("−", "-")) if re.fullmatch(NUMBER, said) else math.inf
    is_tie = abs(abs(number - value) - 0.5 / 10**digits) < TIED_ROUNDING
    return said if is_tie else words


TIED_ROUNDING = 1e-9


def said_p(p: float, said: str = "") -> str:
    """A p-value as sentences have it, without its p; one that lies between two roundings as it is said."""
    if p < 0.001:
        return "< .001"
    return f"= {shown(p, said.removeprefix('= ').replace('.', '0.', 1), 3)}".replace("0.", ".")


def limits(span: tuple[float, float] | None, said: str, digits: int = 2, scale: float = 1) -> str:
    """An interval as it is printed, with the space before it; "" for none."""
    if span is None:
        return ""
    ends = [end if re.fullmatch(NUMBER, end) else "0" for end in (*re.findall(NUMBER, said), "x", "x")[:2]]
    return f" [{shown(scale * span[0], ends[0], digits)}, {shown(scale * span[1], ends[1], digits)}]"


def two(said: str) -> tuple[float, float]:
    """The limits of an interval as it is said."""
    low, high = (float(end.replace("−", "-")) for end in re.findall(NUMBER, said))
    return low, high


def span_of_huse(rows: Rows, name: str, asked: Asked, said: str, *, quality_only: bool = False) -> str:
    """The interval of HUSE (or HUSE-Q) as it must be printed.

    Where the raters differ by source, their part is of draws of the report's own: there the limits belong together and
    hold those over new texts alone.
    """
    of_texts = huse_limits(rows, name, asked.k, asked.level, quality_only=quality_only)
    if of_texts is None or not other_raters(rows, name):
        return limits(of_texts, said)
    value = rows.huse(name, asked.k, quality_only=quality_only)
    if value is None or not re.search(NUMBER, said):
        return ""
    low, high = two(said)
    holds = low <= of_texts[0] + ROUNDED and high >= of_texts[1] - ROUNDED
    return said if holds and are_of_one_variance(value[0], low, high) else f" [at most {of_texts[0]}, {of_texts[1]}]"


def held(said: str, ranges: tuple[tuple[float, float], tuple[float, float]] | None) -> str:
    """An interval as it is said where each limit lies in its range, else the ranges."""
    if ranges is None:
        return ""
    ends = [float(end.replace("−", "-")) for end in re.findall(NUMBER, said)]
    inside = len(ends) == 2 and all(
        low - 0.005 <= end <= high + 0.005 for end, (low, high) in zip(ends, ranges, strict=True)
    )
    return said if inside else f" [{ranges[0]}, {ranges[1]}]"


def has(number: int) -> str:
    return "has" if number == 1 else "have"


def was(number: int) -> str:
    return "was" if number == 1 else "were"


def listed(parts: list[str], last: str = " and ") -> str:
    return last.join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


# --- texts ---


def texts_of(rows: Rows) -> str:
    sides = Counter(rows.sides.values())
    references = sides.pop("", 0)
    parts = [count(references, "reference text")] if references else []
    return listed([*parts, *(f"{count(number, 'text')} by {name}" for name, number in sides.items())])


def judged(rows: Rows) -> int:
    """Texts with an answer that counts."""
    return len({text for answer in rows.used for text in (answer.text, answer.partner) if text})


@kind(r"Raters judged (?!\d+ of these)[^.]+?\.(?= |$)")
def texts_judged(rows: Rows, match: Match, asked: Asked) -> str | None:
    return f"Raters judged {texts_of(rows)}." if judged(rows) == len(rows.texts) else None


@kind(r"The study has [^.]+? to be judged\.")
def texts_unrated(rows: Rows, match: Match, asked: Asked) -> str | None:
    return None if rows.answers else f"The study has {texts_of(rows)} to be judged."


@kind(r"The study has [^.]+?\. Raters judged \d+ of these \d+ texts\.")
def texts_in_part(rows: Rows, match: Match, asked: Asked) -> str | None:
    return f"The study has {texts_of(rows)}. Raters judged {judged(rows)} of these {len(rows.texts)} texts."


@kind(r"Raters (?:were|are) asked: “[^”]*”")
def question(rows: Rows, match: Match, asked: Asked) -> str:
    return f"Raters {tense(rows, 'were', 'are')} asked: “{rows.question()}”"


def tense(rows: Rows, past: str, present: str) -> str:
    """Of what raters were asked and shown; as long as there is no answer, of what the design says."""
    return past if rows.answers else present


def nominal(rows: Rows) -> bool:
    """Whether no criterion has answers with an order."""
    return all(is_nominal(rows, criterion["name"]) for criterion in rows.words["criteria"])


def is_nominal(rows: Rows, criterion: str) -> bool:
    return rows.study["task"] in ("pairwise", "which_machine") or (
        rows.study["task"] == "error_labels" and criterion != "severity"
    )


THEY = r"(?:They|For (?P<of>[^.“]+?), they)"


def groups(rows: Rows) -> list[tuple[list[str], list[tuple[str, str, str]]]]:
    """Criteria that have the same labels, and are answered alike, with these labels; an import has no task text."""
    found: dict[tuple[bool, tuple[tuple[str, str, str], ...]], list[str]] = {}
    for criterion in rows.words["criteria"]:
        labels = tuple((label, code, gloss) for label, code, gloss in criterion["labels"])
        found.setdefault((is_nominal(rows, criterion["name"]), labels), []).append(criterion["name"])
    return [(names, list(labels)) for (_, labels), names in found.items()]


def group_of(rows: Rows, named: str | None) -> tuple[str, list[str], list[tuple[str, str, str]]] | None:
    """How a sentence begins that is of a group of criteria, their names and labels; None where there is no such group."""
    every = groups(rows)
    if rows.study["mode"] == "imported" and len(rows.words["criteria"]) > 1:
        return None
    for names, labels in every:
        if len(every) == 1 or listed([name.replace("_", " ") for name in names]) == named:
            they = "They" if len(every) == 1 else f"For {named}, they"
            return they, names, labels
    return None


def coding_of(labels: list[tuple[str, str, str]]) -> str:
    codes = sorted((Fraction(code), label) for label, code, _ in labels)
    (low, lowest), (high, highest) = codes[0], codes[-1]
    return f"{float(low):g} to {float(high):g}, {float(low):g} = {lowest}, {float(high):g} = {highest}"


@kind(rf"{THEY} answer(?:ed)? on a scale of \d+ labels \(.+?\), coded .+?\.(?= |$)")
def scale(rows: Rows, match: Match, asked: Asked) -> str | None:
    known = group_of(rows, match["of"])
    if known is None or is_nominal(rows, known[1][0]) or rows.study["task"] == "direct_assessment":
        return None
    they, _, labels = known
    named = ", ".join(label for label, _, _ in labels)
    return (
        f"{they} {tense(rows, 'answered', 'answer')} on a scale of {len(labels)} labels ({named}), coded "
        f"{coding_of(labels)}."
    )


@kind(rf"{THEY} answer(?:ed)? with whole numbers \(.+?\)\.(?= |$)")
def numbers(rows: Rows, match: Match, asked: Asked) -> str | None:
    known = group_of(rows, match["of"])
    if known is None or rows.study["task"] != "direct_assessment":
        return None
    return f"{known[0]} {tense(rows, 'answered', 'answer')} with whole numbers ({coding_of(known[2])})."


@kind(rf"{THEY} (?:chose|choose) among \d+ answers \(.+?\)\.")
def answers(rows: Rows, match: Match, asked: Asked) -> str | None:
    known = group_of(rows, match["of"])
    if known is None or not is_nominal(rows, known[1][0]):
        return None
    they, _, labels = known
    named = ", ".join(label for label, _, _ in labels)
    return f"{they} {tense(rows, 'chose', 'choose')} among {len(labels)} answers ({named})."


@kind(r"(?:Texts|Pairs of texts) (?:were|are) shown in \d+ tasks? of up to \d+\.")
def tasks(rows: Rows, match: Match, asked: Asked) -> str:
    what = "Pairs of texts" if rows.pairs else "Texts"
    most = max(hit["items"] for hit in rows.hits)
    return f"{what} {tense(rows, 'were', 'are')} shown in {count(len(rows.hits), 'task')} of up to {most}."


@kind(r"Every HIT mixes the sources, with \d+(?: to \d+)? references? in each\.")
def mixed_hits(rows: Rows, match: Match, asked: Asked) -> str | None:
    if rows.pairs or not all(0 < hit["refs"] < hit["items"] for hit in rows.hits):
        return None
    shares = spread(hit["refs"] for hit in rows.hits)
    return f"Every HIT mixes the sources, with {shares} reference{'' if shares == '1' else 's'} in each."


@kind(r"Each of the \d+ HITs holds texts of one source only\.")
def one_source_hits(rows: Rows, match: Match, asked: Asked) -> str | None:
    if rows.pairs or any(0 < hit["refs"] < hit["items"] for hit in rows.hits):
        return None
    return f"Each of the {len(rows.hits)} HITs holds texts of one source only."


@kind(r"\d+ of \d+ HITs mix the sources; the others hold one source only\.")
def some_mixed_hits(rows: Rows, match: Match, asked: Asked) -> str | None:
    mixed = sum(0 < hit["refs"] < hit["items"] for hit in rows.hits)
    return f"{mixed} of {len(rows.hits)} HITs mix the sources; the others hold one source only."


@kind(r"(?:Texts|Pairs) were dealt into HITs and ordered at random by seed \d+\.")
def packing_seed(rows: Rows, match: Match, asked: Asked) -> str:
    what = "Pairs" if rows.pairs else "Texts"
    return f"{what} were dealt into HITs and ordered at random by seed {rows.study['seed']}."


fixed("side_by_side", "Each question shows two texts of one context.", lambda rows: rows.pairs)


@kind(r"Each task also (?:held|holds) .+?\.(?= |$)")
def extras(rows: Rows, match: Match, asked: Asked) -> str | None:
    parts = []
    worked = [hit for hit in rows.hits if hit["work"]] or rows.hits
    for name, one, many in (
        ("checks", "attention check", "attention checks"),
        ("repeats", "repeated text", "repeated texts"),
    ):
        most, least = max(hit[name] for hit in worked), min(hit[name] for hit in worked)
        if most:
            parts.append(count(most, one, many) if most == least else f"{least} to {most} {many}")
    return f"Each task also {tense(rows, 'held', 'holds')} {listed(parts)}." if parts else None


fixed(
    "arms_chosen_ahead",
    "Assignment to arms is not random: raters take tasks, and with them their arm, from a list that shows the pay.",
    lambda rows: len(rows.arms) > 1 and rows.study["arm_assignment"] == "chosen" and not rows.answers,
)
fixed(
    "arms_chosen",
    CHOSEN,
    lambda rows: len(rows.arms) > 1 and bool(rows.answers) and rows.study["arm_assignment"] == "chosen",
)


# --- raters ---


def provider(rows: Rows) -> str:
    if "channel" in rows.stated:
        return rows.stated["channel"]
    if rows.study["mode"] == "rehearsal":
        return "rehearsal crowd (simulated raters)"
    ways: dict[str, None] = {}
    for way in sorted(rows.ways, key=lambda way: (way["kind"], way["pays"])):
        ways.setdefault(WAYS[way["kind"]])
    named = ", ".join(MARKETS.get(name, name) for name in rows.providers)
    return f"{named} ({', '.join(ways)})" if named and ways else named or ", ".join(ways)


def people(rows: Rows) -> int:
    return len({row["rater"] for row in rows.submissions})


def of_them(rows: Rows) -> str:
    """How many of those who submitted are in the analysis, where not all are; "" without any answer."""
    kept = len({answer.rater for answer in rows.used})
    return f" ({kept or 'none'} of them in the analysis)" if rows.answers and kept != people(rows) else ""


@kind(r"\d+ (?:simulated raters?|person|people) took part(?: through [^.]+)?\.")
def raters(rows: Rows, match: Match, asked: Asked) -> str:
    words = ("simulated rater", "") if rows.study["mode"] == "rehearsal" else ("person", "people")
    simulated = rows.study["mode"] == "rehearsal"
    through = f" through {where}" if (where := provider(rows)) and not simulated else ""
    return f"{count(people(rows), *words)} took part{through}."


@kind(r"Ratings were collected (?:on|from) [^.]+\.")
def dates(rows: Rows, match: Match, asked: Asked) -> str:
    times = sorted(moment(row["submitted_at"]) for row in rows.submissions)
    first, last = day(times[0]), day(times[-1])
    return f"Ratings were collected {f'on {first}' if first == last else f'from {first} to {last}'}."


def per_text(rows: Rows) -> str:
    return spread(rows.ratings_of_texts().values())


@kind(r"Each (?:judged )?(?:text|pair) received \d+(?: to \d+)? (?:ratings?|judgments?)(?: on each of \d+ criteria)?\.")
def ratings_per_text(rows: Rows, match: Match, asked: Asked) -> str:
    what = "pair" if rows.pairs else "text"
    some = "judged " if judged(rows) < len(rows.texts) else ""
    criteria = len({answer.criterion for answer in rows.answers})
    each = f" on each of {criteria} criteria" if criteria > 1 else ""
    number = per_text(rows)
    unit = "judgment" if rows.pairs or nominal(rows) else "rating"
    return f"Each {some}{what} received {number} {unit}{'' if number == '1' else 's'}{each}."


@kind(r"Consent: .+?\.(?= |$)")
def consent(rows: Rows, match: Match, asked: Asked) -> str | None:
    if "consent" in rows.stated:
        return f"Consent: {rows.stated['consent']}."
    if rows.words["consent"]:
        return "Consent: Asked on the first page of every task, before anything else."
    if rows.ways and all(way["consent"] for way in rows.ways):
        return "Consent: Asked by the marketplace or the invitation, before the first task."
    return None


@kind(r"Ethics: .+?\.(?= |$)")
def ethics(rows: Rows, match: Match, asked: Asked) -> str | None:
    return f"Ethics: {rows.stated['ethics']}." if "ethics" in rows.stated else None


# --- money ---


def rewards(rows: Rows) -> str:
    currency, base = rows.study["currency"], rows.study["reward_cents"]
    arms: dict[int, list[str]] = {}
    for arm in rows.arms:
        arms.setdefault(base if arm["reward_cents"] is None else arm["reward_cents"], []).append(arm["training"])
    if len(arms) == 1:
        return money(next(iter(arms)), currency)
    return listed([f"{money(cents, currency)} ({', '.join(names)})" for cents, names in sorted(arms.items())])


def by_amount(rows: Rows) -> bool:
    return not rows.ways or any(
        way["pays"] == "ledger" or (way["pays"] == "elsewhere" and not way["pay_words"]) for way in rows.ways
    )


def whose(rows: Rows) -> str:
    """Whom the reward is of where some are paid otherwise; those of links without words are paid as far as is known."""
    kinds = {way["pays"] if way["pays"] != "elsewhere" or way["pay_words"] == "" else "words" for way in rows.ways}
    were = "were" if rows.submissions else "are"
    named = {
        "ledger": f"raters to whom rewards {were} credited",
        "elsewhere": f"raters whose pay {'was' if rows.submissions else 'is'} arranged outside the marketplace",
    }
    of_amount = dict.fromkeys(way["pays"] for way in rows.ways if way["pays"] in named and not way["pay_words"])
    is_of_all = kinds <= named.keys() or rows.study["mode"] == "rehearsal" or "payment" in rows.stated
    return "" if is_of_all else f" for {' or '.join(named[pays] for pays in of_amount)}"


@kind(
    r"The reward was .+? per assignment(?: for raters .+?)?(?:; the median assignment took .+?)?"
    r"(?:, [\d.]+ [A-Z]{3} per hour(?: for them)?)?\.(?= |$)"
)
def reward(rows: Rows, match: Match, asked: Asked) -> str | None:
    if not by_amount(rows) or not rows.submissions:
        return None
    text = f"The reward was {rewards(rows)} per assignment{whose(rows)}"
    paid = {row["reward"] for row in rows.submissions}
    if rows.seconds:
        text += f"; the median assignment took {clock(middle(rows.seconds))}"
    if rows.seconds and "(" not in rewards(rows):
        wage = Fraction(paid.pop()) * 3600 / Fraction(middle(rows.seconds))
        text += f", {money(int(wage + Fraction(1, 2)), rows.study['currency'])} per hour{' for them' if whose(rows) else ''}"
    return f"{text}."


@kind(r"The reward is .+? per assignment(?: for raters .+?)?\.(?= |$)")
def offered(rows: Rows, match: Match, asked: Asked) -> str | None:
    """Before anybody worked."""
    if rows.submissions or not by_amount(rows):
        return None
    return f"The reward is {rewards(rows)} per assignment{whose(rows)}."


fixed(
    "play_money",
    "Raters were simulated; their rewards were play money.",
    lambda rows: rows.study["mode"] == "rehearsal" and bool(rows.submissions),
)


def way_words(way: dict[str, str]) -> str:
    if way["pays"] == "volunteer":
        return VOLUNTEERS
    if way["pays"] == "ledger":
        return "Rewards were credited by the marketplace when work was approved."
    words = {"voucher": "Raters were paid by voucher", "credit": "Raters were given course credit"}
    words_of_way = words.get(way["pays"], "Pay was arranged outside the marketplace")
    return f"{words_of_way}{' (' + way['pay_words'] + ')' if way['pay_words'] else ''}."


@kind(
    r"(?:(?:By a link|By personal links|Colleagues|Registered accounts): )?"
    r"(?:Rewards were credited by the marketplace when work was approved|Raters were paid by voucher|"
    r"Raters were given course credit|Pay was arranged outside the marketplace|"
    r"Raters were volunteers and were paid nothing)(?: \(.+?\))?\."
)
def ways_of_paying(rows: Rows, match: Match, asked: Asked) -> str | None:
    if rows.study["mode"] == "rehearsal" or not rows.submissions:
        return None
    several = len({way_words(way) for way in rows.ways}) > 1
    said = {f"{WAYS[way['kind']].capitalize()}: {way_words(way)}" if several else way_words(way) for way in rows.ways}
    return match[0] if match[0] in said else " / ".join(sorted(said))


# --- quality ---


@kind(r"Workers (?:needed|need|were located|are located)[^.]*\.")
def recruitment(rows: Rows, match: Match, asked: Asked) -> str | None:
    study = rows.study
    percent, hits = study["minimum_percent_approved"], study["minimum_approved_hits"]
    clauses = []
    need, were = ("needed", "were") if rows.submissions else ("need", "are")
    if percent and hits:
        clauses.append(f"{need} an approval rate above {percent}% over more than {hits} tasks")
    elif percent:
        clauses.append(f"{need} an approval rate above {percent}%")
    elif hits:
        clauses.append(f"{need} more than {hits} approved tasks")
    if study["country"]:
        clauses.append(f"{were} located in {the(study['country'])}")
    return f"Workers {' and '.join(clauses)}." if clauses and not study["channel_tag"] else None


def the(country: str) -> str:
    return {"US": "the US", "GB": "the UK"}.get(country, country)


def left_out(rows: Rows) -> int:
    return sum(row["used"] == "exclude" for row in rows.submissions)


def recruited(rows: Rows) -> bool:
    study = rows.study
    asks = study["minimum_percent_approved"] or study["minimum_approved_hits"] or study["country"]
    return bool(asks) and not study["channel_tag"]


def nothing_left_out(rows: Rows) -> bool:
    return bool(rows.submissions) and not left_out(rows) and not rows.rules and not withdrawn(rows)


def withdrawn(rows: Rows) -> int:
    return sum(row["raw_format"] == "withdrawn" for row in rows.submissions)


fixed(
    "none_excluded_beyond",
    "Beyond the recruitment criteria, no rater, assignment or item was excluded.",
    lambda rows: nothing_left_out(rows) and recruited(rows),
)
fixed(
    "none_excluded",
    "No rater, assignment or item was excluded.",
    lambda rows: nothing_left_out(rows) and not recruited(rows),
)
fixed(
    "none_excluded_of_the_rest",
    "No other submission was excluded.",
    lambda rows: not left_out(rows) and not rows.rules and withdrawn(rows) > 0,
)


@kind(
    r"\d+ of \d+ submissions (?:was|were) withdrawn by (?:its worker|their workers), so that (?:its|their) answers are not in the analysis\."
)
def withdrawn_in_methods(rows: Rows, match: Match, asked: Asked) -> str | None:
    gone = withdrawn(rows)
    if not gone:
        return None
    verb, whose, its = ("was", "its worker", "its") if gone == 1 else ("were", "their workers", "their")
    return f"{gone} of {len(rows.submissions)} submissions {verb} withdrawn by {whose}, so that {its} answers are not in the analysis."


@kind(
    r"Of \d+ submissions?, \d+ \([\d.]+%\) (?:was|were) excluded(?: \(\d+ by a reviewer's decision on the single submission"
    r"(?:, \d+ of these after results were seen)?\))?\.(?: \d+ that a rule excludes (?:was|were) included by a reviewer's "
    r"decision\.)?"
)
def exclusions(rows: Rows, match: Match, asked: Asked) -> str | None:
    total, out = len(rows.submissions), left_out(rows)
    single = [row for row in rows.submissions if row["used"] == "exclude" and row["rules"] is None]
    seen = rows.first_look
    late = [row for row in single if seen is not None and moment(row["used_at"]) >= seen]
    after = f", {len(late)} of these after results were seen" if late else ""
    hand = f" ({len(single)} by a reviewer's decision on the single submission{after})" if single else ""
    verb = "was" if out == 1 else "were"
    back = sum(row["used"] == "include" for row in rows.submissions)
    included = f" {back} that a rule excludes {was(back)} included by a reviewer's decision." if back else ""
    return f"Of {total} submissions, {out} ({decimal(100 * out / total, 1)}%) {verb} excluded{hand}.{included}"


@kind(r"\d+ raters? correlated below 0?\.\d+ with the rest\.")
def rule_disagreement(rows: Rows, match: Match, asked: Asked) -> str | None:
    if not any(rule[0] == "disagreement" for rule in rules_in_force(rows)):
        return None
    raters = rows.flagged("disagreement", 10, lambda value: value < 0.1)
    return f"{count(raters, 'rater')} correlated below 0.1 with the rest."


@kind(r"\d+ raters? whose mean rating lay more than [\d.]+ sd from the raters' mean (?:was|were) excluded\.")
def rule_outlying_mean(rows: Rows, match: Match, asked: Asked) -> str | None:
    if not any(rule[0] == "outlying_mean" for rule in rules_in_force(rows)):
        return None
    raters = rows.flagged("outlying_mean", 5, lambda value: value > 3)
    verb = "was" if raters == 1 else "were"
    return f"{count(raters, 'rater')} whose mean rating lay more than 3 sd from the raters' mean {verb} excluded."


def rules_in_force(rows: Rows) -> list[list[str]]:
    import json

    stored = rows.rules[-1]["rules"] if rows.rules else []
    return list(json.loads(stored) if isinstance(stored, str) else stored)


@kind(r"These rules \(version \d+\) were (?:fixed|locked) (?:before|after) results were seen\.")
def rules_locked(rows: Rows, match: Match, asked: Asked) -> str | None:
    if not rows.rules:
        return None
    when = "before" if rows.rules[-1]["blind"] else "after"
    return f"These rules (version {rows.rules[-1]['number']}) were fixed {when} results were seen."


@kind(
    r"Exclusion rates by (?:source|condition) were .+?(?:; permutation test over assignments, p [<=] \.\d+)?\.(?= |$)"
)
def exclusion_rates(rows: Rows, match: Match, asked: Asked) -> str:
    source = match[0].startswith("Exclusion rates by source")
    total: Counter[str] = Counter()
    gone: Counter[str] = Counter()
    for (_, text), answer in {(answer.submission, answer.text): answer for answer in rows.answers}.items():
        group = ("model" if rows.sides[text] else "reference") if source else answer.arm
        total[group] += 1
        gone[group] += answer.excluded
    shown = "pairs shown" if rows.pairs else "texts shown"
    if source and rows.pairs:
        return ""
    order = ("reference", "model") if source else tuple(sorted(arm["training"] for arm in rows.arms))
    shares = ", ".join(
        f"{group} {decimal(100 * gone[group] / total[group], 1)}% of {total[group]} {shown}"
        for group in order
        if total[group]
    )
    p = shuffled_p(rows, order, source)
    end = "." if p is None else f"; permutation test over assignments, p {said_p(p)}."
    return f"Exclusion rates by {'source' if source else 'condition'} were {shares}{end}"


def shuffled_p(rows: Rows, groups: tuple[str, ...], source: bool) -> float | None:
    """Of each submission, how many texts of each group it shows, and whether it is excluded."""
    shown_by: dict[int, Counter[str]] = {}
    gone: dict[int, bool] = {}
    for (submission, text), answer in {(answer.submission, answer.text): answer for answer in rows.answers}.items():
        group = ("model" if rows.sides[text] else "reference") if source else answer.arm
        shown_by.setdefault(submission, Counter())[group] += 1
        gone[submission] = answer.excluded
    return exclusion_p(groups, [[held[group] for group in groups] for held in shown_by.values()], list(gone.values()))


@kind(r"\d+ of \d+ items (?:has|have) fewer than \d+ ratings\.")
def thin_items(rows: Rows, match: Match, asked: Asked) -> str:
    kept = Counter(answer.text for answer in rows.used)
    thin = sum(kept[text] < FEWEST for text in rows.texts)
    return f"{thin} of {len(rows.texts)} items {has(thin)} fewer than {FEWEST} ratings."


@kind(r"\d+ of \d+ contexts (?:has|have) no text with \d+ ratings on one side\.")
def broken_contexts(rows: Rows, match: Match, asked: Asked) -> str:
    kept = Counter(answer.text for answer in rows.used)
    sides: dict[int, set[str]] = {}
    left: dict[int, set[str]] = {}
    for key, text in rows.texts.items():
        if text["context_id"] is not None:
            sides.setdefault(text["context_id"], set()).add(text["source"])
            if kept[key] >= FEWEST:
                left.setdefault(text["context_id"], set()).add(text["source"])
    both = [context for context, held in sides.items() if len(held) > 1]
    broken = sum(len(left.get(context, ())) < 2 for context in both)
    return f"{broken} of {len(both)} contexts {has(broken)} no text with {FEWEST} ratings on one side."


def payments(rows: Rows) -> tuple[int, int, int]:
    refused = sum(row["paid"] == "reject" for row in rows.submissions)
    open_ = sum(row["paid"] is None for row in rows.submissions)
    return len(rows.submissions), refused, open_


def paid_for(rows: Rows) -> bool:
    ways = {way["pays"] for way in rows.ways}
    owed = sum(row["reward"] for row in rows.submissions)
    return (
        rows.study["mode"] == "live"
        and not ways - {"ledger"}
        and owed > 0
        and owed <= rows.spent["reward"]
        and payments(rows)[1:] == (0, 0)
    )


fixed("all_paid", "All submitted work was paid.", lambda rows: payments(rows)[1:] == (0, 0) and paid_for(rows))
fixed(
    "all_approved", "All submitted work was approved.", lambda rows: payments(rows)[1:] == (0, 0) and not paid_for(rows)
)


@kind(
    r"\d+ of \d+ submissions (?:was|were) rejected \(not paid\), (?:each by two reviewers|\d+ of them on the marketplace)\."
)
def rejections(rows: Rows, match: Match, asked: Asked) -> str:
    total, refused, _ = payments(rows)
    # The rows of these studies hold no review by two people.
    return f"{refused} of {total} submissions {was(refused)} rejected (not paid), {refused} of them on the marketplace."


@kind(r"No decision on payment is recorded for \d+ of \d+ submissions?\.")
def undecided(rows: Rows, match: Match, asked: Asked) -> str:
    total, _, open_ = payments(rows)
    return f"No decision on payment is recorded for {open_} of {total} submissions."


@kind(
    r"(?:All conclusions on|Conclusions on|No rule|Every other|No interval is) .+?\."
    r"(?= [A-Z]|$| \S+ is [a-z ]+ without exclusions;)"
)
def conclusions(rows: Rows, match: Match, asked: Asked) -> str | None:
    """Where rules were measured: what the intervals of the page's own tables say under each selection of rules."""
    if not rows.measured or asked.page is None:
        return None
    tables = asked.page.tables()
    captions = [re.match(r"(HUSE-Q|HUSE|Accuracy) by rules of exclusion", caption) for caption in tables]
    measures = " and ".join(dict.fromkeys(each[1].replace("A", "a") for each in captions if each))
    if match[0].startswith("No interval is defined"):
        shares = table_of(tables, "Share of the selections")
        return None if any("[" in cell for row in shares for cell in row) else NO_INTERVAL
    if "without exclusions" in match[0]:
        pairs = [
            (row, other)
            for row, other in pairwise(table_of(tables, "HUSE with and without the exclusions"))
            if row[0] == other[0]
        ]
        other = [
            f"{row[0]} ({concluded(row[2])}; without exclusions {concluded(without[2])})"
            for row, without in pairs
            if concluded(row[2]) != concluded(without[2])
        ]
        if other:
            return f"Conclusions on {measures} change without exclusions: {'; '.join(other)}."
        return f"All conclusions on {measures} hold without exclusions."
    selections = [row for row in table_of(tables, "Share of the selections") if row[0] != "Generator"]
    if any(row[6] != "0" for row in selections):
        return None
    return (
        f"Conclusions on {measures} are the same under every one of {selections[0][7]} selections of rules."
        if selections
        else None
    )


NO_INTERVAL = "No interval is defined with or without rules, so that nothing is concluded of all judgments."


def table_of(tables: dict[str, list[list[str]]], beginning: str) -> list[list[str]]:
    return next((rows for caption, rows in tables.items() if caption.startswith(beginning)), [])


def concluded(cell: str) -> str:
    """What an interval of HUSE says."""
    limits = re.search(rf"\[({NUMBER}), ({NUMBER})\]", cell)
    if limits is None:
        return "without a conclusion"
    low, high = (float(end.replace("−", "-")) for end in limits.groups())
    if high < 1:
        return "different from the references"
    return "erring more often than guessing" if low > 1 else "not shown to differ from the references"


def differs(cell: str) -> bool:
    """Whether an interval of HUSE lies below 1."""
    limits = re.search(rf"\[{NUMBER}, ({NUMBER})\]", cell)
    return limits is not None and float(limits[1].replace("−", "-")) < 1


@kind(
    r"(?:Not shown to differ from|Differs? from|Differing from|Different from|Not shown to do better|Better than|Worse than)[^.]*\."
)
def conclusions_by_name(rows: Rows, match: Match, asked: Asked) -> str | None:
    if not rows.measured or asked.page is None:
        return None
    names = [
        (row[0], differs(row[2]))
        for row in table_of(asked.page.tables(), "Share of the selections")
        if row[0] != "Generator"
    ]
    below = match[0].startswith("Different from")
    mine = [name for name, is_below in names if is_below is below]
    return f"{'Different from' if below else 'Not shown to differ from'} the references: {', '.join(mine)}."


@kind(r"One source has too few texts to conclude anything of [^.]+\.")
def conclusions_too_few(rows: Rows, match: Match, asked: Asked) -> str | None:
    """Of all judgments, excluded ones too: one side has at most k texts, and the other more."""
    few = []
    for name in dict.fromkeys(side for side in rows.sides.values() if side):
        references, models = (sum(side == each for side in rows.sides.values()) for each in ("", name))
        few += [name] if references != models and min(references, models) <= asked.k else []
    return f"One source has too few texts to conclude anything of {', '.join(few)}." if rows.measured and few else None


# --- analysis ---


@kind(
    r"HUSE, HUSE-Q and HUSE-D \(Hashimoto et al\., 2019\) were computed by leave-one-out \d+-nearest-neighbour "
    r"classification with ties by exact arithmetic and equal votes to the reference; log-probabilities were divided by "
    rf"the length\. Intervals are at {NUMBER}%, by [^.]+\."
)
def analysis_huse(rows: Rows, match: Match, asked: Asked) -> str | None:
    if rows.study["task"] != "typicality":
        return None
    names = [name for name in dict.fromkeys(rows.sides.values()) if name and items_of(rows, name) > asked.k]
    named = {
        "half-samples of texts and of raters" if other_raters(rows, name) else "half-samples of contexts": None
        for name in names
        if has_interval(rows, name, asked.k)
    }
    none = "; no feature varies, so that there is no interval here"
    flat = all(nothing_varies(rows, name) for name in names)
    by = f"half-samples of contexts{none if flat else ', of which there are too few here'}"
    by = by if flat else " or ".join(named) or by
    return (
        f"HUSE, HUSE-Q and HUSE-D (Hashimoto et al., 2019) were computed by leave-one-out {asked.k}-nearest-neighbour "
        "classification with ties by exact arithmetic and equal votes to the reference; log-probabilities were divided "
        f"by the length. Intervals are at {100 * asked.level:g}%, by {by}."
    )


CHOSEN_OR_NOT = "nominal, each text as chosen or not"


@kind(rf"Krippendorff's α was .+? \((?:ordinal|nominal|{CHOSEN_OR_NOT})\)\.(?= |$)")
def agreement(rows: Rows, match: Match, asked: Asked) -> str:
    """Each value counted anew, at the level of measurement of its criterion; limits lie where other draws lay them."""
    criteria = [criterion["name"] for criterion in rows.words["criteria"]]
    named = {name: "nominal" if is_nominal(rows, name) else "ordinal" for name in criteria}
    if rows.study["task"] == "which_machine":
        named = dict.fromkeys(criteria, CHOSEN_OR_NOT)
    parts = re.findall(rf"{NUMBER}( \[{NUMBER}, {NUMBER}\])?(?: for ([^;(]+?))?(?=;| \()", match[0])
    in_words = {name.replace("_", " "): name for name in criteria}
    stated = [in_words.get(words, words) or criteria[0] for _, words in parts]
    mixed = len({named.get(name) for name in stated}) > 1
    said = []
    for (ends, _), name in zip(parts, stated, strict=True):
        ordinal = named.get(name) == "ordinal"
        alpha = rows.alpha(name, ordinal=ordinal)
        shown_alpha = "none" if alpha is None else decimal(alpha)
        answers = [answer for answer in rows.used if answer.criterion == name]
        ranges = alpha_ranges_over_items if name == "human_or_machine" else alpha_ranges
        span = held(ends, ranges(answers, asked.level, ordinal=ordinal))
        if span and ranges is alpha_ranges and alpha is not None and not are_alike_on_log_scale(alpha, *two(ends)):
            span = " [limits that belong together]"
        of_criterion = f" for {name.replace('_', ' ')}" if len(parts) > 1 else ""
        said.append(f"{shown_alpha}{span}{of_criterion}{f' ({named.get(name)})' if mixed else ''}")
    end = "" if mixed else f" ({named.get(stated[0])})"
    return f"Krippendorff's α was {'; '.join(said)}{end}."


@kind(r"Intervals of HUSE are for the .+?\.(?= [A-Z]|$)")
def interval_targets(rows: Rows, match: Match, asked: Asked) -> str | None:
    """The rule of the half-samples, with other raters where these differ by source."""
    if rows.study["task"] != "typicality":
        return None
    names = [name for name in dict.fromkeys(rows.sides.values()) if name and has_interval(rows, name, asked.k)]
    targets = dict.fromkeys(f"{HUSE_TARGET}{' and other raters' if other_raters(rows, name) else ''}" for name in names)
    return f"Intervals of HUSE are for the {'; or the '.join(targets)}."


HUSE_TARGET = "expectation of the estimator at this number of texts and ratings, over new texts"


@kind(
    rf"(?:Ratings were averaged by text; (?:means of sources have {NUMBER}% intervals over new (?P<means>texts|contexts) "
    r"and new raters, not cut at the ends of the scale; )?differences are paired by context where contexts are recorded|"
    rf"Shares of labels have {NUMBER}% intervals over new (?P<shares>texts|contexts) and new raters|"
    rf"How often a text of each source was chosen has {NUMBER}% intervals over new contexts and new raters|"
    rf"Preferences count ties as half(?: and have {NUMBER}% intervals over new (?P<pairs>pairs of texts|contexts) and new "
    r"raters)?)\."
)
def intervals(rows: Rows, match: Match, asked: Asked) -> str | None:
    rated = rows.study["task"] in ("likert", "direct_assessment", "document_rating")
    rated = rated or (rows.study["task"] == "error_labels" and not nominal(rows))
    labels = rows.study["task"] in ("likert", "error_labels", "document_rating")
    fits = {"R": rated, "S": labels, "P": rows.pairs, "H": rows.study["task"] == "which_machine"}
    units = next((drawn for drawn in match.groupdict().values() if drawn), None)
    if units and (units == "contexts") != rows.has_contexts:
        return None
    return re.sub(rf"{NUMBER}%", f"{100 * asked.level:g}%", match[0]) if fits[match[0][0]] else None


@kind(r"Planned, as the researchers state: .+?; deviations: .+?\.(?= The plan| Raters|$)")
def stated_plan(rows: Rows, match: Match, asked: Asked) -> str | None:
    """These studies are not published, so that no log has their plan from before the data."""
    stated = rows.stated
    if "plan" not in stated or rows.logged or "registered" in stated:
        return None
    deviations = stated.get("deviations", "").rstrip(".") or "not stated"
    return f"Planned, as the researchers state: {stated['plan'].rstrip('.')}; deviations: {deviations}."


@kind(r"The appendix lists \d+ more warnings?\.")
def more_warnings(rows: Rows, match: Match, asked: Asked) -> str | None:
    """Those of the page's warnings that are not among its limits."""
    if asked.page is None:
        return None
    shown = list(asked.page.shown())
    limits = {one.text for one in shown if one.place == "limit"}
    more = [one for one in shown if one.place == "warning" and one.text not in limits]
    return f"The appendix lists {count(len(more), 'more warning')}." if more else None


@kind(
    r"The unit of accuracy is the evaluator: .+? reading the two upper labels as machine\. (?:Means have "
    rf"{NUMBER}% intervals|With one evaluator) .+? \(Clark et al\., 2021\)\."
)
def analysis_accuracy(rows: Rows, match: Match, asked: Asked) -> str | None:
    if rows.study["task"] != "human_or_machine":
        return None
    people = {(answer.arm, answer.rater) for answer in rows.used}
    of_arms = Counter(arm for arm, _ in people)
    compared = "; conditions are compared by Welch's t-tests" if sum(n > 1 for n in of_arms.values()) > 1 else ""
    tests = (
        f"Means have {100 * asked.level:g}% intervals over evaluators and two-sided t-tests against 50%, adjusted "
        f"within their family{compared}"
    )
    if len({rater for _, rater in people}) == 1:
        tests = "With one evaluator there is no interval and no test"
    return (
        "The unit of accuracy is the evaluator: each has a share of right answers, reading the two upper labels as "
        f"machine. {tests} (Clark et al., 2021)."
    )


# --- summary ---


@kind(
    r"(?:\d+ generators? against \d+ references?|\d+ model texts?(?: and \d+ references?)?), (?:judged by \d+ raters?(?: \((?:none|\d+) of them in the analysis\))?|not judged yet)(?:, asked: “.+”|; raters are asked: “.+”)"
)
def lead(rows: Rows, match: Match, asked: Asked) -> str:
    sides = Counter(rows.sides.values())
    references = sides.pop("", 0)
    rated = rows.hj()
    if any(items_of(rows, name) > asked.k for name in sides):
        shown = sum(1 for key, side in rows.sides.items() if not side and key in rated)
        what = f"{count(len(sides), 'generator')} against {count(shown, 'reference')}"
    else:
        what = count(sum(sides.values()), "model text")
        what += f" and {count(references, 'reference')}" if references else ""
    by = f"judged by {count(people(rows), 'rater')}{of_them(rows)}" if rows.submissions else "not judged yet"
    return f"{what}, {by}{tense(rows, ', asked', '; raters are asked')}: “{rows.question()}”"


def items_of(rows: Rows, generator: str) -> int:
    """Rated texts of a generator and of the references."""
    return sum(rows.sides[key] in ("", generator) for key in rows.hj())


@kind(
    r"(?P<name>\S+): no HUSE can be computed\. HUSE with k=\d+ needs at least \d+ items, and there are \d+; choose an odd "
    r"k of at most \d+ or rate more texts\."
)
def too_few_items(rows: Rows, match: Match, asked: Asked) -> str | None:
    number = items_of(rows, match["name"])
    odd = number - 1 if number % 2 == 0 else number - 2
    return (
        f"{match['name']}: no HUSE can be computed. HUSE with k={asked.k} needs at least {asked.k + 1} items, and there "
        f"are {number}; choose an odd k of at most {odd} or rate more texts."
    )


@kind(
    r"(?P<name>\S+): no HUSE can be computed\. HUSE compares two sources, and all \d+ items are (?:model|reference): no "
    r"(?:model|reference) item\."
)
def one_side_left(rows: Rows, match: Match, asked: Asked) -> str | None:
    sides = {rows.sides[key] for key in rows.hj()} & {"", match["name"]}
    if len(sides) > 1 or match["name"] not in rows.sides.values():
        return None
    left, gone = ("reference", "model") if sides == {""} else ("model", "reference")
    return (
        f"{match['name']}: no HUSE can be computed. HUSE compares two sources, and all {items_of(rows, match['name'])} "
        f"items are {left}: no {gone} item."
    )


# Of what was judged: better, worse, and the unit of the difference.
ANSWERS = {
    "rating": ("is better than", "is worse than", "points"),
    "human_or_machine": (
        "is taken for human more often than",
        "is taken for human less often than",
        "percentage points of texts taken for human",
    ),
    "preference": ("is preferred to", "is preferred less often than", "in log odds"),
}
# Of severity, whose highest label is the worst.
SEVERE = ("is rated higher than", "is rated lower than")
BETWEEN = r"Undecided between .+? and |.+? (?:is (?:better|worse|taken|preferred|rated)[a-z ]*? (?:than|to)) "


def words_of(compared: Comparison) -> tuple[str, str]:
    """Better than and worse than."""
    return SEVERE if compared.on == " on severity" else ANSWERS[compared.kind][:2]


UNDECLARED = "No setting declared before the data names a comparison of sources or its margin"
DECLARED = (
    rf"(?:{UNDECLARED}; compared by default: [^.]+?|"
    r"Declared by the plan of [^.]+?)\."
)


def declared(rows: Rows, compared: Comparison) -> str:
    """What was declared of the comparison before the data, and how it was chosen where it was not."""
    plan = rows.declared
    if not plan or rows.logged is None:
        return f"{UNDECLARED}; compared by default: {compared.chosen}."
    raters = {"new": ", new raters", "these": ", these raters"}.get(plan.get("raters", ""), "")
    what = ["the margin"] if "margin" in plan else []
    if "first" in plan:
        what = [f"comparison {'and margin' if what else 'without a margin'}"]
    chosen = "" if "first" in plan else f"; compared by default: {compared.chosen}"
    named = f"{what[0]}{raters}" if what else raters.removeprefix(", ")
    return f"Declared by the plan of {day(rows.logged[0])}: {named}{chosen}."


@kind(
    rf"(?P<head>{BETWEEN})[^:]+?: (?P<value>{NUMBER}) \[(?P<low>{NUMBER}), (?P<high>{NUMBER})\] [^,]+?, p (?P<p>[<=] \.\d+); [^.]+?\. "
    rf"The \d+% interval is for new [^.]+?\. {DECLARED}"
)
def answer(rows: Rows, match: Match, asked: Asked) -> str | None:
    """Which is better, by the interval over new contexts and new raters."""
    compared = compare(rows, asked.level)
    if compared.limits is None:
        return None
    better, worse = words_of(compared)
    unit = ANSWERS[compared.kind][2]
    low, high, p = compared.limits
    if low > 0 or high < 0:
        head = f"{compared.first} {better if low > 0 else worse} {compared.second}"
    else:
        head = f"Undecided between {compared.first} and {compared.second}"
    scale, digits = (100, 1) if compared.kind == "human_or_machine" else (1, 2)
    value, lower, upper = (
        shown(scale * number, match[name], digits)
        for number, name in ((compared.value, "value"), (low, "low"), (high, "high"))
    )
    said = said_p(p, match["p"])
    each = f"new {compared.unit}s and new raters"
    return (
        f"{head}{compared.on}: {value} [{lower}, {upper}] {unit}, p {said}; {count(compared.items, compared.unit)}, "
        f"{count(compared.raters, 'rater')}. The {100 * asked.level:g}% interval is for {each}. "
        f"{declared(rows, compared)}"
    )


@kind(
    rf"(?:(?P<first>\S+) and (?P<second>.+?) are equivalent .*?within|{BETWEEN}.+? \(p (?P<p>[<=] \.\d+)\), but by less than) "
    rf"the margin of [\d.]+ points: (?P<value>{NUMBER}) "
    rf"\[(?P<low>{NUMBER}), (?P<high>{NUMBER})\] points; .+?\. The \d+% interval is for new [^.]+?\. {DECLARED}"
)
def answer_equivalent(rows: Rows, match: Match, asked: Asked) -> str | None:
    """The interval at 1 - 2 alpha lies inside the declared margin."""
    level = 1 - 2 * (1 - asked.level)
    compared, margin = compare(rows, level), rows.declared.get("margin")
    if margin is None or compared.limits is None or compared.kind != "rating":
        return None
    low, high, p = compared.limits
    if not -margin < low <= high < margin:
        return None
    value, lower, upper = (
        shown(number, match[name]) for number, name in ((compared.value, "value"), (low, "low"), (high, "high"))
    )
    head = f"{compared.first} and {compared.second} are equivalent{compared.on} within"
    if p <= 1 - asked.level:
        words = words_of(compared)[compared.value < 0]
        tested = f"(p {said_p(p, match['p'] or '')})"
        head = f"{compared.first} {words} {compared.second}{compared.on} {tested}, but by less than"
    return (
        f"{head} the margin of {margin:g} points: "
        f"{value} [{lower}, {upper}] points; {count(compared.items, compared.unit)}, {count(compared.raters, 'rater')}. "
        f"The {100 * level:g}% interval is for new {compared.unit}s and new raters. {declared(rows, compared)}"
    )


@kind(
    rf"(?P<first>\S+) and (?P<second>.+?) are not comparable.*?: no context has ratings of both .+? and .+?\. {DECLARED}"
)
def answer_not_comparable(rows: Rows, match: Match, asked: Asked) -> str | None:
    compared = compare(rows)
    if compared.items or compared.kind == "preference":
        return None
    reason = f"no context has ratings of both {compared.first} and {compared.second.removeprefix('the ')}"
    return (
        f"{compared.first} and {compared.second} are not comparable{compared.on}: {reason}. {declared(rows, compared)}"
    )


@kind(rf"Not tested whether .+? and at least \d+ are needed\. {DECLARED}")
def answer_too_small(rows: Rows, match: Match, asked: Asked) -> str | None:
    compared = compare(rows)
    unit = ("context or text", "contexts or texts") if compared.unit == "text" else ("context", "contexts")
    few = [
        count(n, *unit) for n, unit in ((compared.items, unit), (compared.raters, ("rater", "raters"))) if n < FEWEST
    ]
    if not few or not compared.items:
        return None
    better = words_of(compared)[0]
    return (
        f"Not tested whether {compared.first} {better} {compared.second}{compared.on}: {' and '.join(few)}, and at "
        f"least {FEWEST} are needed. {declared(rows, compared)}"
    )


@kind(rf"Not tested whether .+?: the ratings do not vary\. {DECLARED}")
def answer_without_variation(rows: Rows, match: Match, asked: Asked) -> str | None:
    compared = compare(rows)
    if compared.limits is not None or min(compared.items, compared.raters) < FEWEST:
        return None
    better = words_of(compared)[0]
    return (
        f"Not tested whether {compared.first} {better} {compared.second}{compared.on}: the ratings do not vary. "
        f"{declared(rows, compared)}"
    )


@kind(r"(?:The references|\S+) less .+? on the other criteri(?:on|a): .+?\.(?= |$)(?: The appendix has .+?\.)?")
def answer_on_others(rows: Rows, match: Match, asked: Asked) -> str | None:
    """Each further criterion, by an interval as that of the main comparison."""
    names, stated = other_criteria(rows), match[0].partition(": ")[2].split("; ")
    if not names:
        return None
    parts, unit = [], ""
    for name, said in zip(names, stated, strict=False):
        compared = compare(rows, asked.level, name)
        named = name.replace("_", " ")
        if not share_a_context(rows, [answer for answer in rows.used if answer.criterion == name], pair_of(compared)):
            parts.append(f"{named}, not comparable")
            continue
        if compared.limits is None or min(compared.items, compared.raters) < FEWEST:
            parts.append(f"{named}, not tested")
            continue
        low, high, p = compared.limits
        better, worse = (words.removesuffix(" than").removesuffix(" to") for words in words_of(compared))
        outcome = "undecided" if low <= 0 <= high else f"{compared.first} {better if low > 0 else worse}"
        margin = None if rows.declared.get("criterion") else rows.declared.get("margin")  # of that criterion alone
        narrow = compare(rows, 1 - 2 * (1 - asked.level), name).limits
        if margin is not None and narrow and -margin < narrow[0] <= narrow[1] < margin:
            outcome = f"{'equivalent' if outcome == 'undecided' else outcome} within the margin"
        numbers = re.findall(NUMBER, said.partition(f"{named} ")[2])[:3]
        value, lower, upper = (
            shown(number, at)
            for number, at in zip((compared.value, low, high), (*numbers, "x", "x", "x"), strict=False)
        )
        tested = re.search(r", p ([<=] \.\d+)", said)
        unit = compared.unit
        stated_p = "" if outcome.startswith("equivalent") else f", p {said_p(p, tested[1] if tested else '')}"
        parts.append(f"{named} {value} [{lower}, {upper}] {ANSWERS[compared.kind][2]}{stated_p}, {outcome}")
    levels = f" ({100 * asked.level:g}% intervals for new {unit}s and new raters, p not adjusted across criteria)"
    left = len(names) - len(stated)
    more = f" The appendix has {count(left, 'more criterion', 'more criteria')}."
    first = match[0].partition(" less ")[0]
    main = compare(rows, asked.level)
    return (
        f"{main.first if main.first != 'references' else first} less {main.second} on the other "
        f"{'criterion' if len(names) == 1 else 'criteria'}: {'; '.join(parts)}{levels if unit else ''}."
        f"{more if left else ''}"
    )


def pair_of(compared: Comparison) -> tuple[str, str]:
    """The sources as the rows name them."""
    return compared.first, "" if compared.second == "the references" else compared.second


@kind(
    rf"(?:HUSE detected no difference between (?P<alike>\S+) and the references|(?P<other>\S+) differs from the references"
    rf"|(?P<few>\S+)): HUSE (?P<huse>{NUMBER})(?P<span>{SPAN}) at (?P<n>\d+) texts; (?P<end>the interval (?:reaches|lies above) 1|the "
    rf"interval lies below 1|no interval is defined, so no verdict is given|.+? too few for \d+ neighbours, so no verdict "
    rf"is given)\."
)
def verdict_huse(rows: Rows, match: Match, asked: Asked) -> str | None:
    name = match["alike"] or match["other"] or match["few"]
    huse = rows.huse(name, asked.k)
    if huse is None or name not in rows.sides.values():
        return None
    span, end = span_of_huse(rows, name, asked, match["span"]), match["end"]
    ends = [float(limit.replace("−", "-")) for limit in re.findall(NUMBER, span)]
    if ends and match["few"] is None:
        below = ends[1] < 1
        head = (
            f"{name} differs from the references"
            if below
            else f"HUSE detected no difference between {name} and the references"
        )
        end = f"the interval {'lies below' if below else 'reaches' if ends[0] <= 1 else 'lies above'} 1"
    else:
        head = name
        kept = rows.hj()
        sizes = Counter(rows.sides[key] == "" for key in rows.sides if key in kept and rows.sides[key] in ("", name))
        side = "reference" if sizes[True] < sizes[False] else "model text"
        number = min(sizes[True], sizes[False])
        if "too few" in end:
            end = f"{count(number, side)} {'is' if number == 1 else 'are'} too few for {asked.k} neighbours, so no verdict is given"
    return f"{head}: HUSE {decimal(huse[0])}{span} at {huse[1]} texts; {end}."


@kind(
    rf"Evaluators (?P<how>were not shown to do better than chance|distinguished machine from human texts better than "
    rf"chance|did worse than chance|were right in): (?P<value>{NUMBER})% (?P<span>\[{NUMBER}, {NUMBER}\]) right,"
    r"(?P<held> an interval that holds 50%,)? at \d+ evaluators?(?: in \d+ conditions together)?\."
)
def verdict_accuracy(rows: Rows, match: Match, asked: Asked) -> str:
    shares = rows.accuracies()
    span = mean_share(rows.right_answers(), asked.level)
    if span is None:
        return ""
    low, high = (100 * end for end in span)
    how, inside = "were not shown to do better than chance", " an interval that holds 50%,"
    if low > 50:
        how, inside = "distinguished machine from human texts better than chance", ""
    elif high < 50:
        how, inside = "did worse than chance", ""
    mean = 100 * sum(shares) / len(shares)
    ends = limits(span, match["span"], 1, 100)
    number = len(answered_arms(rows))
    together = f" in {number} conditions together" if number > 1 else ""
    return f"Evaluators {how}: {decimal(mean, 1)}%{ends} right,{inside} at {count(len(shares), 'evaluator')}{together}."


def answered_arms(rows: Rows) -> dict[str, list[tuple[int, int]]]:
    """Right answers of each evaluator, by arm."""
    arms = {arm["training"]: rows.right_answers(arm["training"]) for arm in rows.arms}
    return {name: right for name, right in arms.items() if right}


@kind(r"Accuracy by condition: .+?evaluators?\.")
def verdict_by_condition(rows: Rows, match: Match, asked: Asked) -> str | None:
    arms = answered_arms(rows)
    names = [part.partition(" ")[0] for part in match[0].removeprefix("Accuracy by condition: ").split("; ")]
    ordered = names if sorted(names) == sorted(arms) else list(arms)
    parts = []
    for at in ordered:
        said = re.search(rf"{re.escape(at)} ({NUMBER})%(?: (\[.+?\]))?", match[0])
        mean = 100 * fmean(hits / total for hits, total in arms[at])
        ends = limits(mean_share(arms[at], asked.level), said[2] or "" if said else "", 1, 100)
        value = shown(mean, said[1] if said else "", 1)
        parts.append(f"{at} {value}%{ends}, {count(len(arms[at]), 'evaluator')}")
    return f"Accuracy by condition: {'; '.join(parts)}." if len(arms) > 1 else None


@kind(rf"Evaluators were right in {NUMBER}% of their answers on average; no interval is defined\.")
def verdict_without_interval(rows: Rows, match: Match, asked: Asked) -> str:
    shares = rows.accuracies()
    mean = 100 * sum(shares) / len(shares)
    return f"Evaluators were right in {decimal(mean, 1)}% of their answers on average; no interval is defined."


@kind(r"Empty, without a judgment that counts: .+?\.")
def empty_arms(rows: Rows, match: Match, asked: Asked) -> str:
    answered = {answer.arm for answer in rows.used}
    empty = [arm["training"] for arm in rows.arms if arm["training"] not in answered]
    return f"Empty, without a judgment that counts: {', '.join(empty)}."


fixed("unrated", "No text has been rated yet, so there are no results.", lambda rows: not rows.answers)
fixed(
    "huse_limit",
    "A HUSE whose interval lies below 1 shows a difference between the two sources. A HUSE near 1 does not prove that "
    "there is none: other features or more raters might still distinguish them.",
    lambda rows: rows.study["task"] == "typicality" and bool(rows.answers),
)
fixed(
    "chance_limit",
    "An accuracy that does not differ from 50% beyond chance does not show that the texts are indistinguishable: only "
    "an interval inside a margin that was declared before the data supports that.",
    lambda rows: rows.study["task"] == "human_or_machine" and bool(rows.answers),
)
fixed(
    "shared_references",
    "The generators share their references, so their intervals are not independent: whether two intervals overlap does "
    "not decide which generator is better.",
    lambda rows: rows.study["task"] == "typicality" and len(set(rows.sides.values()) - {""}) > 1,
)
fixed(
    "one_source_limit",
    "Since each HIT held one source, a difference between sources cannot be separated from a difference between HITs "
    "or between the workers who took them. Where the two sources were rated by different workers, the intervals include "
    "the variation between workers. The value itself still belongs to both, source and HIT.",
    lambda rows: not rows.pairs and all(hit["refs"] in (0, hit["items"]) for hit in rows.hits if hit["work"]),
)


@kind(
    r"HUSE depends on the number of ratings\. These values belong to \d+(?: to \d+)? ratings? per text and cannot be "
    r"compared with values from another number\."
)
def ratings_limit(rows: Rows, match: Match, asked: Asked) -> str:
    kept = Counter(answer.text for answer in rows.used)
    number = spread(kept.values())
    return (
        f"HUSE depends on the number of ratings. These values belong to {number} rating{'' if number == '1' else 's'} "
        "per text and cannot be compared with values from another number."
    )


# --- warnings ---


@kind(r"All \d+ assignments are in, and the study is not closed: .+? change numbers\.")
def open_and_full(rows: Rows, match: Match, asked: Asked) -> str | None:
    places = sum(hit["max_assignments"] for hit in rows.hits)
    if rows.study["status"] in ("draft", "closed") or len(rows.submissions) < places:
        return None
    return (
        f"All {places} assignments are in, and the study is not closed: further tasks, "
        "exclusions or withdrawals can still change numbers."
    )


@kind(r"The study is not over: \d+ of \d+ assignments are in\. Numbers will change, .+? say\.")
def running(rows: Rows, match: Match, asked: Asked) -> str | None:
    if rows.study["status"] in ("draft", "closed"):
        return None
    places = sum(hit["max_assignments"] for hit in rows.hits)
    if len(rows.submissions) >= places:
        return None
    return (
        f"The study is not over: {len(rows.submissions)} of {places} assignments are in. "
        "Numbers will change, and stopping because of them would bias what they say."
    )


@kind(r"\d+ of \d+ submissions (?:was|were) excluded by a reviewer after results were seen, which can bias .+? say\.")
def excluded_late(rows: Rows, match: Match, asked: Asked) -> str | None:
    single = [row for row in rows.submissions if row["used"] == "exclude" and row["rules"] is None]
    seen = rows.first_look
    late = sum(seen is not None and moment(row["used_at"]) >= seen for row in single)
    if not late:
        return None
    excluded = f"{late} of {len(rows.submissions)} submissions {was(late)} excluded by a reviewer"
    return f"{excluded} after results were seen, which can bias what the results say."


@kind(
    r"\d+ of \d+ submissions (?:was|were) rejected \(not paid\) and (?:is|are) included in the analysis\. Excluding them is a separate decision\."
)
def rejected_included(rows: Rows, match: Match, asked: Asked) -> str:
    both = sum(row["paid"] == "reject" and row["used"] != "exclude" for row in rows.submissions)
    return (
        f"{both} of {len(rows.submissions)} submissions {was(both)} rejected (not paid) and {'is' if both == 1 else 'are'} included in the analysis. "
        "Excluding them is a separate decision."
    )


@kind(
    r"\d+ of \d+ submissions (?:was|were) withdrawn by (?:its worker|their workers): the answers are erased and in no "
    r"result of this report; an earlier report may have counted them\."
)
def withdrawn_warning(rows: Rows, match: Match, asked: Asked) -> str:
    gone = [row for row in rows.submissions if row["raw_format"] == "withdrawn"]
    were = "was withdrawn by its worker" if len(gone) == 1 else "were withdrawn by their workers"
    return (
        f"{len(gone)} of {len(rows.submissions)} submissions {were}: the answers are erased and in no result of this "
        "report; an earlier report may have counted them."
    )


fixed(
    "no_ratings",
    "There are no ratings yet. The report shows what was planned and recorded so far.",
    lambda rows: not rows.answers,
)
for past in (True, False):
    fixed(
        f"simulated_{past}",
        f"Raters {'were' if past else 'are'} simulated; results do not describe people.",
        lambda rows, past=past: rows.study["mode"] == "rehearsal" and bool(rows.answers) is past,  # type: ignore[misc]
    )


@kind(r"Raters (?:were|are) located in (?:the )?\w\w only\. Results may not hold for raters elsewhere\.")
def locale(rows: Rows, match: Match, asked: Asked) -> str | None:
    if rows.study["mode"] == "rehearsal" or not rows.study["country"]:
        return None
    were = tense(rows, "were", "are")
    return f"Raters {were} located in {the(rows.study['country'])} only. Results may not hold for raters elsewhere."


@kind(r"All ratings were collected on one day \(\w+\), and results can vary by day\.")
def one_day(rows: Rows, match: Match, asked: Asked) -> str | None:
    days = {moment(row["submitted_at"]).date() for row in rows.submissions}
    return (
        f"All ratings were collected on one day ({days.pop():%A}), and results can vary by day."
        if len(days) == 1
        else None
    )


@kind(
    r"In every HIT with ratings they are of one source only \(\d+ HITs?\), so the source is confounded with the HIT and with the workers who took it\."
)
def one_source_warning(rows: Rows, match: Match, asked: Asked) -> str | None:
    worked = [hit for hit in rows.hits if hit["work"]]
    if rows.pairs or any(0 < hit["refs"] < hit["items"] for hit in worked):
        return None
    return (
        f"In every HIT with ratings they are of one source only ({count(len(worked), 'HIT')}), so the source is confounded with the HIT and "
        "with the workers who took it."
    )


@kind(r"\d+ of \d+ HITs? holds? ratings of one source only; there source and HIT are confounded\.")
def some_one_source(rows: Rows, match: Match, asked: Asked) -> str | None:
    worked = [hit for hit in rows.hits if hit["work"]]
    single = sum(hit["refs"] in (0, hit["items"]) for hit in worked)
    return f"{single} of {count(len(worked), 'HIT')} {'holds' if single == 1 else 'hold'} ratings of one source only; there source and HIT are confounded."


def huse_texts(rows: Rows) -> dict[str, int]:
    """Kept ratings of each text that HUSE uses."""
    kept = Counter(answer.text for answer in rows.used)
    return {text: kept[text] for text in rows.texts}


@kind(r"\d+ of \d+ texts? (?:has|have) no rating that counts\.")
def texts_without_ratings(rows: Rows, match: Match, asked: Asked) -> str:
    kept = huse_texts(rows)
    none = sum(not number for number in kept.values())
    return f"{none} of {count(len(kept), 'text')} {'has' if none == 1 else 'have'} no rating that counts."


@kind(r"Texts have between \d+ and \d+ ratings; HUSE depends on that number, so uneven counts can shift it\.")
def uneven_ratings(rows: Rows, match: Match, asked: Asked) -> str:
    known = [number for number in huse_texts(rows).values() if number]
    return f"Texts have between {min(known)} and {max(known)} ratings; HUSE depends on that number, so uneven counts can shift it."


@kind(r"\d+ of \d+ texts (?:has|have) fewer than 10 ratings; with few ratings HUSE is mostly higher\.")
def few_ratings(rows: Rows, match: Match, asked: Asked) -> str:
    kept = huse_texts(rows)
    few = sum(0 < number < 10 for number in kept.values())
    return f"{few} of {len(kept)} texts {has(few)} fewer than 10 ratings; with few ratings HUSE is mostly higher."


@kind(
    rf"(?P<name>\S+): HUSE-D is (?P<value>{NUMBER}), outside 0 to 1, as it may be when HUSE and HUSE-Q differ by chance\. It is shown as computed\."
)
def out_of_range(rows: Rows, match: Match, asked: Asked) -> str | None:
    huse, quality = rows.huse(match["name"], asked.k), rows.huse(match["name"], asked.k, quality_only=True)
    value = 1 + huse[0] - quality[0] if huse and quality else 0.5
    return (
        None
        if 0 <= value <= 1
        else f"{match['name']}: HUSE-D is {decimal(value)}{match[0].partition(match['value'])[2]}"
    )


@kind(
    r"(?P<name>\S+): \d+ (?:references?|model texts?) (?:is|are) too few for \d+ neighbours; the values and their intervals cannot be relied on\."
)
def few_of_a_source(rows: Rows, match: Match, asked: Asked) -> str | None:
    kept = rows.hj()
    name = match["name"]
    sizes = Counter(rows.sides[key] == "" for key in kept if rows.sides[key] in ("", name))
    number = min(sizes[True], sizes[False])
    if number > asked.k or sizes[True] == sizes[False]:
        return None
    side = "reference" if sizes[True] < sizes[False] else "model text"
    return (
        f"{name}: {count(number, side)} {'is' if number == 1 else 'are'} too few for {asked.k} neighbours; the values "
        "and their intervals cannot be relied on."
    )


@kind(r"(?P<name>\S+): \d+ contexts? with more than one (?:reference|model text); such texts are not independent\.")
def duplicate_contexts(rows: Rows, match: Match, asked: Asked) -> str | None:
    rated = rows.hj()
    side, what = ("", "reference") if "reference;" in match[0] else (match["name"], "model text")
    texts = [row["context_id"] for key, row in rows.texts.items() if rows.sides[key] == side and key in rated]
    several = sum(number > 1 for context, number in Counter(texts).items() if context is not None)
    if not several or match["name"] not in rows.sides.values():
        return None
    return f"{match['name']}: {count(several, 'context')} with more than one {what}; such texts are not independent."


@kind(
    rf"(?P<name>\S+): exact ties and the original's floating-point ties give different results \((?P<values>HUSE {NUMBER} and {NUMBER}, HUSE-Q {NUMBER} and {NUMBER}, HUSE-D {NUMBER} and {NUMBER})\)\. The exact values are the ones to report\."
)
def modes_differ(rows: Rows, match: Match, asked: Asked) -> str | None:
    values = in_both_modes(rows, match["name"], asked.k)
    return match[0].replace(match["values"], values, 1) if values else None


def in_both_modes(rows: Rows, name: str, k: int) -> str | None:
    """HUSE, HUSE-Q and HUSE-D by exact ties, and as the original counts them."""
    exact, quality = rows.huse(name, k), rows.huse(name, k, quality_only=True)
    paper, of_paper = paper_huse(rows, name, k), paper_huse(rows, name, k, quality_only=True)
    if not exact or not quality or paper is None or of_paper is None:
        return None
    pairs = {
        "HUSE": (exact[0], paper),
        "HUSE-Q": (quality[0], of_paper),
        "HUSE-D": (1 + exact[0] - quality[0], 1 + paper - of_paper),
    }
    return ", ".join(f"{key} {decimal(a)} and {decimal(b)}" for key, (a, b) in pairs.items())


@kind(
    r"(?P<name>\S+): (?:all texts have the same HJ, so HJ was dropped as a feature|all texts have the same log p per unit, "
    r"so log p was dropped as a feature|texts without any rating left are not in HUSE)\."
)
def flags(rows: Rows, match: Match, asked: Asked) -> str | None:
    if match["name"] not in rows.sides.values():
        return None
    if "without any rating" in match[0]:
        return match[0] if len(rows.hj()) < len(rows.texts) else None
    if "log p" in match[0]:
        rates = {total / length for (name, _), (total, length) in rows.likelihoods.items() if name == match["name"]}
        return match[0] if len(rates) == 1 else None
    return match[0] if len(set(rows.hj().values())) == 1 else None


@kind(
    r"(?P<name>\S+): the outputs were decoded by '[^']*' but the log-probabilities belong to '[^']*'; HUSE needs the "
    r"probability under the distribution that was sampled\."
)
def decoding(rows: Rows, match: Match, asked: Asked) -> str | None:
    written, scored = rows.decodings.get(match["name"], ("", ""))
    if written == scored:
        return None
    return (
        f"{match['name']}: the outputs were decoded by '{written}' but the log-probabilities belong to '{scored}'; HUSE "
        "needs the probability under the distribution that was sampled."
    )


@kind(rf"(?P<name>\S+): HUSE needs log-probabilities\. By judgment alone HUSE-Q is {NUMBER}(?P<span>{SPAN})\.")
def verdict_quality(rows: Rows, match: Match, asked: Asked) -> str | None:
    name = match["name"]
    quality = rows.huse(name, asked.k, quality_only=True)
    if quality is None or any(generator == name for generator, _ in rows.likelihoods):
        return None
    span = span_of_huse(rows, name, asked, match["span"], quality_only=True)
    return f"{name}: HUSE needs log-probabilities. By judgment alone HUSE-Q is {decimal(quality[0])}{span}."


@kind(
    r"(?P<name>\S+): the two sources have different numbers of texts; HUSE gives both sources the same weight, in the votes of the neighbours and in the error\."
)
def unbalanced(rows: Rows, match: Match, asked: Asked) -> str | None:
    sizes = Counter(rows.sides[key] == "" for key in rows.hj() if rows.sides[key] in ("", match["name"]))
    return match[0] if match["name"] in rows.sides.values() and sizes[True] != sizes[False] else None


@kind(
    rf"(?P<name>\S+): the original counts the votes of all neighbours alike, so that with (?P<sizes>.+?) the larger source outvotes the other \((?P<values>HUSE {NUMBER} and {NUMBER}, HUSE-Q {NUMBER} and {NUMBER}, HUSE-D {NUMBER} and {NUMBER}), exact and original\)\. The exact values are the ones to report\."
)
def outvoted(rows: Rows, match: Match, asked: Asked) -> str | None:
    values = in_both_modes(rows, match["name"], asked.k)
    if values is None:
        return None
    sizes = Counter(rows.sides[key] == "" for key in rows.hj() if rows.sides[key] in ("", match["name"]))
    text = f"{count(sizes[True], 'reference')} and {count(sizes[False], 'model text')}"
    return match[0].replace(match["sizes"], text, 1).replace(match["values"], values, 1)


# --- captions with numbers ---


def mean_span(values: list[float], level: float) -> str:
    """The interval of a mean by Student's t, as it is printed; "" of equal values."""
    if len(set(values)) < 2:
        return ""
    half = float(t.ppf((1 + level) / 2, len(values) - 1)) * stdev(values) / len(values) ** 0.5
    mean = sum(values) / len(values)
    return f" [{decimal(mean - half)}, {decimal(mean + half)}]"


@kind(r"HJ by source\. Mean HJ by source: .+")
def caption_hj(rows: Rows, match: Match, asked: Asked) -> str:
    hj = rows.hj()
    names = ["", *dict.fromkeys(side for side in rows.sides.values() if side)]
    means, parts = {}, []
    for name in names:
        values = [float(hj[key]) for key, side in rows.sides.items() if side == name and key in hj]
        if values:
            means[name] = sum(values) / len(values)
            shown = name or "reference"
            parts.append(f"{shown} {decimal(means[name])}{mean_span(values, asked.level)}, n = {len(values)}")
    compared = []
    for name in names[1:]:
        if "" in means and name in means:
            gap = means[name] - means[""]
            compared.append(
                f"{name} is rated as the references are."
                if abs(gap) < 0.005
                else f"{name} is rated {decimal(abs(gap), 2)} {'higher' if gap > 0 else 'lower'} than the references."
            )
    return " ".join([f"HJ by source. Mean HJ by source: {'; '.join(parts)}.", *compared])


@kind(
    rf"(?P<name>\S+): HJ and log p\. By both axes together, \d+% of \d+ texts are attributed to the right source(?:, both sources weighing the same)? \(HUSE {NUMBER}; guessing would give 50%\)\. Mean HJ is .+"
)
def caption_scatter(rows: Rows, match: Match, asked: Asked) -> str | None:
    name, hj, known = match["name"], rows.hj(), rows.likelihoods
    huse = rows.huse(name, asked.k)
    if huse is None:
        return None
    means = {}
    for side in ("", name):
        keys = [key for key, held in rows.sides.items() if held == side and key in hj]
        rates = [known[name, key][0] / known[name, key][1] for key in keys]
        means[side] = (sum(float(hj[key]) for key in keys) / len(keys), sum(rates) / len(rates))
    sizes = Counter(rows.sides[key] == "" for key in hj if rows.sides[key] in ("", name))
    weighted = ", both sources weighing the same" if sizes[True] != sizes[False] else ""
    return (
        f"{name}: HJ and log p. By both axes together, {decimal(100 * round(1 - huse[0] / 2, 9), 0)}% of {huse[1]} texts are attributed to the right "
        f"source{weighted} (HUSE {decimal(huse[0])}; guessing would give 50%). Mean HJ is {decimal(means[name][0])} for "
        f"{name} and {decimal(means[''][0])} for the references; mean log p per word is {decimal(means[name][1])} and "
        f"{decimal(means[''][1])}."
    )


@kind(r"Ratings of (?P<what>.+?)\. (?P<first>(?!Share of each).+)")
def caption_histogram(rows: Rows, match: Match, asked: Asked) -> str | None:
    """Each most frequent label, with its share, ratings and raters, and where sources differ most."""
    arm = ""
    labels = [label for label, _, _ in sorted(rows.words["criteria"][0]["labels"], key=lambda row: Fraction(row[1]))]
    if rows.study["task"] == "human_or_machine":
        ending = match["what"].partition("texts, ")[2]
        arm = "" if ending in ("", "all judgments") else ending
        groups = {
            "human texts": [a for a in rows.used if not rows.sides[a.text] and arm in ("", a.arm)],
            "machine texts": [a for a in rows.used if rows.sides[a.text] and arm in ("", a.arm)],
        }
    else:
        name = match["what"].split(" and ")[0].removeprefix("of ")
        groups = {
            "reference": [a for a in rows.used if not rows.sides[a.text]],
            name: [a for a in rows.used if rows.sides[a.text] == name],
        }
    text = f"Ratings of {match['what']}."
    for group, held in groups.items():
        said = re.search(rf"Most frequent for {group}: “(.+?)” \(", match[0])
        if not held:
            continue
        counts = Counter(answer.label for answer in held)
        top = said[1] if said and counts[said[1]] == max(counts.values()) else counts.most_common(1)[0][0]
        share = f"{decimal(100 * counts[top] / len(held), 0)}%"
        raters = count(len({answer.rater for answer in held}), "rater")
        text += f" Most frequent for {group}: “{top}” ({share} of {count(len(held), 'rating')} by {raters})."
    if len([held for held in groups.values() if held]) == 2:
        (low_name, low), (high_name, high) = groups.items()
        shares = [Counter(answer.label for answer in held) for held in (low, high)]
        gaps = {label: abs(shares[0][label] / len(low) - shares[1][label] / len(high)) for label in labels}
        if max(gaps.values()) < 1e-9:
            return f"{text} Every label has the same share for {high_name} and {low_name}."
        said = re.search(r"The largest difference of .+? is at “(.+?)”:", match[0])
        top = (
            said[1]
            if said and abs(gaps.get(said[1], -1) - max(gaps.values())) < 1e-9
            else max(gaps, key=lambda at: gaps[at])
        )
        text += (
            f" The largest difference of {high_name} and {low_name} is at “{top}”: {decimal(100 * shares[1][top] / len(high), 0)}% for {high_name}, "
            f"{decimal(100 * shares[0][top] / len(low), 0)}% for {low_name}."
        )
    return text


@kind(r"Accuracy by arm\. \d+ of \d+ arms? (?:is|are) above chance \(50%\) with (?:its|their) whole interval.*")
def caption_arms(rows: Rows, match: Match, asked: Asked) -> str | None:
    """Which arms lie above or below chance with their whole interval, and the highest and the lowest."""
    answered = {arm["training"]: rows.right_answers(arm["training"]) for arm in rows.arms}
    means = {name: 100 * fmean(hits / total for hits, total in right) for name, right in answered.items() if right}
    spans = {name: mean_share(answered[name], asked.level) for name in means}
    above = [name for name in means if (span := spans[name]) and span[0] > 0.5]
    below = [name for name in means if (span := spans[name]) and span[1] < 0.5]
    empty = [f"{name} (empty)" for name in answered if name not in means]
    verb, whose = ("is", "its") if 1 in (len(above), len(means)) else ("are", "their")
    several = len(rows.arms) > 1
    # Of the order of the arms nothing is stated: it is taken over where the names are those of the rows.
    text = f"Accuracy by arm. {len(above)} of {count(len(means), 'arm')} {verb} above chance (50%) with {whose} whole interval"
    text += f": {in_order(above, match[0], 'interval: ')}." if above and several else "."
    if not several and above:
        text = f"{text[:-1]}: {only_arm(rows)}."
    text += f" Below it: {in_order(below, match[0], 'Below it: ') if several else only_arm(rows)}." if below else ""
    text += f" Without a value: {in_order(empty, match[0], 'Without a value: ')}." if empty and several else ""
    for word, best in (("Highest", max), ("Lowest", min))[: len(means)]:
        said = re.search(rf"{word}: (.+?) ({NUMBER})%(?: \[([^\]]+)\])?, n = \d+ evaluators?\.", match[0])
        name = said[1] if said and said[1] in means and several else best(means, key=lambda arm: means[arm])
        if abs(means[name] - best(means.values())) > TIED_ROUNDING:
            name = best(means, key=lambda arm: means[arm])
        ends = limits(spans[name], said[3] or "" if said else "", 1, 100)
        value = shown(means[name], said[2] if said else "", 1)
        number = len(answered[name])
        label = name if several else only_arm(rows)
        text += f" {word}: {label} {value}%{ends}, n = {count(number, 'evaluator')}."
    return f"{text} {CHOSEN}" if several and match[0].endswith(CHOSEN) else text


def only_arm(rows: Rows) -> str:
    """What the one arm is called."""
    return str(rows.arms[0]["training"])


def in_order(names: list[str], text: str, after: str) -> str:
    """The names in the order of the text where it names just these, else in their own."""
    said = text.partition(after)[2].partition(".")[0].split(", ")
    return ", ".join(said if sorted(said) == sorted(names) else names)


TIED = 0.05


@kind(r"(?:Mixed model|Least squares with a cluster bootstrap) of \d+ ratings, texts and raters crossed \(\w+\)\.")
def caption_mixed(rows: Rows, match: Match, asked: Asked) -> str:
    criterion = re.findall(r"\((\w+)\)", match[0])[-1]
    number = sum(answer.criterion == criterion for answer in rows.used)
    fitted = match[0].partition(" of ")[0]  # whether a variance is 0 is not counted again here
    return f"{fitted} of {number} ratings, texts and raters crossed ({criterion})."


@kind(r"Labels(?: of (?P<of>.+?))? (?P<which>in the order shown|that raters chose)(?:; coding: .+)?\.")
def caption_scale(rows: Rows, match: Match, asked: Asked) -> str | None:
    """Of an import the labels of the first question alone are stored."""
    first, *others = [criterion["name"] for criterion in rows.words["criteria"]]
    if others and rows.study["mode"] == "imported":
        every = [([first], groups(rows)[0][1]), *(([name], []) for name in others)]
    else:
        every = groups(rows)
    for names, labels in every:
        if not others or listed([name.replace("_", " ") for name in names]) == match["of"]:
            of = f" of {match['of']}" if others else ""
            coding = f"; coding: {coding_of(labels)}" if labels and not is_nominal(rows, names[0]) else ""
            return f"Labels{of} {'in the order shown' if labels else 'that raters chose'}{coding}."
    return None


# --- the sealed plan ---


@kind(r"The plan was sealed on [^,]+, (?:before the first answer|when \d+ submissions? were in) \(SHA-256 \w+…\)\.")
def plan_sealed(rows: Rows, match: Match, asked: Asked) -> str | None:
    if not rows.plans:
        return None
    first = rows.plans[0]
    work = first["submissions"]
    when = f"when {were_in(work)}" if work else "before the first answer"
    digest = hashlib.sha256(first["document"].encode()).hexdigest()
    return f"The plan was sealed on {day(first['at'])}, {when} (SHA-256 {digest[:12]}…)."


def were_in(work: int) -> str:
    return f"{count(work, 'submission')} {'was' if work == 1 else 'were'} in"


@kind(r"It was amended (?:once,|\d+ times, the last time) when \d+ submissions? (?:was|were) in\.")
def plan_amended(rows: Rows, match: Match, asked: Asked) -> str | None:
    later = rows.plans[1:]
    if not later:
        return None
    times = "once," if len(later) == 1 else f"{len(later)} times, the last time"
    return f"It was amended {times} when {were_in(later[-1]['submissions'])}."


fixed("plan_unamended", "It was not amended.", lambda rows: len(rows.plans) == 1)


def planned_numbers(rows: Rows) -> dict[str, bool]:
    """Of each planned number whether it is that of the rows."""
    plan = json.loads(rows.plans[0]["document"])
    settings, stored = plan["settings"], rows.rules
    people_of: dict[str, set[str]] = {}
    for work in rows.submissions:
        people_of.setdefault(work["arm"], set()).add(work["rater"])
    same = {"texts": plan["texts"] == len(rows.texts)}
    if rows.study["task"] == "human_or_machine":
        same["conditions"] = len(plan["cells"]) == len(rows.arms)
    if settings["evaluators_per_cell"] is None:
        same["raters per text"] = per_text(rows) == str(settings["raters_per_text"])
    else:
        same["people per condition"] = {len(people) for people in people_of.values()} == {
            settings["evaluators_per_cell"]
        }
    same["exclusion rules"] = bool(plan["rules"]) == bool(stored)
    declared = [f"compare_{part}" for part in ("criterion", "first", "second", "margin", "family", "raters")]
    same["main comparison"] = all(settings.get(part) == rows.study.get(part) for part in declared)
    return same


@kind(r"All \d+ planned items that can be compared are as in this report\.")
def plan_followed(rows: Rows, match: Match, asked: Asked) -> str | None:
    if not rows.plans:
        return None
    same = planned_numbers(rows)
    all_same = f"All {len(same)} planned items that can be compared are as in this report."
    return all_same if all(same.values()) else None


@kind(r"Of \d+ planned items that can be compared, these are not as in this report: [^.]+\.")
def plan_not_followed(rows: Rows, match: Match, asked: Asked) -> str | None:
    if not rows.plans:
        return None
    same = planned_numbers(rows)
    others = [name for name, is_same in same.items() if not is_same]
    names = ", ".join(others)
    return f"Of {len(same)} planned items that can be compared, these are not as in this report: {names}."


def kind_of(text: str) -> Iterator[tuple[Kind, Match]]:
    """Kinds of which the text begins with a sentence."""
    for known in KINDS:
        if match := known.pattern.match(text):
            yield known, match


INTERVAL = rf"\[{NUMBER}, {NUMBER}\]"


def ranged(rows: Rows, name: str) -> str:
    """A pattern of intervals that are held to a range in sentences of a kind, as the draws are the report's own.

    Those of alpha, and those of HUSE where the raters differ by source.
    """
    apart = any(other_raters(rows, generator) for generator in dict.fromkeys(rows.sides.values()) if generator)
    return INTERVAL if name == "agreement" or (apart and name in ("verdict_huse", "verdict_quality")) else ""


def share_of(rows: Rows) -> float:
    """By what share of its width a lie moves a limit that is held to a range.

    Percentiles of a thousand resamples, which the alpha of evaluators has, lie within a quarter of it by chance alone.
    """
    return 0.3 if rows.study["task"] == "human_or_machine" else 0.15
