"""What the appendix lists as not recorded: each fact once, under a name that says what it is of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from metrics.report.checklists.completeness import AGREEMENT, TEST, ChecklistItem
from metrics.report.checklists.missing import MissingFact

# By its name in one part of the appendix, the name in the list: parts that ask for the same fact give it one name.
NAMES = {
    "Raters": "Number of raters",
    "Number of evaluators": "Number of raters",
    "Criteria": "Criteria that raters met",
    "Criteria that evaluators met": "Criteria that raters met",
    "How outputs were chosen": "Selection and truncation of texts",
    "Definition of the criterion as given to evaluators": "Instructions as shown",
    "Question shown to evaluators": "Question as shown",
    "How texts were allotted and ordered": "Mixing and order of sources",
    "Scale": "Scale of every criterion",
    "Size of the scale": "Scale of every criterion",
    "Values of the scale": "Scale of every criterion",
    "Assignments": "Assignments submitted",
    "Responses for each text": "Ratings per text",
    "Every text with its judgment": "Items by source",
    "Outputs evaluated of each system": "Items by source",
    "Where and when evaluators worked": "First submission",
    "Quality assurance": "Quality rules",
    "Inter-rater agreement": "Agreement of raters",
    "Where the resources are (outputs, tools, code)": "Where the data come from",
    "HITs": "Number of HITs",
    "Versions": "Versions of the software",
    "Commit": "Commit of the software",
    "Command": "Command that makes this report",
    "Settings": "Settings of the study",
    "Size of a task": "Size of a task, at most",
    "Texts per HIT, at most": "Size of a task, at most",
    "Pairs per HIT, at most": "Size of a task, at most",
    "Also in each task": "Checks, repeats and gold texts in each task",
    "Designed": "When the study was designed",
    "Registered": "Address of the registered plan",
    "Registered beforehand": "Address of the registered plan",
    "Plan logged": "When the plan was logged",
    "Statistical power of the sample": "Planned power",
    "Conditions": "Conditions of the design",
    "Approved (paid)": "Assignments approved (paid)",
    "Rejected (not paid)": "Assignments rejected (not paid)",
    "Excluded from analysis": "Assignments excluded from the analysis",
    "Verification against other metrics": "Verification of the near-negative tests against other metrics",
    "Calibration of the thresholds": "Calibration of the thresholds of human-likelihood",
    "Agreement with people": "Agreement of automatic scores with people",
}


# What Assay computes where the ratings allow it: nobody can record it.
COMPUTED = frozenset((AGREEMENT, TEST))


def list_unrecorded(
    unknown: Iterable[str], checklist: Sequence[ChecklistItem], missing: Sequence[MissingFact]
) -> list[str]:
    """The list; it never names what the checklist has, and names what that lacks and a person can record.

    unknown: names of facts that the parts of the appendix do not know, in order. missing: facts that the page asks a
    person for, which are not listed twice.
    """
    requested = {name for fact in missing for name in fact.printed_as}
    requested |= {NAMES[name] for name in requested if name in NAMES}
    recorded = {name for item in checklist if item.recorded for name in item.printed_as}
    names = [NAMES.get(name, name) for name in unknown]
    listed = {*names, *requested}
    names += [item.printed_as[0] for item in checklist if not item.recorded and not listed & {*item.printed_as}]
    return [name for name in dict.fromkeys(names) if name not in recorded | requested | COMPUTED]
