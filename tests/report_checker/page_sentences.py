"""Kinds of sentences that the page states of itself: how much it answers, lists and lacks."""

from __future__ import annotations

from tests.report_checker.recount import Rows, count
from tests.report_checker.sentences import Asked, Match, kind

QUESTIONS = 45  # of the datasheet
LIMITS = "//ul[@class='limits']/li"


@kind(
    r"After HEDS 3\.0 \(Belz and Thomson, 2025\), in our words: \d+ of \d+ questions are answered from the study, "
    r"which does not answer the other \d+\."
)
def datasheet(rows: Rows, match: Match, asked: Asked) -> str | None:
    """Answers that the datasheet shows."""
    if asked.page is None:
        return None
    answered = len(asked.page.tree.xpath("//section[@id='datasheet']//dt"))
    return (
        f"After HEDS 3.0 (Belz and Thomson, 2025), in our words: {answered} of {QUESTIONS} questions are answered from "
        f"the study, which does not answer the other {QUESTIONS - answered}."
    )


@kind(
    r"What reviewers ask of a human evaluation \(van der Lee et al\., 2019; Karpinska et al\., 2021\): \d+ of \d+ "
    r"recorded\."
)
def completeness(rows: Rows, match: Match, asked: Asked) -> str | None:
    """Items of the list that say yes."""
    lists = [cells for caption, cells in asked.page.captioned() if "Karpinska" in caption] if asked.page else []
    said = [row[1] for cells in lists for row in cells[1:]]
    return (
        "What reviewers ask of a human evaluation (van der Lee et al., 2019; Karpinska et al., 2021): "
        f"{said.count('yes')} of {len(said)} recorded."
    )


@kind(
    r"\d+ facts? that only a person can state\. Once they are entered under Study details, a new report prints them\."
)
def missing(rows: Rows, match: Match, asked: Asked) -> str | None:
    """Facts that the page lists; none of them is stated in the study."""
    if asked.page is None:
        return None
    listed = asked.page.tree.xpath("//ul[@class='missing']/li/@data-key")
    if set(listed) & set(rows.stated):
        return None
    facts = count(len(listed), "fact")
    return f"{facts} that only a person can state. Once they are entered under Study details, a new report prints them."


@kind(r"One condition for everybody\.")
def one_condition(rows: Rows, match: Match, asked: Asked) -> str | None:
    return match[0] if len(rows.arms) == 1 and rows.submissions else None


@kind(r"No warning was raised by the data\.(?: See what cannot be concluded in principle\.)?")
def no_warning(rows: Rows, match: Match, asked: Asked) -> str | None:
    """Of studies that warn of nothing: live, over, of raters from anywhere on several days, without HUSE."""
    warned = asked.page.tree.xpath("//ul[@class='warnings']/li") if asked.page else []
    study = rows.study
    quiet = study["mode"] != "rehearsal" and study["status"] == "closed" and study["task"] != "typicality"
    limits = " See what cannot be concluded in principle." if asked.page and asked.page.tree.xpath(LIMITS) else ""
    said = f"No warning was raised by the data.{limits}"
    return said if quiet and not study["country"] and not warned else None
