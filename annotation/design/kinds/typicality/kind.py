"""Typicality: how often readers would come across a text like this one (Hashimoto et al. 2019), for HUSE."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from annotation.design.criteria import Criterion, Labels
from annotation.design.task_kind import TaskKind
from annotation.design.wording import SETTINGS, Wording
from annotation.exceptions import DesignError
from metrics.data.answer_types import AnswerType

NAME = "typicality"
QUESTION = "How typical is this {noun}?"

# HUSE (Hashimoto et al. 2019), Appendix A.3: the labels are terms of the field; codes 0-5 as printed there.
# The glosses are ours.
LABELS: Labels = (
    ("Very Typical", "5", "You would expect to come across this all the time."),
    ("Typical", "4", "You would often come across something like this."),
    ("Average", "3", "It would not surprise you, but you would see it less often than a typical one."),
    ("Specific", "2", "It is right, but only in a very particular setting."),
    ("Rare", "1", "It could be right somewhere, but you would be surprised to see it."),
    ("Invalid", "0", "It is not a valid one: clearly false, off the subject, or not grammatical."),
)

WORDING = Wording(
    kind=NAME,
    title="How typical is each {noun}?",
    description="Read short {nouns} and say for each how often you would come across one like it.",
    keywords="survey, reading, text, judgment",
    noun="text",
    nouns="texts",
    heading="How typical is each {noun}?",
    intro=(
        "For each {noun}, say how often you would expect to come across one just like it. Please also take into "
        "account whether it is grammatical{context:, fits what is given above it,} and makes sense.",
        "Longer {nouns} are rarer word for word; please do not mark one down for its length alone.",
    ),
    criteria=(Criterion("typicality", QUESTION, "typicality", LABELS),),
)

KIND = TaskKind(
    name=NAME,
    title="typicality",
    heading="How typical is each text?",
    measures="Ratings of typicality on six labels. With log-probabilities: HUSE, HUSE-Q and HUSE-D.",
    use_for="To compare generators with references in quality and in diversity at once.",
    wording=WORDING,
    answer=AnswerType.ORDINAL,
    folder=Path(__file__).parent,
    for_huse=True,
    presets=("huse-2019", "frequency-calibration"),
    help_page="tasks/typicality.html",
)


def typicality_of(setting: str) -> Wording:
    """The typicality task for one of SETTINGS. Raises DesignError for an unknown one."""
    if setting not in SETTINGS:
        raise DesignError(f"A setting is one of {', '.join(SETTINGS)}, not {setting}.")
    words = SETTINGS[setting]
    plain = "grammatical{context:, fits what is given above it,} and makes sense"
    intro = WORDING.intro[0].replace(plain, f"grammatical{words['fits']}")
    criterion = replace(WORDING.criteria[0], question=words["question"])
    return replace(
        WORDING, noun=words["noun"], nouns=words["nouns"], intro=(intro, WORDING.intro[1]), criteria=(criterion,)
    )
