"""Add the sample texts of a study's task kind: for a first try without texts of one's own."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from annotation.design.configure import configure
from annotation.design.kinds import find_kind, kind_called
from annotation.design.task_kind import TaskKind
from annotation.design.training_file import read_training
from annotation.design.training_items import ARMS, items_of, with_items
from annotation.design.wording import from_json
from annotation.exceptions import StateError
from annotation.importing.add_texts import TextsAdded, add_texts
from annotation.models import Study
from annotation.readers.problem_codes import Code
from annotation.readers.texts import read_texts
from annotation.studies.create import reword

# Texts of two systems need no reference, and one text among several of people needs more than one.
SIDES = (Code.UNPAIRED_CONTEXT, Code.TWO_REFERENCES)


# Raters of a condition who are enough to look at a report of simulated people.
RATERS_OF_A_TRY = 12


def has_samples(study: Study) -> bool:
    """Whether the study has no texts yet, and its task kind brings samples."""
    kind = find_kind(study.task)
    is_empty = study.status == Study.Status.DRAFT and not study.texts.exists()
    return is_empty and kind is not None and kind.samples is not None


def add_samples(study: Study, *, actor: str, now: datetime) -> TextsAdded:
    """Add the samples of the study's task kind, and sample items to trainings that have none.

    A rehearsal keeps at most RATERS_OF_A_TRY raters of a condition: `study` says how many it has afterwards.

    Raises StateError where the study has texts or its task kind has no samples, DesignError where the kind is not
    installed, FileProblems for samples that cannot be read.
    """
    kind = kind_called(study.task)
    if kind.samples is None:
        raise StateError(f"The task type {kind.title} has no sample texts. Add a file of texts.")
    if study.texts.exists():
        raise StateError(f"The study {study.name} has texts. Sample texts are added to a study without texts only.")
    file = read_texts(kind.samples, allow=SIDES)
    added = add_texts(study, file.texts, actor=actor, now=now, origin=file.provenance)
    if kind.sample_training:
        _add_training(study, kind, actor=actor, now=now)
    if study.mode == Study.Mode.REHEARSAL and (study.evaluators_per_cell or 0) > RATERS_OF_A_TRY:
        configure(study, {"evaluators_per_cell": RATERS_OF_A_TRY}, actor=actor, now=now)
    return added


def _add_training(study: Study, kind: TaskKind, *, actor: str, now: datetime) -> None:
    stored = study.wordings.last()
    if stored is None or kind.sample_training is None:
        return
    wording, samples = from_json(stored.body), read_training(kind.sample_training).training
    training = wording.training
    for arm in ARMS:
        if items_of(samples, arm) and not items_of(training, arm):
            training = with_items(training, arm, items_of(samples, arm))
    reword(study, replace(wording, training=training), actor=actor, now=now)
