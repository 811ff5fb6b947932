"""The quality checks: what each measures, its threshold, whom it may wrongly flag, and its sentence for a paper.

Numbers F1 to F27 are the specification's. Those that cannot be computed from a submission are elsewhere: F1 is a
requirement of the marketplace, F2 and F3 are qualifications, F17 to F19 are judged by two reviewers, F26 and F27 count
texts. None of them deletes anything. Of the specification's defaults one thing is amended: filters that look only at
the style of writing (F14, F16, F19, F20) raise flags and are in no default rule, but in the papers' named set.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from annotation.quality import click_model, competence, filters_answers, filters_explanations, filters_timing
from annotation.quality.work_table import NamedSet, QualityCheck

FILTERS: tuple[QualityCheck, ...] = (
    QualityCheck(
        "F4", "several_conditions", "Several conditions", "took part in more than one condition", 1, "above",
        1, True, False, "shared households; people who share an account",
        "Conditions of the design in which the worker took part: {value}.",
        "Each person took part in one condition only: {count} assignments of people in several were excluded.",
        filters_answers.conditions, percent=False,
    ),
    QualityCheck(
        "F5", "attention", "Attention checks", "failed more than half of the attention checks", 0.5, "above", 1,
        False, False, "fast readers who judge well",
        "Failed {value} of {n} attention checks.",
        "{count} of {total} assignments failed more than {threshold} of their instructed items and were excluded.",
        filters_answers.checks_failed,
    ),
    QualityCheck(
        "F6", "gold", "Gold texts", "wrong on more than 40% of at least 5 texts with a known answer", 0.4, "above", 5,
        False, False, "people who see what our known answer missed",
        "{value} of {n} texts with a known answer were answered otherwise.",
        "{gold} control items with known answers were mixed in; raters below {right} were excluded ({raters}).",
        filters_answers.gold_errors,
    ),
    QualityCheck(
        "F7", "repeats", "Repeated texts", "answers to the same text differ by more than one step on average", 1,
        "above", 2, False, False, "people who thought again",
        "Answers to {n} repeated texts differ by {value} steps on average.",
        "Repeated items differed by more than {threshold} on average for {raters} raters.",
        filters_answers.repeat_distance, percent=False,
    ),
    QualityCheck(
        "F8", "too_fast", "Active time on each text", "more than half of the texts in less than a quarter of the time "
        "that reading them takes (at least 1.5 s), time left from earlier texts counted", 0.5, "above", 3, True, False,
        "skilled readers; short texts",
        "{value} of {n} texts got less time than a quarter of what reading takes.",
        "{raters} raters answered more than {threshold} of the items faster than in a quarter of the reading time "
        "(at least 1.5 s).",
        filters_timing.too_fast,
    ),
    QualityCheck(
        "F8a", "quick_assignment", "Time from accepting to submitting", "less than 4 seconds for each text, where the "
        "page did not measure active time", 4, "below", 5, False, False, "skilled readers; texts of a few words",
        "From accepting to submitting took {value} seconds for each of {n} texts.",
        "{count} assignments took less than {threshold} seconds for each item.",
        filters_timing.quick_assignment, percent=False,
    ),
    QualityCheck(
        "F9", "straight_lining", "Straight lines", "one answer for a run of at least 80% of at least 10 texts", 0.8,
        "from", 10, True, True, "careful people on HITs whose texts are all alike",
        "One answer was given for {value} of {n} texts in a row.",
        "{count} assignments gave one answer throughout, or for at least {threshold} of their items in a row.",
        filters_answers.straight_lines,
    ),
    QualityCheck(
        "F9a", "one_answer", "One answer", "one answer for at least 80% of at least 10 texts", 0.8, "from", 10,
        True, True, "careful people on HITs whose texts are all alike",
        "One answer was given for {value} of {n} texts.",
        "{count} assignments gave one answer for at least {threshold} of their items.",
        filters_answers.commonest_share,
    ),
    QualityCheck(
        "F10", "disagreement", "Agreement with the others", "correlates below .1 with the mean of the others over at "
        "least 10 texts", 0.1, "below", 10, False, True,
        "valid views of a minority, for it leans to consensus; anybody whose texts hardly differ",
        "Answers correlate {value} with the mean of the others over {n} texts.",
        "{raters} raters correlated below {threshold} with the rest.",
        filters_answers.agreement, percent=False, signed=True,
    ),
    QualityCheck(
        "F11", "outlying_mean", "Mean answer", "more than 3 standard deviations from the mean of the raters' means", 3,
        "above", 5, False, True, "severe raters",
        "The worker's mean answer lies {value} standard deviations from that of the raters.",
        "{raters} raters whose mean rating lay more than {threshold} sd from the raters' mean were excluded.",
        filters_answers.outlying_mean, percent=False,
    ),
    QualityCheck(
        "F12", "competence", "Competence", "a worker model (MACE) takes the worker to know less than half of the "
        "answers, from 10 texts", 0.5, "below", 10, False, True,
        "independent thinkers; on a scale, everybody who is a step off",
        "MACE takes the worker to know {value} of {n} answers and to guess the others.",
        "Competence estimated by MACE; {raters} raters below {threshold}.",
        competence.competence,
    ),
    QualityCheck(
        "F13", "entropy", "Spread of the labels", "entropy of the labels outside 10 to 98% of its largest, from 20 "
        "texts", 0, "above", 20, False, True, "raters of uniform texts; people who use the whole scale evenly",
        "The entropy of {n} labels lies {value} of its largest value outside the usual range (below 0: inside it).",
        "{raters} raters whose answers were nearly constant or nearly uniform (entropy outside {range} of its maximum) "
        "were excluded.",
        filters_answers.entropy, signed=True,
    ),
    QualityCheck(
        "A1", "without_reading", "Like clicks without reading", "the answers fit clicking at random or along one label "
        "better than reading", 0, "above", 5, False, True, "people whose views differ from the others'",
        "Answers to {n} texts fit random clicking better than reading (log likelihood ratio {value}).",
        "{count} assignments fit clicks without reading better than a reader's answers.",
        click_model.without_reading, percent=False, signed=True,
        sentence_up_to_0="Answers to {n} texts fit reading at least as well as random clicking.",
    ),
    QualityCheck(
        "F14", "short_reasons", "Short explanations",
        "more than half of the explanations under 4 words or 15 characters", 0.5, "above", 1, True, False,
        "terse experts; people who write in a second language",
        "{value} of {n} explanations have fewer than 4 words or 15 characters.",
        "{count} assignments, more than {threshold} of whose explanations were under 4 words or 15 characters, were "
        "excluded.",
        filters_explanations.too_short, style=True,
    ),
    QualityCheck(
        "F15", "copied_reasons", "Explanations copied from the text", "more than half of the explanations of eight "
        "words or more are copied: over 80% of their words are in runs of eight words of the text",
        0.5, "above", 1, True, False, "people who quote what is wrong",
        "{value} of {n} explanations of eight words and more are copied from the text.",
        "{count} assignments copied more than {threshold} of their explanations from the text.",
        filters_explanations.copied,
    ),
    QualityCheck(
        "F16", "repeated_reasons", "Repeated explanations",
        "at least 2 explanations that equal another's word for word", 2, "from", 2, True, False,
        "people who find “looks fine” twice",
        "{value} of {n} explanations equal another one word for word.",
        "{count} assignments repeated at least {threshold} explanations word for word.",
        filters_explanations.repeated, percent=False, style=True,
    ),
    QualityCheck(
        "F19", "other_language", "Language of the explanations", "more than half of the explanations hold next to no "
        "common word of the study's language", 0.5, "above", 1, True, False, "dialect; switching between languages",
        "{value} of {n} explanations hold next to no common word of the study's language.",
        "{count} assignments explained themselves in what was not recognised as the study's language.",
        filters_explanations.other_language, style=True,
    ),
    QualityCheck(
        "F20", "pasted", "Pasted explanations", "more than half of the explanations were mostly not typed", 0.5,
        "above", 1, True, False, "dictation, assistive tools, drafts written elsewhere",
        "{value} of {n} explanations were mostly not typed.",
        "Paste events were recorded; {count} assignments with mostly pasted answers were excluded.",
        filters_explanations.pasted, style=True,
    ),
    QualityCheck(
        "F21", "machine_written", "Machine-written explanations", "a declared detector calls more than half of the "
        "explanations machine-written; it never excludes work alone", 0.5, "above", 1, False, False,
        "people who write in a second language, whom detectors are known to suspect",
        "A detector calls {value} of {n} explanations machine-written.",
        "A detector ({detector}) flagged {count} assignments; flags were not used alone.",
        filters_explanations.machine_written, only_flags=True, alone=False,
    ),
    QualityCheck(
        "F22", "time_away", "Time away", "more than half of the time out of sight of the page", 0.5, "above", 1, False,
        False, "slow connections, phones, people who look a word up or accept early",
        "{value} of the time from accepting to submitting went by away from the page.",
        "{count} assignments spent more than {threshold} of their time outside the task page and were excluded.",
        filters_timing.time_away,
    ),
    QualityCheck(
        "F23", "shared_device", "Shared device", "the device was used by another worker", 0, "above", 1, False, False,
        "families, campuses, libraries",
        "Other workers on the same device: {value}.",
        "{count} assignments shared a device and were excluded.",
        filters_answers.shared_device, percent=False, only_flags=True,
    ),
    QualityCheck(
        "F24", "incomplete", "Incomplete", "an answer is missing, or is not a label of the scale", 0, "above", 0, True,
        False, "people whose connection broke",
        "{value} of {n} texts have no answer.",
        "{count} assignments were incomplete.",
        filters_answers.incomplete, percent=False,
    ),
    QualityCheck(
        "F25", "practice", "Practice", "every practice round was guessed wrongly", 1, "from", 3, False, False,
        "everybody, where the task is hard",
        "{value} of {n} practice rounds were guessed wrongly.",
        "{count} assignments failed every practice round.",
        filters_answers.practice_failed,
    ),
)  # fmt: skip

# Judged by two reviewers who code the explanations, and flagged when they are agreed or adjudicated.
JUDGED_BY_HAND = {
    "mismatch": "F17: the explanation does not match the answer (two reviewers).",
    "instructions": "F18: the instructions were not followed (two reviewers).",
    "uninterpretable": "F19a: the explanation cannot be interpreted (two reviewers).",
}
CODED: Mapping[str, str] = {
    "mismatch": "Two reviewers judged mismatch (κ = {kappa}); {count} assignments were excluded.",
    "instructions": "{count} submissions did not follow the instructions (two reviewers, κ = {kappa}).",
    "uninterpretable": "The explanations of {count} submissions could not be interpreted (two reviewers, κ = {kappa}).",
}
# Known from elsewhere: a flag is all there is to it.
NOTED = {"held": "The worker was held out of new studies when this one was made."}
BY_FLAG = {**JUDGED_BY_HAND, **NOTED}
# Of texts, not of submissions: what the other rules left of their ratings decides.
BROKEN_PAIR = "broken_pair"
OF_TEXTS = {BROKEN_PAIR: "F27: both sides of a context that lost a side (fewer than 5 ratings left) are excluded."}
WRONGED: Mapping[str, str] = {
    "mismatch": "people whose reasons the reviewers see otherwise",
    "instructions": "people to whom the instructions were unclear",
    "uninterpretable": "dialect; switching between languages",
    "held": "people who do better work this time",
    BROKEN_PAIR: "no person; results cover fewer contexts",
}
CODE = re.compile(r"^[FA]\d+[a-z]?: ")
BY_KIND = {check.kind: check for check in FILTERS}
DEFAULTS = tuple(check.kind for check in FILTERS if check.default)
# A sensitivity analysis also holds those that look at the answers themselves, and each alone those that look only at
# the style of writing.
STYLE = tuple(check.kind for check in FILTERS if check.style)
SENSITIVITY = tuple(check.kind for check in FILTERS if check.on and not check.style)
# The papers excluded people for how they wrote. In a simulated crowd these four filters hit every one of 16 honest
# people who wrote tersely, dictated, pasted from notes or wrote German; so a researcher switches them on.
NAMED_SETS: Mapping[str, NamedSet] = {
    "default": NamedSet(
        "Default rules",
        "Without the checks of writing style and those of the answers to the question of interest.",
        DEFAULTS,
    ),
    "papers": NamedSet(
        "Rules from the papers",
        "Adds the checks of writing style. They may wrongly exclude people who write "
        "tersely, dictate, paste from notes or write in another language.",
        tuple(check.kind for check in FILTERS if check.default or check.style),
    ),
}
NEVER_ALONE = frozenset(check.kind for check in FILTERS if not check.alone)


def rule_of(kind: str) -> str:
    """The rule behind a flag, in words."""
    if sentence := BY_FLAG.get(kind) or OF_TEXTS.get(kind):
        return sentence
    return f"{BY_KIND[kind].id}: {BY_KIND[kind].rule}." if kind in BY_KIND else kind


def rule_without_code(kind: str) -> str:
    """The rule behind a flag as pages say it: codes such as F8 are for the methods appendix."""
    sentence = CODE.sub("", rule_of(kind))
    return sentence[:1].upper() + sentence[1:]


def title_of(kind: str) -> str:
    """A flag's name for a reader."""
    if kind == BROKEN_PAIR:
        return "Contexts that lost a side"
    return BY_KIND[kind].title if kind in BY_KIND else kind.replace("_", " ").capitalize()
