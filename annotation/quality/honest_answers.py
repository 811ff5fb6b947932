"""Studies in which everybody is honest, of designs whose answers give means, shares, accuracy or win rates.

What a study is like is drawn anew for each: how far the sources lie apart, how much readers differ. The ranges are
assumed, with `SKILL` from Clark et al. (2021), section 3: untrained evaluators were right in 50 to 58% of their
answers. No answer and no text of the study is read; of its design only numbers are used and the names of its questions
and labels. So which source or condition does better is not known here, and nothing of it can show.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from django.db.models import Q
from django.utils.translation import gettext as _

from annotation.design.criteria import Criterion
from annotation.design.kinds import find_kind
from annotation.design.task_kind import TaskKind
from annotation.design.wording import Wording
from annotation.models import Study, Text
from annotation.quality.honest_design import (
    MAX_PEOPLE,
    MAX_RATERS,
    MAX_TEXTS,
    HonestDesign,
    HonestQuestion,
    MeasureName,
    deal_tasks,
    draw_groups,
)
from annotation.quality.honest_groups import read_labels, work_of
from annotation.quality.key_measures import MAX_LABELS, KeyMeasure, key_of, mean_of_answers
from annotation.quality.work_table import Bools, Floats, Ints, Work
from metrics.data.answer_types import AnswerType

MAX_QUESTIONS = 8
MAX_SOURCES = 6
# Of the range of a scale: how far sources lie apart, how far texts of one source differ.
DIFFERENCE, TEXTS_DIFFER = (0.0, 0.15), 0.15
NOISE = (0.12, 0.24)  # of a reader, in ranges of the scale
SHARED = 0.6  # correlation of two questions over texts
SKILL = (0.0, 0.45)  # of evaluators: with gift and bias 50 to 65% right
GIFT, BIAS = 0.4, 0.5  # standard deviation between people, of the logarithm of their skill and of their bias
BETTER = (0.0, 0.8)  # how far the better text of a pair, and the people's texts of a context, are ahead
SEEN = (0.6, 0.85)  # share of the errors that a reader sees
SECOND_LABEL = 0.15


@dataclass(frozen=True, slots=True)
class Meeting:
    """Who meets what. text: (people, in a task) rows; source: of each text; group, condition: of each person."""

    text: Ints
    source: Ints
    group: Sequence[str]
    condition: Ints

    @property
    def person(self) -> Ints:
        return np.repeat(np.arange(len(self.text)), self.text.shape[1])


Answered = tuple[Ints, list[KeyMeasure]]  # (people, in a task) label of each text, and the measures
Simulate = Callable[[HonestDesign, HonestQuestion, Meeting, Floats, np.random.Generator], Answered]


@dataclass(frozen=True, slots=True)
class AnsweredStudy:
    """A simulated study and what it measures."""

    work: Work
    headlines: Sequence[KeyMeasure]

    @property
    def names(self) -> tuple[MeasureName, ...]:
        return tuple(MeasureName(each.key, each.name, each.percent, each.middle) for each in self.headlines)

    def measures(self, included: Bools) -> tuple[float, ...]:
        """Each measure from the work of the people included."""
        return tuple(each.compute(included) for each in self.headlines)


def answers_design(study: Study, wording: Wording) -> HonestDesign | None:
    """The design as far as it is simulated; None where no answer of the kind is, or there is no whole task."""
    kind = find_kind(study.task)
    questions = tuple(_questions(kind, wording)) if kind else ()
    if kind is None or not questions:
        return None
    texts, contexts, sources = _count_texts(study)
    together = 1
    if kind.in_pairs:
        texts, sources = contexts or texts // 2, max(1, sources * (sources - 1) // 2)
    elif kind.keeps_contexts and contexts:
        together, texts = max(1, round(texts / contexts)), contexts
    if kind.single_generated:
        together, sources = max(2, together), sources - 1
    per_task = max(1, min(study.texts_per_hit, MAX_TEXTS // together, texts))
    raters, cells = min(study.raters_per_text, MAX_RATERS), study.arms.values("cells").count()
    conditions = cells if cells > 1 or study.evaluators_per_cell else 0
    tasks = min(texts // per_task, max(1, MAX_TEXTS // (per_task * together)))
    if conditions:
        raters = min(study.evaluators_per_cell or tasks * raters, max(1, MAX_PEOPLE // conditions))
    else:
        tasks = min(tasks, max(1, MAX_PEOPLE // raters))
    if not texts:
        return None
    labels = main_question(questions).labels
    sources = min(max(sources, 1), MAX_SOURCES)
    return HonestDesign(tasks * per_task, raters, per_task, labels, questions, together, sources, conditions)


def main_question(questions: Sequence[HonestQuestion]) -> HonestQuestion:
    """The question whose answers the checks look at: of those that are answered alike often, the last by name."""
    return max(questions, key=lambda question: question.name)


def _count_texts(study: Study) -> tuple[int, int, int]:
    """Texts to judge in one condition, their contexts and their sources; of the largest where conditions differ."""
    judged = study.texts.judged().filter(known_label="").order_by()
    counted = []
    conditions: set[tuple[str | None, int | None]] = set(study.arms.values_list("cells__domain", "cells__generator"))
    for domain, generator in conditions or {("", None)}:
        texts = judged.filter(domain=domain) if domain else judged
        if generator:
            texts = texts.filter(Q(generator=generator) | Q(source=Text.Source.REFERENCE))
        contexts = texts.exclude(context=None).values("context").distinct().count()
        counted.append((texts.count(), contexts, texts.values("source", "generator").distinct().count()))
    return max(counted)


def _questions(kind: TaskKind, wording: Wording) -> Iterator[HonestQuestion]:
    """The questions whose answers are simulated: those of the first one's sort, or with a mean of their own."""
    for criterion in wording.criteria[:MAX_QUESTIONS]:
        answer = kind.answer_of(criterion)
        if answer in SIMULATED:
            yield _question(kind, criterion, answer)


def _question(kind: TaskKind, criterion: Criterion, answer: AnswerType) -> HonestQuestion:
    labels = kind.labels_of(criterion)
    codes = [Fraction(code) for _, code, _ in labels]
    step = float(max(codes) - min(codes)) / max(1, len(labels) - 1)
    names = tuple(name for name, _, _ in sorted(labels, key=lambda row: Fraction(row[1])))
    return HonestQuestion(
        criterion.name, answer.value, len(labels), step, names[:MAX_LABELS] if answer in COUNTED else ()
    )


def draw_answered_study(design: HonestDesign, words: Sequence[int], rng: np.random.Generator) -> AnsweredStudy:
    """Simulate one study in which everybody is honest."""
    unit, condition = deal_tasks(design, rng)
    units = design.texts * max(1, design.conditions)
    # All texts of a context follow each other, in an order of their own for each person.
    order = rng.permuted(np.tile(np.arange(design.together), (*unit.shape, 1)), axis=2)
    text = (unit[:, :, None] * design.together + order).reshape(len(unit), -1)
    source = np.repeat(np.arange(units) % design.sources, design.together)
    meeting = Meeting(text, source, draw_groups(len(text), rng), condition)
    shared, main = rng.standard_normal(len(source)), main_question(design.questions)
    labels: dict[str, Ints] = {}
    headlines: list[KeyMeasure] = []
    for question in design.questions:
        quality = np.sqrt(SHARED) * shared + np.sqrt(1 - SHARED) * rng.standard_normal(len(source))
        simulate = SIMULATED[AnswerType(question.answer)]
        labels[question.name], measured = simulate(design, question, meeting, quality, rng)
        headlines += measured
    length = rng.choice(np.asarray(words, dtype=np.int64), len(source))
    work = work_of(meeting.group, text, labels[main.name], length=length, labels=main.labels, rng=rng)
    return AnsweredStudy(replace(work, cell=condition), headlines)


# Each simulates the answers to one question. quality: (texts,) hidden, standard normal.


def _rate(
    design: HonestDesign, question: HonestQuestion, meeting: Meeting, quality: Floats, rng: np.random.Generator
) -> Answered:
    """Labels in order: the mean of a source, less that of another where there is one. The first is the better one."""
    better = rng.uniform(*DIFFERENCE) * (meeting.source == 0)
    impression = (0.55 + better + TEXTS_DIFFER * quality) * (question.labels - 1)
    label = read_labels(
        meeting.group, meeting.text, impression=impression, labels=question.labels, rng=rng, noise=rng.uniform(*NOISE)
    )
    value, text = np.asarray(label.ravel() * question.step, dtype=np.float64), meeting.text.ravel()
    chosen = meeting.source[text] < 2
    second = meeting.source[text][chosen] == 1 if design.sources > 1 else None
    key = key_of(question.name, AnswerType.ORDINAL)
    name = (_("%(question)s: difference of means") if design.sources > 1 else _("%(question)s: mean")) % {
        "question": question.name
    }
    middle = 0.0 if design.sources > 1 else None
    return label, [
        KeyMeasure(key, name, meeting.person[chosen], value[chosen], text[chosen], second, percent=False, middle=middle)
    ]


def _tell_source(
    design: HonestDesign, question: HonestQuestion, meeting: Meeting, quality: Floats, rng: np.random.Generator
) -> Answered:
    """Who wrote a text: accuracy, each evaluator alike, of all and of one condition. Source 0 are people."""
    side = np.where(meeting.source > 0, 1.0, -1.0)
    skill = rng.uniform(*SKILL) * np.exp(GIFT * rng.standard_normal((len(meeting.text), 1)))
    bias = BIAS * rng.standard_normal((len(meeting.text), 1))
    doubt = skill * (side + quality)[meeting.text] + bias + rng.standard_normal(meeting.text.shape)
    label = np.searchsorted(np.linspace(-1, 1, question.labels - 1), doubt)
    right = ((label >= question.labels / 2) == (side[meeting.text] > 0)).astype(np.float64).ravel()
    person = meeting.person
    of_all = key_of(question.name, AnswerType.TWO_SIDED)
    headlines = [KeyMeasure(of_all, _("Accuracy of all evaluators"), person, right, person)]
    if design.conditions > 1:
        mine = meeting.condition[person] == 0
        in_condition = key_of(question.name, AnswerType.TWO_SIDED, CONDITION)
        headlines.append(
            KeyMeasure(in_condition, _("Accuracy in a condition"), person[mine], right[mine], person[mine])
        )
    return label, headlines


def _prefer(
    design: HonestDesign, question: HonestQuestion, meeting: Meeting, quality: Floats, rng: np.random.Generator
) -> Answered:
    """Which text of a pair: the win rate of a system, ties half. The first system is the better one."""
    ahead = rng.uniform(*BETTER) + quality
    seen = ahead[meeting.text] + rng.standard_normal(meeting.text.shape)
    width = 0.5 if question.labels % 2 else 0.0
    cuts = np.linspace(-1, 1, question.labels - 1) * (width or 1.0) if question.labels > 2 else np.zeros(1)
    label = np.searchsorted(cuts, seen)
    mine = (meeting.source[meeting.text] == 0).ravel()
    won = 0.5 + 0.5 * np.sign(label.ravel()[mine] - (question.labels - 1) / 2)
    name = _("%(question)s: win rate") % {"question": question.name}
    key = key_of(question.name, AnswerType.PREFERENCE)
    return label, [mean_of_answers(key, name, meeting.person[mine], won, middle=0.5)]


def _choose(
    design: HonestDesign, question: HonestQuestion, meeting: Meeting, quality: Floats, rng: np.random.Generator
) -> Answered:
    """Which text of a context a machine wrote: how often a generator's text is chosen. The first text is its."""
    people, k = len(meeting.text), design.together
    machine = meeting.text % k == 0
    seen = quality[meeting.text] + rng.standard_normal(meeting.text.shape) - rng.uniform(*BETTER) * machine
    shown = seen.reshape(people, -1, k)
    label = (np.arange(k) == shown.argmin(axis=2)[:, :, None]).astype(np.int64).reshape(meeting.text.shape)
    mine = (machine & (meeting.source[meeting.text] == 0)).ravel()
    chosen = label.ravel()[mine].astype(np.float64)
    name = _("%(question)s: machine text chosen") % {"question": question.name}
    key = key_of(question.name, AnswerType.CHOSEN_TEXT)
    return label, [mean_of_answers(key, name, meeting.person[mine], chosen)]


def _label(
    design: HonestDesign, question: HonestQuestion, meeting: Meeting, quality: Floats, rng: np.random.Generator
) -> Answered:
    """Labels without an order: how often each is chosen for the texts of a source."""
    rates = rng.dirichlet(np.ones(question.labels))
    true = rng.choice(question.labels, len(meeting.source), p=rates)
    sees = rng.random(meeting.text.shape) < rng.uniform(*SEEN, (len(meeting.text), 1))
    label = np.where(sees, true[meeting.text], rng.choice(question.labels, meeting.text.shape, p=rates))
    mine = (meeting.source[meeting.text] == 0).ravel()
    chosen = np.arange(question.labels) == label.ravel()[mine][:, None]
    if question.answer == AnswerType.SEVERAL_LABELS:
        chosen |= rng.random(chosen.shape) < SECOND_LABEL * rates
    person = meeting.person[mine]
    return label, [
        mean_of_answers(key_of(question.name, AnswerType.SINGLE_LABEL, name), name, person, chosen[:, at].astype(float))
        for at, name in enumerate(question.names)
    ]


CONDITION = "condition"
COUNTED = (AnswerType.SINGLE_LABEL, AnswerType.SEVERAL_LABELS)
SIMULATED: Mapping[AnswerType, Simulate] = {
    AnswerType.ORDINAL: _rate,
    AnswerType.NUMBER: _rate,
    AnswerType.TWO_SIDED: _tell_source,
    AnswerType.PREFERENCE: _prefer,
    AnswerType.CHOSEN_TEXT: _choose,
    AnswerType.SINGLE_LABEL: _label,
    AnswerType.SEVERAL_LABELS: _label,
}
