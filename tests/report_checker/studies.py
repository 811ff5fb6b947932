"""Random rehearsed studies of every kind: designed by the project's verbs, worked on by rows that this module writes.

What a seed draws is a `Draw`; `rehearse` makes it. Simulated raters answer at random around a quality of each text, so
that a hundred studies take minutes. No marketplace is between, as it is in `manage.py rehearse`.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from annotation.collecting.withdraw import withdraw
from annotation.design.arrange_cells import arrange
from annotation.design.kinds import default_wording, labels_of
from annotation.design.lay_out import design
from annotation.design.presets import ArmPlan, CellPlan, preset_called
from annotation.design.wording import Practice, PracticePair, Training, Wording
from annotation.exceptions import DesignError
from annotation.importing.add_texts import add_texts
from annotation.models import (
    AuditEvent,
    CheckAnswer,
    Decision,
    Hit,
    Intent,
    Judgment,
    LedgerEntry,
    Parse,
    Participation,
    Presentation,
    Reply,
    Scale,
    ScaleLabel,
    Statement,
    Study,
    Submission,
    WayIn,
    Worker,
    WorkerIdentity,
)
from annotation.quality.assess import assess
from annotation.quality.rules import Rule
from annotation.readers.records import LikelihoodRecord, TextRecord
from annotation.review.exclude import apply_rules, exclude_submissions, fix_rules, include_submissions
from annotation.studies.create import Plan, create
from annotation.studies.freeze_plan import amend_plan, seal_plan
from annotation.studies.plan_document import KEYS
from annotation.studies.unblind import unblind
from tests.report_checker.rare import FIRST_RARE, RARE, attach_files, draw_people, log_plan

START = datetime(2026, 10, 5, 9, 30, tzinfo=UTC)
KINDS = ("typicality", "human_or_machine", "likert", "error_labels", "pairwise")
# Further tasks, in seeds from 100 on: (task type, preset of its words).
FURTHER = (
    ("direct_assessment", "direct-assessment"),
    ("likert", "several-criteria"),
    ("document_rating", "documents"),
    ("which_machine", "which-of-k"),
    ("pairwise", "preference"),
    ("error_labels", "error-labels"),
)
TWICE = " twice"  # of a preset: with a second question, which is answered in the same way
FIRST_FURTHER = 100
# Designs and outcomes that chance does not bring, in seeds from 200 on: what differs from the study of another seed.
ODD: tuple[tuple[int, dict[str, Any]], ...] = (
    (0, {"per_hit": 1, "texts": 10, "k": 3, "extras": (0, 0), "outcome": "approved"}),
    (0, {"texts": 10, "references": 2, "k": 5, "extras": (0, 0), "outcome": "approved"}),
    (5, {"texts": 20, "references": 14, "k": 3, "generators": ("alpha",), "outcome": "approved"}),
    (5, {"texts": 20, "doubled": True, "contexts": True, "k": 3, "per_hit": 4, "outcome": "approved"}),
    (0, {"texts": 20, "k": 3, "per_hit": 4, "extras": (0, 0), "outcome": "emptied"}),
    (1, {"arms": ("none", "instructions"), "outcome": "emptied"}),
    (10, {"texts": 10, "references": 3, "k": 5, "extras": (0, 0), "outcome": "rules"}),
    (5, {"texts": 10, "k": 16, "generators": ("alpha",), "extras": (0, 0), "contexts": False, "outcome": "approved"}),
    (0, {"texts": 10, "k": 3, "twist": "decoding", "outcome": "approved"}),
    (0, {"texts": 10, "k": 3, "twist": "alike", "generators": ("alpha",), "outcome": "approved"}),
    (0, {"texts": 10, "k": 3, "twist": "flat", "generators": ("alpha",), "outcome": "approved"}),
    (0, {"texts": 10, "k": 3, "twist": "unscored", "generators": ("alpha",), "outcome": "approved"}),
    (1, {"texts": 20, "twist": "worse", "arms": ("none",), "outcome": "approved"}),
    (0, {"texts": 6, "k": 3, "extras": (0, 0), "generators": ("alpha",), "outcome": "approved", "plan": "sealed"}),
    (0, {"texts": 6, "k": 3, "extras": (0, 0), "generators": ("alpha",), "outcome": "excluded", "plan": "amended"}),
    (0, {"texts": 6, "k": 3, "extras": (0, 0), "generators": ("alpha",), "outcome": "approved", "plan": "late"}),
)
# Of the odd ones, those whose plan was sealed: before the work, amended after it, or sealed after it.
FIRST_PLANNED = 200 + len(ODD) - 3
FIRST_ODD = 200
TRAININGS = ("none", "instructions", "examples", "comparison")
MODES = ("rehearsal", "live")
CURRENCIES = ("USD", "EUR", "JPY", "CHF")
WAYS = (
    (),
    (("link", "ledger", ""),),
    (("list", "voucher", "10 EUR"),),
    (("team", "volunteer", ""),),
    (("accounts", "ledger", ""), ("link", "credit", "")),
    (("link", "elsewhere", "paid by the panel"),),
)
IN_CONTEXTS = ("document_rating", "which_machine")  # a question shows all texts of a context
OUTCOMES = ("approved", "rejected", "undecided", "excluded", "late", "rules", "withdrawn", "running", "unrated")
CORPUS: dict[str, Any] = {"corpus_name": "Books", "corpus_size": 10**9}
STATED = {
    "consent": "Read and ticked before the first task",
    "ethics": "Board of the university, number 17",
    "licence": "CC BY 4.0",
    "language": "English",
    "plan": "The generators are compared with the references.",
    "deviations": "One day more.",
}


@dataclass(frozen=True, slots=True)
class Draw:
    """What a seed draws: kind, mode, currency, reward, channel, arms, outcome and sizes of a study."""

    seed: int
    kind: str
    mode: str
    currency: str
    reward: int
    ways: tuple[tuple[str, str, str], ...]
    arms: tuple[str, ...]
    outcome: str
    generators: tuple[str, ...]
    texts: int
    per_hit: int
    raters: int
    k: int
    level: float
    stated: tuple[str, ...]
    recruitment: tuple[int | None, int | None, str]
    extras: tuple[int, int]
    contexts: bool
    preset: str = ""
    references: int | None = None
    doubled: bool = False
    # `decoding`: log p of another decoding than the texts'; `alike`: one rating for all; `flat`: one log p for all;
    # `unscored`: no log p; `worse`: machine texts are always taken for human, and human ones for a machine's;
    # `mostly worse`: nine times out of ten; `second`: texts of beta are rated highest; `sides apart`: each side has
    # contexts of its own; `impossible`: machine texts have probability zero; `constant`: `alike` and `flat`;
    # `raters apart`: each HIT is of one source, and each source has raters of its own;
    # `divided`: one rater goes by the side of a text, the others by anything else; `counted`: each text has a frequency
    # in a corpus, the first of each side 0.
    twist: str = ""
    plan: str = ""  # `sealed` before the work, `amended` after it, or sealed `late`; "" for none
    settings: tuple[tuple[str, Any], ...] = ()  # fields of the study, set before the work
    logged: bool = False  # whether the log has the plan from the publication, before the work
    registered: str = ""  # where the plan was registered, as stated
    files: tuple[str, ...] = ()  # kinds of the files of scores that the study keeps
    # Of how many rows, texts and days the page shows the first, and the table of its paper page; () as usual.
    shown: tuple[int, ...] = ()
    people: int | None = None  # seed of the study whose raters rate in this one, too
    unit: Literal["whitespace", "char"] = "whitespace"  # in which lengths are counted
    scale: tuple[float, str] = (1, "")  # what each code is multiplied by, and what each label has at its end
    without: str = ""  # what its snapshot was written without: see `world.report_of`

    @property
    def name(self) -> str:
        return f"checked-{self.seed}"


def draw(seed: int) -> Draw:
    """The study of a seed; five seeds in a row are of the five kinds, nine of the nine outcomes."""
    if seed >= FIRST_RARE:
        base, changes, _ = RARE[seed - FIRST_RARE]
        return replace(draw(base), seed=seed, **changes)
    if seed >= FIRST_ODD:
        base, changes = ODD[seed - FIRST_ODD]
        return replace(draw(base), seed=seed, **changes)
    rng = random.Random(f"study {seed}")
    kind, preset = (KINDS[seed % len(KINDS)], "") if seed < FIRST_FURTHER else FURTHER[seed % len(FURTHER)]
    mode = rng.choice(MODES)
    arms: tuple[str, ...] = ("none",)
    if kind == "human_or_machine":
        arms = tuple(sorted(rng.sample(TRAININGS, rng.randint(1, 4)), key=TRAININGS.index))
    pairs, single = kind == "pairwise", kind == "which_machine"
    return Draw(
        seed=seed,
        kind=kind,
        mode=mode,
        currency=rng.choice(CURRENCIES),
        reward=rng.choice((40, 100, 125)),
        ways=rng.choice(WAYS) if mode == "live" else (),
        arms=arms,
        outcome=OUTCOMES[seed % len(OUTCOMES)],
        generators=("alpha", "beta") if pairs else ("alpha", "beta")[: 1 if single else rng.randint(1, 2)],
        texts=rng.choice((6, 10, 20)),
        per_hit=rng.choice((4, 5, 9)),
        raters=rng.randint(2, 5),
        k=rng.choice((3, 5, 16)),
        level=rng.choice((0.95, 0.9)),
        stated=tuple(key for key in STATED if rng.random() < 0.5),
        recruitment=rng.choice(((None, None, ""), (95, None, ""), (95, 50, "US"), (None, 100, "DE"))),
        extras=(0, 0) if kind in IN_CONTEXTS else rng.choice(((0, 0), (1, 0), (0, 1), (1, 1))),
        contexts=pairs or rng.random() < 0.5 or kind in IN_CONTEXTS,
        preset=preset,
    )


def rehearse(drawn: Draw) -> Study:
    """The study with its work, decisions and money; its texts, HITs and exclusions by the project's verbs."""
    rng = random.Random(f"work {drawn.seed}")
    plan = Plan(
        question="Which texts are better?" if drawn.seed % 2 else "",
        seed=drawn.seed,
        raters_per_text=drawn.raters,
        texts_per_hit=drawn.per_hit,
        evaluators_per_cell=4 if drawn.kind == "human_or_machine" else None,
        currency=drawn.currency,
        reward_cents=drawn.reward,
        minimum_percent_approved=drawn.recruitment[0],
        minimum_approved_hits=drawn.recruitment[1],
        country=drawn.recruitment[2],
        checks_per_hit=drawn.extras[0],
        repeats_per_hit=drawn.extras[1],
    )
    study = create(drawn.name, mode=drawn.mode, plan=plan, wording=words_of(drawn), actor="ada", now=START)
    add_texts_of(study, drawn, rng)
    arms = [ArmPlan(arm, drawn.reward + (50 * at if drawn.seed % 3 else 0)) for at, arm in enumerate(drawn.arms)]
    arrange(study, arms, [CellPlan(arm) for arm in drawn.arms], actor="ada", now=START)
    try:
        design(study, actor="ada", now=START)
    except DesignError:  # the texts of a context do not fit into different HITs
        study.texts.update(context=None)
        design(study, actor="ada", now=START)
    stated = {key: STATED[key] for key in drawn.stated} | ({"registered": drawn.registered} if drawn.registered else {})
    Statement.objects.bulk_create(Statement(study=study, key=key, body=body) for key, body in stated.items())
    for kind, pays, words in drawn.ways:
        WayIn.objects.create(study=study, kind=kind, pays=pays, pay_words=words, consent=bool(rng.randrange(2)))
    status = {"running": "published", "unrated": "published"}.get(drawn.outcome, "closed")
    Study.objects.filter(pk=study.pk).update(**{"status": status, **dict(drawn.settings)})
    study.refresh_from_db()
    if drawn.logged:
        log_plan(study, START)
    attach_files(study, drawn.files, START)
    if drawn.plan in ("sealed", "amended"):
        seal_plan(study, actor="ada", now=START)
    if drawn.outcome != "unrated":
        work(study, drawn, rng)
        draw_people(study, START)
        seal_late(study, drawn)
        decide(study, drawn, rng)
        answer_rejections(study)
    return Study.objects.get(pk=study.pk)


def seal_late(study: Study, drawn: Draw) -> None:
    """Seal or amend the plan after the work."""
    later = START + timedelta(days=9)
    if drawn.plan == "late":
        seal_plan(study, actor="ada", now=later)
    if drawn.plan == "amended":
        amend_plan(study, {KEYS[0]: "Other words."}, reason="It was wrong.", actor="ada", now=later)


def wording(kind: str, preset: str = "") -> Wording:
    """The default words, or those of a preset, with practice rounds where a training needs them."""
    words = preset_called(preset.removesuffix(TWICE)).wording if preset else default_wording(kind)
    if preset.endswith(TWICE):
        second = replace(words.criteria[0], name="dullest_text", question="Which {noun} is the dullest?")
        words = replace(words, criteria=(*words.criteria, second))
    if kind != "human_or_machine":
        return words
    examples = tuple(Practice(f"Practice {i}.", ("human", "machine")[i % 2], "It shows.") for i in range(3))
    pairs = tuple(PracticePair(f"By a person {i}.", f"By a machine {i}.", "It shows.") for i in range(3))
    return replace(words, training=Training(words.training.instructions, examples, pairs))


def words_of(drawn: Draw) -> Wording:
    """The words of a draw, its scale with other codes or labels where it has some."""
    words, (times, end) = wording(drawn.kind, drawn.preset), drawn.scale
    if drawn.scale == (1, ""):
        return words
    criteria = tuple(
        replace(
            criterion,
            labels=tuple((f"{label}{end}", f"{times * int(code):g}", gloss) for label, code, gloss in criterion.labels),
        )
        for criterion in words.criteria
    )
    return replace(words, criteria=criteria)


def add_texts_of(study: Study, drawn: Draw, rng: random.Random) -> None:
    """Add texts of each side, with log-probabilities where HUSE is asked of them."""
    sides = drawn.generators if drawn.kind == "pairwise" else ("", *drawn.generators)
    records = []
    for at in range(drawn.texts):
        for side in sides:
            if not side and drawn.references is not None and at >= drawn.references:
                continue
            likelihoods: tuple[LikelihoodRecord, ...] = ()
            if drawn.kind == "typicality" and drawn.twist != "unscored":
                of = "t=0.7" if drawn.twist == "decoding" else "t=1"
                flat = drawn.twist in ("flat", "constant")
                impossible = drawn.twist == "impossible" and side
                likelihoods = tuple(
                    LikelihoodRecord(
                        name,
                        -math.inf if impossible else -20.0 if flat else -rng.uniform(5, 40),
                        5 if flat else 5 + at % 4,
                        drawn.unit,
                        of,
                    )
                    for name in drawn.generators
                    if side in ("", name)
                )
            context = f"{at // (1 + drawn.doubled)}{side if drawn.twist == 'sides apart' else ''}"
            records.append(
                TextRecord(
                    f"{side or 'ref'}{at:02d}",
                    f"The council of town {at} heard {side or 'people'} speak about the river",
                    "model" if side else "reference",
                    generator=side or None,
                    decoding="t=1" if side else "",
                    context=f"c{context}" if drawn.contexts else None,
                    context_body=f"Article {context}." if drawn.contexts else "",
                    **(CORPUS | {"corpus_count": at**3} if drawn.twist == "counted" else {}),
                    likelihoods=likelihoods,
                )
            )
    add_texts(study, records, actor="ada", now=START)


def work(study: Study, drawn: Draw, rng: random.Random) -> None:
    """Write the work of simulated raters: as much as each HIT has places, one less in a study that runs."""
    words = words_of(drawn)
    labels = {
        criterion.name: list(Scale.objects.matching(criterion.scale, labels_of(words, criterion)).labels.order_by("pk"))
        for criterion in words.criteria
    }
    people: list[Worker] = []
    day = START
    for hit in study.hits.select_related("cell__arm").order_by("slot"):
        places = hit.max_assignments - (1 if drawn.outcome == "running" and hit.slot == 0 else 0)
        for place in range(places):
            # Nobody works in two arms: each arm has people of its own.
            name = f"{drawn.people or drawn.seed:03d}{hit.cell.arm.training[:2]}{place:03d}"
            if drawn.twist == "raters apart":
                name += hit.items.select_related("text")[0].text.source[:1]
            person, is_new = Worker.objects.get_or_create(pseudonym=f"w{name}")
            if is_new:
                people.append(person)
                WorkerIdentity.objects.bulk_create([WorkerIdentity.of(person, "mturk", f"A9{name}")])
            Participation.objects.get_or_create(
                study=study, worker=person, defaults={"arm": hit.cell.arm, "since": START}
            )
            day += timedelta(minutes=rng.randint(1, 400))
            seconds = rng.randint(60, 900)
            submission = Submission.objects.create(
                hit=hit,
                worker=person,
                market_id=f"3A{hit.pk}X{place}",
                raw="<x/>",
                raw_format="mturk-xml",
                accepted_at=day - timedelta(seconds=seconds),
                submitted_at=day,
                work_seconds=seconds,
                received_at=day,
            )
            Parse.objects.create(submission=submission, parsed_at=day)
            judge(submission, hit, labels, words, rng, twist=drawn.twist)
            CheckAnswer.objects.bulk_create(
                CheckAnswer(
                    submission=submission, check_asked=check, chosen="?", passed=(submission.pk + check.pk) % 3 > 0
                )
                for check in hit.checks.order_by("pk")
            )
        count_work(hit)


def count_work(hit: Hit) -> None:
    """Bring the HIT's running sums to its rows, as collecting does."""
    judged = Judgment.objects.filter(presentation__submission__hit=hit).count()
    Hit.objects.filter(pk=hit.pk).update(collected=hit.submissions.count(), judged=judged)


def judge(
    submission: Submission,
    hit: Hit,
    labels: dict[str, list[ScaleLabel]],
    words: Wording,
    rng: random.Random,
    *,
    twist: str = "",
) -> None:
    items = list(hit.items.select_related("text").order_by("position"))
    seen = Presentation.objects.bulk_create(
        Presentation(
            submission=submission, text=item.text, partner_id=item.partner_id, position=item.position, role=item.role
        )
        for item in items
    )
    judgments = []
    picks = len(words.criteria) if words.kind == "which_machine" else 0
    chosen = [{rng.choice(group).pk for group in _by_context(seen)} for _ in range(picks)]
    for place in seen:
        better = (place.text.source == "model") is not (twist == "worse")
        for number, criterion in enumerate(words.criteria):
            row = labels[criterion.name]
            at = min(
                len(row) - 1,
                max(0, round(rng.gauss((len(row) - 1) * (0.6 if better else 0.4), max(1.2, len(row) / 8)))),
            )
            if twist == "worse":
                at = len(row) - 1 if better else 0
            if twist == "mostly worse":
                at = len(row) - 1 if better is not (rng.random() < 0.9) else 0
            if twist == "divided":
                by_side = len(row) - 1 if place.text.source == "model" else 0
                at = by_side if submission.market_id.endswith("X0") else 1 + place.text_id // 3 % 2
            if twist == "second":
                is_beta = place.text.generator is not None and place.text.generator.name == "beta"
                at = max(0, at - 3) if is_beta else min(len(row) - 1, at + 1)
            if twist in ("alike", "constant"):
                at = 1
            if words.kind == "which_machine":
                at = 0 if place.pk in chosen[number] else 1
            judgments.append(
                Judgment(
                    presentation=place,
                    criterion=criterion.name,
                    label=row[at],
                    text_id=place.text_id if place.role == "item" else None,
                )
            )
    Judgment.objects.bulk_create(judgments)


def _by_context(seen: list[Presentation]) -> list[list[Presentation]]:
    groups: dict[int | None, list[Presentation]] = {}
    for place in seen:
        groups.setdefault(place.text.context_id, []).append(place)
    return list(groups.values())


def decide(study: Study, drawn: Draw, rng: random.Random) -> None:
    """Pay, reject, exclude and withdraw as the outcome of the draw says."""
    rows = list(Submission.objects.filter(hit__study=study).order_by("pk"))
    rejected = set(rng.sample(range(len(rows)), 2)) if drawn.outcome == "rejected" else set()
    undecided = {0} if drawn.outcome in ("undecided", "running") else set()
    now = START + timedelta(days=30)
    for at, row in enumerate(rows):
        if at in undecided:
            continue
        if at in rejected:
            Decision.objects.create(submission=row, matter="payment", verdict="reject", reason="Copied.", at=now)
            continue
        Decision.objects.create(submission=row, matter="payment", verdict="approve", at=now)
        pay(study, row, now)
    several = Submission.objects.filter(pk__in=[row.pk for row in rng.sample(rows, min(2, len(rows) - 1))])
    if drawn.outcome == "late":
        unblind(study, actor="ada", now=now)
    if drawn.outcome in ("excluded", "late", "of one rater"):
        others = Submission.objects.filter(hit__study=study).exclude(worker=rows[0].worker)
        excluded = others if drawn.outcome == "of one rater" else several
        exclude_submissions(study, excluded, reason="Answered at random.", actor=None, now=now + timedelta(days=1))
    if drawn.outcome == "emptied":
        hit = study.hits.order_by("slot")[0]
        emptied = Submission.objects.filter(hit__cell=hit.cell) if len(drawn.arms) > 1 else hit.submissions.all()
        exclude_submissions(study, emptied, reason="Answered at random.", actor=None, now=now + timedelta(days=1))
    if drawn.outcome == "rules":
        assess(study, now=now)
        stored = fix_rules(study, "first", [Rule("disagreement"), Rule("outlying_mean")], actor=None, now=now)
        apply_rules(stored, actor=None, now=now)
        if not Submission.objects.filter(hit__study=study).exclude(decisions__verdict="exclude").exists():
            include_submissions(study, Submission.objects.filter(pk=rows[0].pk), actor=None, now=now)
    if drawn.outcome == "withdrawn":
        withdraw(study, [rows[-1].market_id], actor="ada", now=now)


def answer_rejections(study: Study) -> None:
    """Let the first person of rejected work reply; the log has another rejection, which was reversed."""
    rejected = Submission.objects.filter(hit__study=study, decisions__verdict="reject").order_by("pk").first()
    if rejected is not None:
        later = START + timedelta(days=31)
        Reply.objects.create(submission=rejected, body="I did not copy it.", at=later)
        AuditEvent.objects.record(study, "overturn", actor="ada", now=later, assignment="3A0X0")


def pay(study: Study, row: Submission, now: datetime) -> None:
    intent = Intent.of(study, Intent.Kind.APPROVE, row.pk, slot=str(row.pk))
    intent.save()
    cents = row.hit.cell.reward_cents
    fee = -(-cents // 5)
    LedgerEntry.objects.create(study=study, intent=intent, kind="reward", cents=cents, at=now)
    LedgerEntry.objects.create(study=study, intent=intent, kind="fee", cents=fee, at=now)
