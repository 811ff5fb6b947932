"""Columns that count: texts, raters, answers, days, money, and what the wording and the files of scores say."""

from __future__ import annotations

import json
import math
import re
from collections import Counter, defaultdict
from fractions import Fraction
from statistics import fmean, quantiles, stdev
from typing import Any

from tests.report_checker.columns import NONE, Counted, table
from tests.report_checker.intervals import quantile
from tests.report_checker.recount import Answer, Rows, clock, decimal, middle, moment, money
from tests.report_checker.sentences import Asked, Match, by_amount, is_nominal, rewards, whose
from tests.report_checker.tables import Cell, choices

RUN, MOST = 8, 0.8
UNITS = {"whitespace": "word", "char": "character"}
WORDS_OF_RULES = {
    "incomplete": ("Incomplete", "An answer is missing, or is not a label of the scale."),
}
NOTHING = "nothing more"  # is to be recorded
OTHER_WORDS = "words of the program, not of the study"


def sides_of(rows: Rows) -> list[str]:
    """References first, where there are any, then the generators as they occur."""
    names = list(dict.fromkeys(rows.sides.values()))
    return sorted(names, key=lambda name: name != "")


@table(r"Items by source\.(?P<scored> Log p)?")
def items_by_source(rows: Rows, asked: Asked, match: Match) -> Counted:
    """With log-probabilities once for each generator; else the words of each text."""
    known = rows.likelihoods
    counted: Counted = {}
    for side in sides_of(rows):
        keys = [key for key, of in rows.sides.items() if of == side]
        contexts = {rows.texts[key]["context_id"] for key in keys} - {None}
        cells: dict[str, Cell] = {"n": str(len(keys)), "Contexts": str(len(contexts)) if contexts else NONE}
        if not match["scored"]:
            words = fmean(len(rows.bodies[key].split()) for key in keys)
            counted[side or "reference",] = {**cells, "Mean length": words, "Unit": "word"}
            continue
        for model in [side] if side else [name for name in sides_of(rows) if name]:
            held = [known[model, key] for key in keys if (model, key) in known]
            finite = [total / length for total, length in held if total > -math.inf]
            lengths = [length for _, length in held] or [len(rows.bodies[key].split()) for key in keys]
            counted[side or f"reference, under {model}",] = {
                **cells,
                "Mean length": fmean(lengths),
                "Unit": ", ".join(UNITS[each] for each in rows.length_units) or "word",
                "Mean log p per unit": fmean(finite) if finite else NONE,
                "Probability zero": str(len(held) - len(finite)),
                "Log p missing": str(len(keys) - len(held)),
            }
    return counted


@table(r"Duplicates and overlap of texts, ")
def duplicates(rows: Rows, asked: Asked, match: Match) -> Counted:
    plain = {key: " ".join(rows.bodies[key].casefold().split()) for key in rows.texts}
    references = [plain[key] for key, side in rows.sides.items() if not side]
    counted: Counted = {}
    for side in sides_of(rows):
        keys = [key for key, of in rows.sides.items() if of == side]
        against = bool(side and references)
        contexts = {key: rows.contexts[key].partition(": ")[2] for key in keys if key in rows.contexts}
        copied = sum(taken(plain[key], references) > MOST for key in keys)
        counted[side or "references",] = {
            "Texts": str(len(keys)),
            "Occur more than once": str(sum([*plain.values()].count(plain[key]) > 1 for key in keys)),
            "Equal to a reference": str(sum(plain[key] in references for key in keys)) if against else NONE,
            "Over 80% in runs of 8 words of references": str(copied) if against else NONE,
            "Over 80% in runs of 8 words of their context": str(
                sum(taken(plain[key], [context.casefold()]) > MOST for key, context in contexts.items())
            )
            if contexts
            else NONE,
        }
    return counted


def taken(text: str, others: list[str]) -> float:
    """Share of the words of a text that are in a run of words of another."""
    words = text.split()
    inside: set[int] = set()
    for at in range(len(words) - RUN + 1):
        if any(f" {' '.join(words[at : at + RUN])} " in f" {' '.join(other.split())} " for other in others):
            inside.update(range(at, at + RUN))
    return len(inside) / len(words)


@table(r"HJ: mean of a text's ratings that count\.")
def hj_of_texts(rows: Rows, asked: Asked, match: Match) -> Counted:
    codes: defaultdict[str, list[float]] = defaultdict(list)
    for answer in rows.used:
        codes[answer.text].append(float(answer.code))
    generators = [name for name in sides_of(rows) if name]
    counted: Counted = {}
    for key, side in rows.sides.items():
        values = codes[key]
        rate = rows.likelihoods.get((side or generators[0], key)) if side or len(generators) == 1 else None
        spread = stdev(values) if len(values) > 1 else 0.0
        half = quantile(asked.level, len(values) - 1) * spread / math.sqrt(len(values)) if spread else 0.0
        mean = fmean(values) if values else 0.0
        counted[key,] = {
            "Source": side or "reference",
            "Text": rows.bodies[key] + rows.contexts.get(key, "").partition(": ")[2],
            "HJ": mean if values else NONE,
            "Interval": f"[{decimal(mean - half)}, {decimal(mean + half)}]" if spread else NONE,
            "Ratings": str(len(values)) if values else NONE,
            "Log p per unit": NONE if rate is None else "−∞" if rate[0] == -math.inf else rate[0] / rate[1],
        }
    return counted


@table(r"(?:Ratings per text|Judgments per pair) that are in the analysis")
def per_text(rows: Rows, asked: Asked, match: Match) -> Counted:
    raters: defaultdict[str, set[int]] = defaultdict(set)
    for answer in rows.answers:
        raters[answer.text].update([] if answer.excluded else [answer.submission])
    head = "Pairs" if rows.pairs else "Texts"
    counts = Counter(map(len, raters.values()))
    return {(str(number),): {head: str(texts)} for number, texts in counts.items()}


@table(r"Assignments by day \(UTC\)")
def days(rows: Rows, asked: Asked, match: Match) -> Counted:
    at = [moment(row["submitted_at"]) for row in rows.submissions]
    counts = Counter(f"{each:%A}, {each.day} {each:%B %Y}" for each in at)
    return {(name,): {"Assignments": str(number)} for name, number in counts.items()}


@table(r"Money and time")
def money_and_time(rows: Rows, asked: Asked, match: Match) -> Counted:
    """The rows that `tables` does not count, and all before the first submission."""
    counted: Counted = {}
    if by_amount(rows):
        if not rows.submissions:
            counted[f"Reward per assignment{whose(rows)}",] = {"": rewards(rows)}
            nothing = money(0, rows.study["currency"])
            counted |= {(name,): {"": nothing} for name in ("Rewards of approved work", "Fees", "Total charged")}
        counted["Bonuses",] = {"": money(rows.spent["bonus"], rows.study["currency"])}
        arms = {rows.study["reward_cents"] if arm["reward_cents"] is None else arm["reward_cents"] for arm in rows.arms}
        if len(arms) == 1 and rows.seconds:
            wage = Fraction(arms.pop()) * 3600 / Fraction(middle(rows.seconds))
            counted[f"Hourly wage at the median{whose(rows)}",] = {
                "": money(int(wage + Fraction(1, 2)), rows.study["currency"])
            }
    else:
        counted["Reward per assignment",] = {"": "not what raters were paid: see how raters were paid"}
    if len(rows.seconds) > 1:
        low, _, high = quantiles(rows.seconds, n=4, method="inclusive")
        counted["Middle half of the times",] = {"": f"{clock(low)} to {clock(high)}"}
    return counted


def by_arm(rows: Rows) -> dict[str, list[dict[str, Any]]]:
    """Submissions of each arm where there are several, and all of them."""
    named = {arm["training"]: [row for row in rows.submissions if row["arm"] == arm["training"]] for arm in rows.arms}
    return {**(named if len(named) > 1 else {}), "all": rows.submissions}


@table(r"Submissions and raters in the analysis, excluded and withdrawn\.", 2)
def fates(rows: Rows, asked: Asked, match: Match) -> Counted:
    used = {answer.submission for answer in rows.used}
    places = ("In the analysis", "Excluded", "Withdrawn", "Without an answer that counts")
    held = {
        row["id"]: places[0]
        if row["id"] in used
        else places[1]
        if row["used"] == "exclude"
        else places[2 if row["raw_format"] == "withdrawn" else 3]
        for row in rows.submissions
    }
    counted: Counted = {}
    for arm, work in by_arm(rows).items():
        people = defaultdict(set)
        for row in work:
            people[row["rater"]].add(places.index(held[row["id"]]))
        of = {
            "submissions": [held[row["id"]] for row in work],
            "raters": [places[min(each)] for each in people.values()],
        }
        for unit, names in of.items():
            counted[unit, arm] = {"Total": str(len(names)), **{place: str(names.count(place)) for place in places}}
    return counted


@table(r"Decisions on the payment of submissions, ")
def decisions(rows: Rows, asked: Asked, match: Match) -> Counted:
    counted: Counted = {}
    for arm, work in by_arm(rows).items():
        rejected = [row for row in work if row["paid"] == "reject"]
        counted[arm,] = {
            "Submitted": str(len(work)),
            "Approved": str(sum(row["paid"] == "approve" for row in work)),
            "Rejected": str(len(rejected)),
            "No decision recorded": str(sum(row["paid"] is None for row in work)),
            "Rejected and excluded": str(sum(row["used"] == "exclude" for row in rejected)),
            "Rejections reversed": str(rows.overturned) if arm == "all" else NONE,
            "With a reply of the rater": str(len(rows.replied)) if arm == "all" else NONE,
        }
    return counted


@table(r"Attention checks of all submissions, ")
def attention_checks(rows: Rows, asked: Asked, match: Match) -> Counted:
    counted: Counted = {}
    for arm, work in by_arm(rows).items():
        held = [rows.checks[row["id"]] for row in work if row["id"] in rows.checks]
        every = [passed for each in held for passed in each]
        counted[arm,] = {
            "Submissions with checks": str(len(held)),
            "Checks answered": str(len(every)),
            "Passed": str(sum(every)),
            "Failed": str(len(every) - sum(every)),
            "Submissions that failed any": str(sum(not all(each) for each in held)),
        }
    return counted


@table(r"A flag is evidence\.", uncounted={})
def flags(rows: Rows, asked: Asked, match: Match) -> Counted:
    of = str(len(rows.submissions))
    excluded = {row["id"] for row in rows.submissions if row["used"] == "exclude"}
    held: defaultdict[str, set[int]] = defaultdict(set)
    for kind, submission in rows.flags:
        held[kind].add(submission)
    return {
        (title,): {
            "What it flags": words,
            "Flagged": str(len(held[kind])),
            "Of": of,
            "Excluded": str(len(held[kind] & excluded)),
        }
        for kind, (title, words) in WORDS_OF_RULES.items()
    }


@table(r"Labels(?: of (?P<criterion>[\w ,]+?))? (?P<which>in the order shown|that raters chose)")
def labels(rows: Rows, asked: Asked, match: Match) -> Counted:
    """Labels without an order have no code."""
    criteria = rows.words["criteria"]
    named = re.split(r", | and ", match["criterion"] or "")[0] or criteria[0]["name"].replace("_", " ")
    chosen = next(each for each in criteria if each["name"].replace("_", " ") == named)
    given = {answer.label for answer in rows.answers if answer.criterion == chosen["name"]}
    counted: Counted = {}
    for label, code, gloss in chosen["labels"]:
        if match["which"] == "in the order shown" or label in given:
            ordered = {} if is_nominal(rows, chosen["name"]) else {"Code": f"{float(code):g}".replace("-", "−")}
            explained = gloss if match["which"] == "in the order shown" else ""
            counted[(label,)] = {**ordered, "Explanation": explained or NONE}
    return counted


@table(r"What reviewers ask of a human evaluation", uncounted={"What to record": OTHER_WORDS})
def checklist(rows: Rows, asked: Asked, match: Match) -> Counted:
    """What is to be recorded is not recorded, and the caption counts the rest."""
    assert asked.page is not None
    (cells,) = (held for caption, held in asked.page.captioned() if caption == match.string)
    recorded = sum(row[2] == NOTHING for row in cells[1:])
    if f": {recorded} of {len(cells) - 1} recorded" not in match.string:
        return {}
    return {(row[0],): {"Recorded": "yes" if row[2] == NOTHING else "no"} for row in cells[1:]}


@table(r"Conditions: planned and actual numbers\.")
def conditions(rows: Rows, asked: Asked, match: Match) -> Counted:
    """Counted in `tables`, but for a reward that nobody is paid, and where nobody has rated."""
    counted: Counted = {(arm["training"],): {} if by_amount(rows) else {"Reward": NONE} for arm in rows.arms}
    if rows.submissions:
        return counted
    planned = {"Planned": str(rows.study["evaluators_per_cell"]), "People": "0", "Submitted": "0", "Excluded": "0"}
    for arm in rows.arms:
        reward = rows.study["reward_cents"] if arm["reward_cents"] is None else arm["reward_cents"]
        paid = money(reward, rows.study["currency"]) if by_amount(rows) else NONE
        counted[arm["training"],] = {"Training": arm["training"], **planned, "Reward": paid, "Median time": NONE}
    return counted


@table(r"Answers by source of the text, in ratings\.")
def confusion(rows: Rows, asked: Asked, match: Match) -> Counted:
    return {
        (name,): {f"{author}, called {said}": str(number) for (author, said), number in confused(rows, arm).items()}
        for name, arm in arms_and_all(rows)
    }


def arms_and_all(rows: Rows, last: str = "all judgments") -> list[tuple[str, str]]:
    """Names of conditions with an answer that counts, where there are several, then of all; "" for the arm of all."""
    held = {answer.arm for answer in rows.used}
    arms = [arm["training"] for arm in rows.arms if arm["training"] in held]
    return [*((arm, arm) for arm in arms if len(arms) > 1), (last, "")]


def answers_in(rows: Rows, arm: str) -> list[Answer]:
    return [answer for answer in rows.used if arm in ("", answer.arm)]


def confused(rows: Rows, arm: str) -> Counter[tuple[str, str]]:
    """Answers by who wrote the text and who was said to have."""
    counts: Counter[tuple[str, str]] = Counter()
    for author in ("Machine", "Human"):
        counts.update({(author, "machine"): 0, (author, "human"): 0})
    for answer in answers_in(rows, arm):
        author = "Machine" if rows.sides[answer.text] else "Human"
        counts[author, "machine" if answer.code > 2 else "human"] += 1
    return counts


@table(r"Share of right answers by text, the hardest first\.")
def right_by_text(rows: Rows, asked: Asked, match: Match) -> Counted:
    right: defaultdict[str, list[bool]] = defaultdict(list)
    for answer in rows.used:
        right[answer.text].append((answer.code > 2) is bool(rows.sides[answer.text]))
    return {
        (key,): {
            "Written by": "machine" if rows.sides[key] else "human",
            "Right": 100 * fmean(values),
            "Ratings": str(len(values)),
        }
        for key, values in right.items()
    }


@table(r"How often each label was given, by source", keys=3)
def labels_given(rows: Rows, asked: Asked, match: Match) -> Counted:
    """Shares and numbers are counted in `tables`; here the texts with a label, and every label given."""
    with_it: defaultdict[tuple[str, str, str], set[str]] = defaultdict(set)
    for answer in rows.used:
        with_it[answer.criterion, rows.sides[answer.text] or "references", answer.label].add(answer.text)
    return {
        (criterion.replace("_", " "), side, label): {"Texts with it": str(len(with_it[criterion, side, label]))}
        for criterion, side, _ in list(with_it)
        for label in {given for of, _, given in list(with_it) if of == criterion}
    }


@table(r"Preferences \((?P<criterion>[\w ]+)\)", keys=2)
def preferences(rows: Rows, asked: Asked, match: Match) -> Counted:
    held: defaultdict[tuple[str, str], list[tuple[int, frozenset[str]]]] = defaultdict(list)
    for answer in rows.used:
        if answer.criterion.replace("_", " ") == match["criterion"] and answer.partner is not None:
            sides = [rows.sides[text] or "references" for text in (answer.text, answer.partner)]
            better = (answer.code > 0) - (answer.code < 0)
            if sides[0] == "references" or (sides[1] != "references" and sides[1] < sides[0]):
                sides, better = sides[::-1], -better
            held[sides[0], sides[1]].append((better, frozenset((answer.text, answer.partner))))
    return {
        key: {
            "First better": str(sum(better > 0 for better, _ in votes)),
            "No difference": str(sum(better == 0 for better, _ in votes)),
            "Second better": str(sum(better < 0 for better, _ in votes)),
            "Pairs of texts": str(len({pair for _, pair in votes})),
            "Judgments": str(len(votes)),
        }
        for key, votes in held.items()
    }


@table(
    r"How often a text of each source was chosen \((?P<criterion>[\w ]+)\), against chance",
    uncounted={"p": "by a test of its own for shares; a p-value beside an interval that is counted"},
)
def chosen(rows: Rows, asked: Asked, match: Match) -> Counted:
    criteria = {answer.criterion for answer in rows.used}
    (criterion,) = (name for name in criteria if name.replace("_", " ") == match["criterion"])
    return {
        (side,): {
            "Contexts": str(len({context for context, _ in answers})),
            "Raters": str(len({rater for _, rater in answers})),
            "Answers": str(len(answers)),
        }
        for side, answers in choices(rows, criterion).items()
    }


# --- what other sections count ---


@table(r"People by condition and stage\.")
def stages(rows: Rows, asked: Asked, match: Match) -> Counted:
    """Everybody who was drawn finished, but for those who left: see `rare.draw_people`."""
    counted: Counted = {}
    for arm in rows.arms:
        name = arm["training"]
        kinds = Counter(kind for of, kind, _ in rows.draws if of == name)
        assigned, left = kinds["drawn"], kinds["left"]
        work = [row for row in rows.submissions if row["arm"] == name]
        finished = len({row["rater"] for row in work})
        excluded = {row["rater"] for row in work} - {row["rater"] for row in work if row["used"] != "exclude"}
        counted[name,] = {
            "Assigned": str(assigned),
            "Left": str(left),
            "Inside": str(assigned - left - finished),
            "Finished": str(finished),
            "Excluded": str(len(excluded)),
            "Drop-out": 100 * left / assigned,
        }
    return counted


def of_file(rows: Rows, kind: str) -> dict[str, dict[str, object]]:
    return next(json.loads(row["document"]) for row in rows.files if row["kind"] == kind)


BUCKETS = ("The 10 likeliest", "11 to 100", "101 to 1,000", "Further down")


@table(
    r"Tokens of each text by their rank under the model",
    uncounted={"Verdict": "a letter of the file in words"},
)
def token_ranks(rows: Rows, asked: Asked, match: Match) -> Counted:
    texts = of_file(rows, "automatic")["texts"]
    names = {
        "fp": "Fp",
        "mean_rank": "Mean rank",
        "mean_entropy": "Mean entropy, nats",
        "distinct_2": "Distinct pairs of words",
        "longest_repeat": "Longest repeat, words",
        "n": "Tokens",
    }
    counted: Counted = {}
    for key, text in texts.items():
        assert isinstance(text, dict)
        cells: dict[str, Cell] = {head: float(text[name]) for name, head in names.items()}
        counted[key,] = cells | {head: str(n) for head, n in zip(BUCKETS, text["buckets"], strict=True)}
    return counted


def texts_by_side(rows: Rows) -> dict[str, list[dict[str, object]]]:
    held: defaultdict[str, list[dict[str, object]]] = defaultdict(list)
    for key, text in of_file(rows, "automatic")["texts"].items():
        assert isinstance(text, dict)
        held[rows.sides[key] or "references"].append(text)
    return held


@table(
    r"Tokens by their rank under the model, by source",
    keys=2,
    uncounted={"[Share of tokens]": "over new texts, by the ratio of two sums"},
)
def tokens_by_source(rows: Rows, asked: Asked, match: Match) -> Counted:
    counted: Counted = {}
    for side, texts in texts_by_side(rows).items():
        sums = [sum(text["buckets"][at] for text in texts) for at in range(4)]  # type: ignore[index]
        for name, number in zip(("the 10 likeliest", *BUCKETS[1:3], "further down"), sums, strict=True):
            cells: dict[str, Cell] = {"Share of tokens": 100 * number / sum(sums), "Tokens": str(number)}
            counted[side, name] = cells | {"Tokens of the source": str(sum(sums))}
    return counted


@table(
    r"Automatic scores by source\.",
    uncounted={f"[{name}]": "over new texts" for name in ("Human-like", "Undecided", "Machine-like", "Mean Fp")}
    | {"AUC of Fp": "of a file with one score for each text, with its own interval"},
)
def automatic_by_source(rows: Rows, asked: Asked, match: Match) -> Counted:
    at = of_file(rows, "automatic")["thresholds"]
    counted: Counted = {}
    for side, texts in texts_by_side(rows).items():
        scores = [float(text["fp"]) for text in texts]  # type: ignore[arg-type]
        human, machine = (
            sum(score < float(at["low"]) for score in scores),  # type: ignore[arg-type]
            sum(score >= float(at["high"]) for score in scores),  # type: ignore[arg-type]
        )
        counted[side,] = {
            "Human-like": 100 * human / len(scores),
            "Undecided": 100 * (len(scores) - human - machine) / len(scores),
            "Machine-like": 100 * machine / len(scores),
            "Mean Fp": fmean(scores),
            "Texts": str(len(scores)),
        }
    return counted


FROM_FILE = "as the file of scores has it, which the program reads and does not compute"


@table(
    r"Automatic human-likelihood|Texts that look written by a human|Near-negative tests",
    rows={r".*": FROM_FILE},
)
def from_file(rows: Rows, asked: Asked, match: Match) -> Counted:
    return {}


@table(r"Planned and done\.", rows={r".*": "held by the sentences on the sealed plan"})
@table(r"The plan in words, as sealed\.", rows={r".*": "words of the researchers"})
@table(r"Amendments of the plan\.", rows={r".*": "held by the sentence on the sealed plan"})
def of_plan(rows: Rows, asked: Asked, match: Match) -> Counted:
    return {}
