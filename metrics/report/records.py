"""What a report is made from: facts a requester's database (or any other source) hands over.

Every record is frozen and free of any framework. A fact that was not recorded is None (or an empty
tuple) and is printed as "not recorded", never skipped. Datetimes are aware. Nobody's real worker id
belongs here: raters are pseudonyms.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from fractions import Fraction
from functools import cached_property
from typing import Literal

from metrics.data.answer_types import AnswerType
from metrics.data.arm_assignment import ArmAssignment, assignment_sentence
from metrics.data.criterion_names import TYPICAL, WRITTEN_BY
from metrics.report.row_records import (
    AssignmentRow,
    Attached,
    CodeRow,
    CommentRow,
    ConditionFacts,
    DrawFacts,
    PageFacts,
    PlanFacts,
    RuleFacts,
    TaskPlan,
)
from metrics.types import Item, Setting, Source

# Tasks as `StudyFacts.task` named them before answer types were recorded; their answers are labels without an order.
PAIRWISE, ERROR_LABELS = "pairwise preference", "error labels"
ANSWER_TYPES = frozenset(AnswerType)
StudyMode = Literal["rehearsal", "live", "imported"]


@dataclass(frozen=True, slots=True)
class ScaleLabel:
    """One answer of the scale.

    name: the label as the rater chose it (`Very Typical`).
    code: its number in the coding that the report shows.
    gloss: the explanation of the label, "" for none.
    """

    name: str
    code: int | Fraction
    gloss: str = ""


def describe_coding(scale: Sequence[ScaleLabel]) -> str:
    """The scale's numbers in words: `0 to 5, 0 = Invalid, 5 = Very Typical`; "" without labels."""
    if not scale:
        return ""
    low, high = (choose(scale, key=lambda label: label.code) for choose in (min, max))
    lowest, highest = (f"{float(label.code):g}" for label in (low, high))
    named = "" if low.name == lowest else f", {lowest} = {low.name}, {highest} = {high.name}"
    return f"{lowest} to {highest}{named}"


@dataclass(frozen=True, slots=True)
class SelectionStep:
    """One rule by which texts were chosen, in the order in which the rules ran.

    rule: in words (`at least 100 words`). before, removed, after: texts. changed: texts it cut.
    sides: (reference or a generator's name, texts before, texts after). note: what else it did, "" for nothing.
    """

    rule: str
    before: int
    removed: int
    after: int
    changed: int = 0
    sides: tuple[tuple[str, int, int], ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class ExtrasFacts:
    """What a task showed besides the judged texts: (the fewest, the most) in a task.

    attention_checks: places that ask for a label. repeats: texts shown again. gold: texts whose answer is known.
    """

    attention_checks: tuple[int, int] = (0, 0)
    repeats: tuple[int, int] = (0, 0)
    gold: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class StudyFacts:
    """What was asked and how it was laid out.

    name: the study's name as its owner knows it.
    task: the kind of task (`typicality ratings`).
    question: wording of the question as raters read it, several joined by " / ".
    noun: what one text is called (`headline`, `sentence`).
    scale: labels in the order shown; their codes are the coding shown (rule of HJ).
    coding: the coding in words (`0 to 5, 0 = Invalid`).
    mode: a rehearsal (simulated raters), live (people), or imported data.
    instructions: instructions as shown to raters.
    created_at: when the study was designed.
    collected_from, collected_to: first and last submission.
    hits: HITs published. texts_per_hit: texts in one HIT. raters_per_text: raters planned for each text.
    interleaving: one sentence on how sources were mixed within a HIT and how the order was drawn.
    seed: seed of packing and order.
    provenance: one line per thing worth telling about where the data come from (file names, SHA-256, licence).
    selection: the rules that chose the texts; None where none was recorded.
    aim: what the researchers wanted to find out, in their words; no rater read it.
    extras: checks, repeats and gold texts that tasks held; None where it is not known.
    arm_assignment: how raters came to their arm; None where it is not known.
    answers: (criterion, what its answers are: an `AnswerType`); empty where it is not known.
    """

    name: str
    task: str
    question: str
    noun: str
    scale: tuple[ScaleLabel, ...]
    coding: str
    mode: StudyMode
    instructions: str | None = None
    created_at: datetime | None = None
    collected_from: datetime | None = None
    collected_to: datetime | None = None
    hits: int | None = None
    texts_per_hit: int | None = None
    raters_per_text: int | None = None
    interleaving: str | None = None
    seed: int | None = None
    provenance: tuple[str, ...] = ()
    selection: tuple[SelectionStep, ...] | None = None
    aim: str | None = None
    extras: ExtrasFacts | None = None
    arm_assignment: ArmAssignment | None = None
    answers: tuple[tuple[str, str], ...] = ()

    @property
    def numbers(self) -> str:
        """Of a study that asks for whole numbers, from which to which: `0 to 100, 0 = Bad, 100 = Good`."""
        codes = [float(label.code) for label in self.scale]
        ends = f"{min(codes):g} to {max(codes):g}" if codes else ""
        return self.coding if self.coding.startswith(ends) else f"{ends}, {self.coding}"


@dataclass(frozen=True, slots=True)
class MoneyFacts:
    """What the study cost and what it paid. Whole minor units of `currency` (cents, yen), in fields named cents too.

    reward_cents: reward of one assignment.
    paid_cents: rewards paid in all. fee_cents: marketplace fees in all. bonus_cents: bonuses in all.
    total_cents: everything the requester spent.
    lower_seconds, median_seconds, upper_seconds: quartiles of the time one assignment took, in seconds.
    wage_cents: hourly wage implied by the reward and the median time (rule 2.33), in minor units an hour.
    """

    reward_cents: int | None = None
    paid_cents: int | None = None
    fee_cents: int | None = None
    bonus_cents: int | None = None
    total_cents: int | None = None
    lower_seconds: float | None = None
    median_seconds: float | None = None
    upper_seconds: float | None = None
    wage_cents: int | None = None
    currency: str = "USD"


@dataclass(frozen=True, slots=True)
class CrowdFacts:
    """Who rated.

    provider: channel or marketplace the raters came through.
    criteria: recruitment rules, one sentence each (`approval rate above 95 %`).
    workers: people who submitted at least one assignment.
    submitted: assignments submitted; of these approved and rejected (payment), excluded (analysis).
    returned: assignments accepted and given back or run out of time.
    reversed: rejections that reviewers reversed. replied: submissions whose worker replied to the decision.
    consent, ethics: how consent was asked; ethics approval.
    pays: how people were paid, a sentence each way; empty where it is not known.
    """

    provider: str | None = None
    criteria: tuple[str, ...] = ()
    workers: int | None = None
    submitted: int | None = None
    approved: int | None = None
    rejected: int | None = None
    excluded: int | None = None
    returned: int | None = None
    consent: str | None = None
    ethics: str | None = None
    pays: tuple[str, ...] = ()
    reversed: int | None = None
    replied: int | None = None


@dataclass(frozen=True, slots=True)
class FlagFacts:
    """One quality rule and what it found: `assignments` of `of` were flagged, `excluded` of them left the analysis."""

    name: str
    rule: str
    assignments: int
    of: int
    excluded: int


@dataclass(frozen=True, slots=True)
class KnownValue:
    """A value known by simulation or by construction; `error` is its Monte-Carlo standard error (0 = exact)."""

    value: float
    error: float = 0.0


@dataclass(frozen=True, slots=True)
class Truth:
    """What is known of one generator in a rehearsal; three different truths, never mixed.

    temperature: sampling temperature of the generator.
    l_star: 1 - TV between reference and generator, in [0, 1].
    l_phi, l_phi_q: doubled Bayes error on (log p / length, expected label code), and on the label code alone.
    huse, huse_q, huse_d: expectation of the estimator at this study's number of texts and raters.
    studies: simulated studies behind the expectations.
    raters, texts: raters per text and texts per source of those simulated studies.
    """

    temperature: float
    l_star: KnownValue
    l_phi: KnownValue
    l_phi_q: KnownValue
    huse: KnownValue
    huse_q: KnownValue
    huse_d: KnownValue
    studies: int
    raters: int
    texts: int


@dataclass(frozen=True, slots=True)
class GeneratorFacts:
    """One generator (a model at a decoding setting) against the references.

    name: unique within the study.
    items: references (with *this* generator's log-probabilities) and this generator's texts; `Item.id` is the
        text's id in `ReportInput.texts`, `Item.context` the id of its context.
    decoding: how the outputs were decoded (`sampling, t=0.7`).
    log_prob_decoding: the distribution the log-probabilities belong to; a difference from `decoding` warns.
    length_unit: unit of `Item.length` (`whitespace`, `model_token`, `char`).
    truth: known truths of a rehearsal, None otherwise.
    log_prob_model: what gave the log-probabilities (model, revision, tokenizer, number format).
    generation: settings that all of its texts were made by, one sentence each (`model = tiny`).
    dropped: texts that exclusions remove from the results, for results without exclusions.
    """

    name: str
    items: tuple[Item, ...]
    decoding: str | None = None
    log_prob_decoding: str | None = None
    length_unit: str = "whitespace"
    truth: Truth | None = None
    log_prob_model: str | None = None
    generation: tuple[str, ...] = ()
    dropped: tuple[Item, ...] = ()


@dataclass(frozen=True, slots=True)
class TextRow:
    """One judged text.

    id: as in Item.id. source: reference or model. generator: its generator's name, None for a reference.
    body: the text as shown. context_id: id shared by the texts of one context. context: the context as shown.
    corpus_count: how often it occurs in the corpus `corpus_name`.
    """

    id: str
    source: Source
    generator: str | None
    body: str
    context_id: str | None = None
    context: str | None = None
    corpus_count: int | None = None
    corpus_name: str = ""


@dataclass(frozen=True, slots=True)
class RatingRow:
    """One judgment.

    text: id of the text. rater: pseudonym. hit: label of the HIT. position: place within the HIT, from 1.
    label: the label as chosen. value: its number in the coding shown.
    kept: False where the judgment was excluded from the analysis (it stays in ratings.csv).
    criterion: what was asked (`typicality`, `human_or_machine`, or a scale of the study's own).
    condition: name of its `ConditionFacts`, "" where there is one only. partner: the other text of a pair.
    turned: of a pair, whether the partner was on the left; None where it is not known.
    """

    text: str
    rater: str
    label: str
    value: int | Fraction
    hit: str | None = None
    position: int | None = None
    kept: bool = True
    criterion: str = TYPICAL
    condition: str = ""
    partner: str | None = None
    turned: bool | None = None

    @property
    def unit(self) -> str:
        """Its assignment: a rater does a HIT once at most, so rater and HIT name it."""
        return unit_of(self.hit, self.rater)


def unit_of(hit: str | None, rater: str) -> str:
    """One name of an assignment, by its HIT and who did it."""
    return f"{hit or ''}\n{rater}"


@dataclass(frozen=True, slots=True)
class Warn:
    """Something a reader must know. kind: a short stable name. sentence: for people, ends with a full stop."""

    kind: str
    sentence: str


@dataclass(frozen=True)
class ReportInput:
    """Everything `build` needs.

    warnings: what the caller already knows; `build` adds what it finds in the data.
    flags: quality rules and what they found; None where none was run.
    versions: (name, version) of the platform and its libraries. commit: revision of the platform.
    settings: (name, value) pairs of the study's configuration, JSON-ready.
    command: the command that makes this report again.
    conditions, assignments, comments, codes, pages, plan, attached: see `particulars`; empty or None: not recorded.
    quality: sentences on exclusions, as a methods section would say them; None where nothing was decided.
    licence: of the texts. language: of the texts, in English. statements: (key, words) that only a person can say:
    `reference`, `contact`, `input`, `people`, `criterion`, `impact` of the datasheet, `demographics` of the raters.
    codebook, criteria: (category, its codes) of what comments say, and of what is judged of the work by them. unscored:
    generators that HUSE is not asked of, as where evaluators tell who wrote what; without items. rules: those of
    exclusion whose effect is reported; None where no filter has measured the work. task_plan: None for an import.
    """

    study: StudyFacts
    generators: tuple[GeneratorFacts, ...]
    texts: tuple[TextRow, ...]
    ratings: tuple[RatingRow, ...] = ()
    money: MoneyFacts = field(default_factory=MoneyFacts)
    crowd: CrowdFacts = field(default_factory=CrowdFacts)
    flags: tuple[FlagFacts, ...] | None = None
    warnings: tuple[Warn, ...] = ()
    versions: tuple[tuple[str, str], ...] = ()
    commit: str | None = None
    settings: tuple[tuple[str, Setting], ...] = ()
    command: str | None = None
    conditions: tuple[ConditionFacts, ...] = ()
    assignments: tuple[AssignmentRow, ...] = ()
    comments: tuple[CommentRow, ...] = ()
    codes: tuple[CodeRow, ...] = ()
    pages: tuple[PageFacts, ...] = ()
    plan: PlanFacts | None = None
    attached: tuple[Attached, ...] = ()
    quality: tuple[str, ...] | None = None
    licence: str | None = None
    language: str | None = None
    statements: tuple[tuple[str, str], ...] = ()
    codebook: tuple[tuple[str, tuple[str, ...]], ...] = ()
    criteria: tuple[tuple[str, tuple[str, ...]], ...] = ()
    unscored: tuple[GeneratorFacts, ...] = ()
    rules: tuple[RuleFacts, ...] | None = None
    draw: DrawFacts | None = None
    task_plan: TaskPlan | None = None

    @property
    def assignment(self) -> str:
        """What a comparison of the arms must say of how raters came to them; "" with one arm, or where it was drawn."""
        if len(self.conditions) < 2:
            return ""
        return assignment_sentence(self.study.arm_assignment, ahead=not self.is_rated)

    @property
    def has_single_condition(self) -> bool:
        """Whether it is known that everybody worked in the same condition."""
        return bool(self.assignments) and not self.conditions

    @property
    def is_rated(self) -> bool:
        """Whether any text is rated, by single ratings or by a mean."""
        return bool(self.ratings) or any(item.hj is not None for facts in self.generators for item in facts.items)

    @property
    def raters(self) -> int | None:
        """People who rated: as recorded, else as the ratings name them; None where neither is known."""
        recorded = self.crowd.workers
        return recorded if recorded is not None else len({rating.rater for rating in self.ratings}) or None

    @property
    def share_of_raters(self) -> str:
        """How many of the raters are in the analysis, to follow their number; "" where all are."""
        included = len({rating.rater for rating in self.ratings if rating.kept})
        is_less = self.ratings and included != self.raters
        return f" ({included or 'none'} of them in the analysis)" if is_less else ""

    @cached_property
    def in_pairs(self) -> bool:
        """Whether two texts are judged side by side."""
        if self.study.answers:
            return AnswerType.PREFERENCE in dict(self.study.answers).values()
        return self.study.task == PAIRWISE or any(rating.partner is not None for rating in self.ratings)

    @property
    def is_nominal(self) -> bool:
        """Whether all answers are labels without an order, of which no mean is taken."""
        if self.study.answers:
            return all(self.answer_of(criterion).is_nominal for criterion, _ in self.study.answers)
        return self.in_pairs or self.study.task == ERROR_LABELS

    @property
    def has_coding(self) -> bool:
        """Whether the labels of `study.scale`, which are those of the first criterion, have an order."""
        if self.study.answers:
            return not self.answer_of(self.study.answers[0][0]).is_nominal
        return not self.is_nominal

    def answer_of(self, criterion: str) -> AnswerType:
        """What the answers on a criterion are; where that is not recorded, by the task and the criterion's name."""
        stored = dict(self.study.answers).get(criterion)
        if stored in ANSWER_TYPES:
            return AnswerType(stored)
        if criterion == WRITTEN_BY:
            return AnswerType.TWO_SIDED
        if self.study.task == ERROR_LABELS:
            return AnswerType.SINGLE_LABEL
        return AnswerType.PREFERENCE if not self.study.answers and self.in_pairs else AnswerType.ORDINAL

    def labels_of(self, criterion: str) -> tuple[ScaleLabel, ...]:
        """The labels that raters could choose, in the order shown; () where they are not known, or ratings have others.

        `study.scale` has those of the first criterion, the task text those of all.
        """
        if not self.study.answers or criterion == self.study.answers[0][0]:
            labels = self.study.scale
        else:
            stored = json.loads(self.task_plan.wording) if self.task_plan else {}
            rows = [each["labels"] for each in stored.get("criteria", ()) if each["name"] == criterion]
            labels = tuple(ScaleLabel(name, Fraction(code), gloss) for name, code, gloss in (rows[0] if rows else ()))
        if self.answer_of(criterion) is AnswerType.NUMBER:
            return labels
        codes = {label.name: label.code for label in labels}
        rated = (row for row in self.ratings if row.criterion == criterion)
        return labels if all(row.label in codes and codes[row.label] == row.value for row in rated) else ()

    @property
    def ratings_on_criteria(self) -> dict[tuple[str, str], int]:
        """The ratings that count by judged text (or pair) and criterion; labels of one answer count once."""
        units: dict[tuple[str, str], set[str]] = {}
        for rating in self.ratings:
            if rating.kept:
                units.setdefault((rating.text, rating.criterion), set()).add(rating.unit)
        return {key: len(raters) for key, raters in units.items()}

    def criteria_of(self, answer: AnswerType) -> frozenset[str]:
        """The rated criteria that are answered so."""
        rated = {rating.criterion for rating in self.ratings}
        return frozenset(criterion for criterion in rated if self.answer_of(criterion) is answer)

    def ratings_of(self, answer: AnswerType) -> list[RatingRow]:
        """The ratings that count, of all criteria that are answered so."""
        criteria = self.criteria_of(answer)
        return [rating for rating in self.ratings if rating.kept and rating.criterion in criteria]

    @property
    def systems(self) -> tuple[GeneratorFacts, ...]:
        """Every generator, with or without HUSE."""
        return (*self.generators, *self.unscored)

    def statement(self, key: str) -> str | None:
        """Return what a person stated under that key, or None."""
        return dict(self.statements).get(key)
