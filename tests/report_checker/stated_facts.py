"""Facts of the page by name that state a number, each counted anew or held to the sentence that says the same."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

from tests.report_checker import tables
from tests.report_checker.page import Page, words
from tests.report_checker.recount import Rows, count, middle, moment, money, spread
from tests.report_checker.sentences import Asked, by_amount, of_them, people, per_text, rewards, whose

SAID_IN_METHODS = ("Mixing and order of sources", "How texts were allotted and ordered", "How raters were paid")
# Their words differ from those of the methods, or are in a table; their numbers are the same.
NUMBERS_IN_METHODS = ("Criteria", "Criteria that evaluators met", "Margin around chance", "Pay")
# What no row counts: words of the researchers, dates of the layout, versions, and sentences that methods and warnings
# have as well.
UNCOUNTED = frozenset(
    {
        "Also in each task",
        "Approval by an ethics committee",
        "Command",
        "Commit",
        "Designed",
        "Exclusions in words",
        "How responses become scores",
        "Instructions as shown",
        "Definition of the criterion as given to evaluators",
        "SHA-256 of the plan",
        "How raters are paid",
        "Plan logged",
        "Planned power",
        "Registered",
        "Registered beforehand",
        "SHA-256 of its content and of its header",
        "Snapshot",
        "Statistical power of the sample",
        "Systems evaluated",
        "Statistics used",
        "Values of the scale",
        "Versions",
    }
)
MODEL = "Model of the log-probabilities of "
NUMBER = re.compile(r"\d+(?:\.\d+)?")
NAMED = UNCOUNTED.union(SAID_IN_METHODS, NUMBERS_IN_METHODS, ("Settings",))


def counted_facts(page: Page, rows: Rows, asked: Asked) -> dict[str, list[str]]:
    """Values by the fact's name, wherever on the page it is."""
    study = rows.study
    per_hit = max((hit["items"] for hit in rows.hits), default=0)
    per_task = count(per_hit, "pair of texts", "pairs of texts") if rows.pairs else count(per_hit, "text")
    facts = {
        "Texts per HIT, at most": str(per_hit),
        "Pairs per HIT, at most": str(per_hit),
        "Raters planned per text": str(study["raters_per_text"]),
        "Evaluators planned per condition": str(study["evaluators_per_cell"]),
        "Number of evaluators": _people(rows),
        "Simulated raters": _people(rows),
        "Outputs evaluated of each system": _outputs(rows),
        "Size of a task": f"at most {per_task}",
        "Size of the scale": _size_of_scale(rows),
        "Seed of the analysis": "1",
        "Neighbours k": str(asked.k),
        "Level of intervals": f"{asked.level:g}",
        "Texts": str(_texts(rows, page)),
        "Assignments": str(len(rows.submissions)),
        **{f"Decoding of {name}": written for name, written in rows.decoded.items()},
        **{f"Decoding of the log-probabilities of {name}": scored for name, (_, scored) in rows.decodings.items()},
    }
    if by_amount(rows):
        facts["Reward"] = f"{rewards(rows)}{_per_hour(rows)}{whose(rows)}"
        facts["Total cost"] = money(sum(rows.spent[kind] for kind in ("reward", "fee", "bonus")), study["currency"])
    if rows.submissions:
        times = [moment(row["submitted_at"]) for row in rows.submissions]
        began, ended = (f"{at:%A}, {at.day} {at:%B %Y, %H:%M} UTC" for at in (min(times), max(times)))
        criteria = len({answer.criterion for answer in rows.answers})
        facts |= {
            "Where and when evaluators worked": f"online, from {began} to {ended}",
            "Responses for each text": f"{per_text(rows)} on each of {criteria} criteria"
            if criteria > 1
            else per_text(rows),
            "Ratings per text": f"{_raters_of_texts(rows)}{_on_each(rows)}",
            "Ratings per pair": f"{_raters_of_texts(rows)}{_on_each(rows)}",
        }
    if rows.plans and rows.logged is None:
        sealed, document = moment(rows.plans[0]["at"]), rows.plans[0]["document"]
        facts["Plan sealed"] = f"{sealed:%A}, {sealed.day} {sealed:%B %Y, %H:%M} UTC"
        facts["SHA-256 of the plan"] = hashlib.sha256(document.encode()).hexdigest()
    if asked.without == "ratings":
        facts["Ratings per text"] = "unknown"
    return {name: [value] for name, value in facts.items()}


def differences(page: Page, rows: Rows, asked: Asked) -> Iterator[str]:
    """Each fact that the rows say otherwise, and each with a number that is not counted."""
    shown, known = page.facts(), counted_facts(page, rows, asked)
    elsewhere = tables.facts(rows)
    methods = " ".join(words(element) for element in page.tree.xpath("//p[@class='methods']"))
    for name, values in shown.items():
        if name in known and values != known[name]:
            yield f"fact: {name} is {values}\n    rows: {known[name]}"
        if name in SAID_IN_METHODS and values[0] not in methods:
            yield f"fact: {name} is {values}, which the methods do not say"
        if (
            name in NUMBERS_IN_METHODS
            and rows.submissions
            and (other := set(NUMBER.findall(" ".join(values))) - set(NUMBER.findall(methods)))
        ):
            yield f"fact: {name} is {values}, and the methods do not say {sorted(other)}"
        if name not in {*known, *elsewhere, *NAMED} and not name.startswith(MODEL) and any(map(uncounted, values)):
            yield f"fact: {name} is {values}, which is not counted"
    for value in shown.get("Settings", ()):
        name, _, said = value.partition(" = ")
        if said != str(rows.study.get(name)):
            yield f"setting: {value}"


def uncounted(value: str) -> bool:
    """Whether a fact states a number."""
    return NUMBER.search(value) is not None and not value.startswith("not computed: ")


def _people(rows: Rows) -> str:
    """Who submitted, and how many of them the analysis keeps an answer of where that is not everybody."""
    return f"{people(rows)}{of_them(rows)}"


def _outputs(rows: Rows) -> str:
    counts = Counter(rows.sides[text] or "references" for text in rows.texts)
    return "; ".join(f"{name}: {number}" for name, number in counts.items())


def _size_of_scale(rows: Rows) -> str:
    criteria = rows.words["criteria"]
    codes = [Fraction(code) for _, code, _ in criteria[0]["labels"]]
    number = max(codes) - min(codes) + 1 if rows.study["task"] == "direct_assessment" else len(codes)
    return f"{number} ({criteria[0]['name'].replace('_', ' ')})" if len(criteria) > 1 else str(number)


def _texts(rows: Rows, page: Page) -> int:
    """Where means of sources are shown, the texts that have one; else all."""
    has_means = any(caption.startswith("HJ by source: mean") for caption, _ in page.captioned())
    return len({answer.text for answer in rows.used} if has_means else rows.texts)


def _raters_of_texts(rows: Rows) -> str:
    raters: dict[str, set[int]] = {answer.text: set() for answer in rows.answers}
    for answer in rows.used:
        raters.setdefault(answer.text, set()).add(answer.submission)
    return spread(len(submissions) for submissions in raters.values())


def _on_each(rows: Rows) -> str:
    criteria = len({answer.criterion for answer in rows.used})
    return f" on each of {criteria} criteria" if criteria > 1 else ""


def _per_hour(rows: Rows) -> str:
    return f" ({wage} per hour)" if (wage := hourly_wage(rows)) else ""


def hourly_wage(rows: Rows) -> str:
    """At the median time; "" where rewards differ or no time was measured."""
    if not rows.seconds or "(" in rewards(rows):
        return ""
    (paid,) = {row["reward"] for row in rows.submissions}
    wage = Fraction(paid) * 3600 / Fraction(middle(rows.seconds))
    return money(int(wage + Fraction(1, 2)), rows.study["currency"])
