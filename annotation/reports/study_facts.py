"""Gather the facts of a study for its report: design, money, crowd, quality, settings. None: not recorded."""

from __future__ import annotations

import platform
import statistics
from collections.abc import Mapping, Sequence
from datetime import datetime
from fractions import Fraction
from importlib import metadata
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, Q, Sum
from django.db.models.functions import Coalesce

import metrics
from annotation import ledger
from annotation.collecting import counts as collecting_counts
from annotation.collecting import ratings
from annotation.design import queries
from annotation.design.kinds import asks, is_for_huse, title_of
from annotation.models import Decision, Flag, Likelihood, PracticeAnswer, Study, Submission, WayIn
from annotation.mturk.client import ASSAY_PROVIDERS
from annotation.pricing.wages import wage_cents
from annotation.quality import applied_rules, coder_agreement, detectors, rule_effects, thinned_texts
from annotation.quality.filters import CODED, FILTERS, rule_without_code
from annotation.quality.filters import title_of as rule_title
from annotation.quality.methods_text import Done
from annotation.quality.rules import Rule
from annotation.reports import report_rows
from annotation.reports.pay_facts import BY_MARKETPLACE, paid_by_amount
from annotation.review import queue
from annotation.studies import blinding
from annotation.texts import queries as texts_queries
from annotation.workers import participation
from metrics.data.answer_types import AnswerType
from metrics.data.country_names import name_country
from metrics.report.pay import ARRANGED, BY_APPROVAL, PLAY_MONEY, SIMULATED_CROWD, VOLUNTEERS, VOLUNTEERS_AHEAD
from metrics.report.records import (
    CrowdFacts,
    FlagFacts,
    MoneyFacts,
    ScaleLabel,
    SelectionStep,
    StudyFacts,
    StudyMode,
    Warn,
    describe_coding,
)
from metrics.types import Setting

# Shown in every report, also where nothing was flagged.
ALWAYS = ("incomplete",)
# How work of a person who got into a second HIT is excluded: without a person's decision.
TOOK_PART_BEFORE = {"rule_set": None, "actor": None, "reason": participation.SECOND}
LIBRARIES = ("Django", "numpy", "scipy", "plotly")


def number(code: str) -> int | Fraction:
    """A label's code as an exact number."""
    value = Fraction(code)
    return int(value) if value.denominator == 1 else value


def study_facts(study: Study, crowd: collecting_counts.CrowdCounts, words: report_rows.Words) -> StudyFacts:
    """Describe the question, the raters and how texts were put into HITs."""
    sources = texts_queries.hit_sources(study)
    origins = texts_queries.origins(study)
    imported = study.mode == Study.Mode.IMPORTED
    in_hits = not imported or study.hits.exclude(market_id=None).exists()
    labels = list(study.scale.labels.order_by("pk"))
    answers = dict(words.answers)
    if answers and next(iter(answers.values())) == AnswerType.NUMBER:
        # Of a number its ends and other points that have a name, not every number between them.
        scale = tuple(ScaleLabel(label.gloss, number(label.code)) for label in labels if label.gloss)
    else:
        scale = tuple(ScaleLabel(label.label, number(label.code), label.gloss) for label in labels)
    # An import's question is the one that its file says raters read; of a local study it is the researchers' aim.
    aim = None if imported else study.question or None
    created = next((facts["created_at"] for facts in origins if facts.get("created_at")), None)
    return StudyFacts(
        name=study.name,
        task=_task(study),
        question=words.question or (study.question if imported else "") or "not recorded",
        noun=words.noun or study.noun,
        scale=scale,
        coding=describe_coding(scale) or "not recorded",
        mode=_mode(study),
        created_at=(datetime.fromisoformat(created) if created else None) if imported else study.created_at,
        collected_from=crowd.first,
        collected_to=crowd.last,
        hits=len(sources) if in_hits else None,
        # What is shown, not what was asked for: packing makes HITs as even as they can be.
        texts_per_hit=max((sum(counts) for counts in sources), default=study.texts_per_hit) if in_hits else None,
        # Where people are planned by cell, no number of raters is planned for a text.
        raters_per_text=study.raters_per_text if in_hits and study.evaluators_per_cell is None else None,
        instructions=words.instructions,
        interleaving=_interleaving(study, sources) if in_hits else None,
        seed=None if imported else study.seed,
        provenance=tuple(line for facts in origins for line in _origin_lines(facts)),
        selection=_selection(study),
        aim=aim,
        extras=report_rows.extras(study),
        arm_assignment=queries.arm_assignment(study),
        answers=words.answers,
    )


def _task(study: Study) -> str:
    return "typicality ratings" if is_for_huse(study.task) else title_of(study.task)


def _sides(counts: dict[str, Any]) -> list[tuple[str, Any]]:
    """The references, then the generators by name: a database keeps them in an order of its own."""
    return sorted(counts.items(), key=lambda side: (side[0] != "reference", side[0]))


def _selection(study: Study) -> tuple[SelectionStep, ...] | None:
    stored = texts_queries.selection(study)
    if stored is None:
        return None
    return tuple(
        SelectionStep(
            rule=line["told"],
            before=line["before"],
            removed=line["removed"],
            after=line["after"],
            changed=line["changed"],
            sides=tuple((side, before, after) for side, (before, after) in _sides(line["by_side"])),
            note=line["note"],
        )
        for line in stored.funnel
    )


def _mode(study: Study) -> StudyMode:
    if study.mode == Study.Mode.IMPORTED:
        return "imported"
    return "rehearsal" if study.mode == Study.Mode.REHEARSAL else "live"


def _interleaving(study: Study, sources: Sequence[tuple[int, int]]) -> str | None:
    """How texts were mixed: of pairs, that both stand side by side; None where that is not known."""
    seed = None if study.mode == Study.Mode.IMPORTED else study.seed
    if not asks(study.task, AnswerType.PREFERENCE):
        return interleaving(sources, seed=seed)
    if seed is None or not sources:
        return None
    order = f" Pairs were dealt into HITs and ordered at random by seed {seed}."
    return f"Each question shows two texts of one context.{order}"


def interleaving(sources: Sequence[tuple[int, int]], *, seed: int | None) -> str | None:
    """How (references, model texts) were mixed in each HIT, in a sentence; None without HITs."""
    if not sources:
        return None
    mixed = sum(references > 0 and models > 0 for references, models in sources)
    order = "" if seed is None else f" Texts were dealt into HITs and ordered at random by seed {seed}."
    if mixed == len(sources):
        shares = sorted({references for references, _ in sources})
        share = f"{shares[0]} to {shares[-1]}" if len(shares) > 1 else str(shares[0])
        return f"Every HIT mixes the sources, with {share} reference{'' if share == '1' else 's'} in each.{order}"
    if not mixed:
        return f"Each of the {len(sources)} HITs holds texts of one source only.{order}"
    return f"{mixed} of {len(sources)} HITs mix the sources; the others hold one source only.{order}"


def log_prob_model(used: Sequence[Likelihood]) -> str | None:
    """What gave the log-probabilities; None where they came with a file."""
    scorings = {likelihood.scoring_id: likelihood.scoring for likelihood in used if likelihood.scoring}
    models = [
        f"{scoring.model}, revision {scoring.revision or 'not recorded'}, tokenizer {scoring.tokenizer}, "
        f"{scoring.dtype}, end token {'counted' if scoring.include_eos else 'not counted'}"
        for scoring in scorings.values()
        if scoring is not None
    ]
    return "; ".join(sorted(models)) or None


def _origin_lines(facts: Mapping[str, Any]) -> list[str]:
    return [
        f"{file['file']}, SHA-256 {file['sha256']}, {file['rows']} rows, read as {file['layout']}"
        for file in facts.get("files", ())
    ]


def money_facts(study: Study, crowd: collecting_counts.CrowdCounts) -> MoneyFacts:
    """What the ledger says was spent, the quartiles of the time taken, and the wage at the median."""
    amounts = paid_by_amount(study)
    # An arm may have a reward of its own; where all arms pay the same, that is the study's.
    rewards = {cell.reward_cents for cell in report_rows.cells(study)}
    only = rewards.pop() if len(rewards) == 1 else study.reward_cents
    reward = (only or None) if amounts else None
    seconds = collecting_counts.work_seconds(study)
    low, median, high = quartiles(seconds)
    wage = wage_cents(reward, seconds=median) if reward is not None and median else None
    if study.mode == Study.Mode.IMPORTED:
        # The file states which work was approved, not what the marketplace charged for it.
        paid = crowd.approved * reward if reward is not None and crowd.approved else None
        return MoneyFacts(reward, paid, None, None, None, low, median, high, wage, study.currency)
    if not amounts:
        return MoneyFacts(None, None, None, None, None, low, median, high, None, study.currency)
    spent = ledger.money_spent(study)
    paid, fee, bonus = (spent.get(kind, 0) for kind in ("reward", "fee", "bonus"))
    return MoneyFacts(reward, paid, fee, bonus, paid + fee + bonus, low, median, high, wage, study.currency)


def quartiles(values: Sequence[int]) -> tuple[float | None, float | None, float | None]:
    """Lower quartile, median and upper quartile, interpolated between neighbours; None without values."""
    if not values:
        return None, None, None
    if len(values) == 1:
        return float(values[0]), float(values[0]), float(values[0])
    low, median, high = statistics.quantiles(values, n=4, method="inclusive")
    return low, median, high


def crowd_facts(
    study: Study, crowd: collecting_counts.CrowdCounts, statements: Mapping[str, str], words: report_rows.Words
) -> CrowdFacts:
    """Who rated, and what was decided about their work."""
    imported = study.mode == Study.Mode.IMPORTED
    decided = not imported or crowd.approved + crowd.rejected > 0
    ways = list(study.ways_in.order_by("kind", "pays", "pay_words", "consent"))
    consent_before = CONSENT_BEFORE if ways and all(way.consent for way in ways) else None
    return CrowdFacts(
        provider=statements.get("channel") or _provider(study, ways),
        criteria=_criteria(study),
        workers=crowd.workers,
        submitted=crowd.submitted,
        approved=crowd.approved if decided else None,
        rejected=crowd.rejected if decided else None,
        excluded=crowd.excluded,
        consent=statements.get("consent") or words.consent or consent_before,
        ethics=statements.get("ethics"),
        pays=(statements["payment"],) if "payment" in statements else _pays(study, ways, ahead=crowd.submitted == 0),
        reversed=None if imported else collecting_counts.reversed_rejections(study),
        replied=None if imported else collecting_counts.replied(study),
    )


CONSENT_BEFORE = "Asked by the marketplace or the invitation, before the first task."
PROVIDERS = {"assay": "Assay", "mturk": "Amazon Mechanical Turk"}  # others are named as the file or the address does
KINDS = {
    "link": "by a link",
    "list": "by personal links",
    "team": "colleagues",
    "accounts": "registered accounts",
    "rehearsal": "simulated workers",
}
# In the past, and as it is planned.
OTHERWISE = {
    "voucher": ("Raters were paid by voucher", "Raters are paid by voucher"),
    "credit": ("Raters were given course credit", "Raters are given course credit"),
}


def _provider(study: Study, ways: Sequence[WayIn]) -> str | None:
    if study.mode == Study.Mode.REHEARSAL:
        return SIMULATED_CROWD
    known = (name for name in collecting_counts.providers(study) if not name.startswith("import:"))
    named = [PROVIDERS.get(name, name) for name in known]
    channels = ", ".join(dict.fromkeys(KINDS.get(way.kind, way.kind) for way in ways))
    return f"{', '.join(named)}{f' ({channels})' if channels else ''}" if named else channels or None


def _pays(study: Study, ways: Sequence[WayIn], *, ahead: bool) -> tuple[str, ...]:
    """Return how people were paid, as the marketplace reported it; nothing where it did not.

    ahead: nobody has worked yet, so how they are to be paid.
    """
    if study.mode == Study.Mode.REHEARSAL:
        return (PLAY_MONEY[ahead],)
    words_by_way = {way: _pay(way, ahead=ahead) for way in ways}
    several = len(set(words_by_way.values())) > 1
    sentences = (
        f"{KINDS.get(way.kind, way.kind).capitalize()}: {words}" if several else words
        for way, words in words_by_way.items()
    )
    return tuple(dict.fromkeys(sentences))


def _pay(way: WayIn, *, ahead: bool) -> str:
    if way.pays == VOLUNTEER:
        return VOLUNTEERS_AHEAD if ahead else VOLUNTEERS
    if way.pays == BY_MARKETPLACE:
        return BY_APPROVAL[ahead]
    words = OTHERWISE.get(way.pays, ARRANGED)[ahead]
    return f"{words}{f' ({way.pay_words})' if way.pay_words else ''}."


VOLUNTEER = "volunteer"


def all_paid(study: Study) -> bool:
    """Whether every submission was approved with a reward, and the reward really booked for the person who did it."""
    if study.mode != Study.Mode.LIVE:
        return False
    ways = set(study.ways_in.values_list("pays", flat=True))
    if ways - {BY_MARKETPLACE} or (not ways and ASSAY_PROVIDERS & set(collecting_counts.providers(study))):
        return False
    approved = Decision.objects.filter(submission=OuterRef("pk"), matter=Decision.Matter.PAYMENT, verdict="approve")
    arm_reward, study_reward = F("hit__cell__arm__reward_cents"), F("hit__study__reward_cents")
    work = Submission.objects.filter(hit__study=study).annotate(
        paid=Exists(approved), cents=Coalesce(arm_reward, study_reward)
    )
    if not work.exists() or work.filter(Q(paid=False) | Q(cents=0)).exists():
        return False
    owed = work.aggregate(owed=Sum("cents"))["owed"]
    return bool(owed <= ledger.money_spent(study).get("reward", 0))


def _criteria(study: Study) -> tuple[str, ...]:
    percent, hits, country = _recruitment(study)
    criteria = []
    if percent is not None:
        criteria.append(f"approval rate above {percent}%")
    if hits is not None:
        criteria.append(f"more than {hits} approved HITs")
    if country:
        criteria.append(f"located in {name_country(country)}")
    return tuple(criteria)


def _recruitment(study: Study) -> tuple[int | None, int | None, str]:
    """Percent approved, approved HITs and country that raters had to have: 0 asks nothing, and nothing of this is
    asked of invited people."""
    if study.channel_tag:
        return None, None, ""
    return study.minimum_percent_approved or None, study.minimum_approved_hits or None, study.country


def flag_facts(study: Study, crowd: collecting_counts.CrowdCounts) -> tuple[FlagFacts, ...] | None:
    """Each quality rule and what it found; None for an imported study on which none was run."""
    flags = collecting_counts.flags_by_kind(study)
    if study.mode == Study.Mode.IMPORTED and not flags:
        return None
    return tuple(
        FlagFacts(rule_title(kind), rule_without_code(kind), *_counts(flags.get(kind, (0, 0)), crowd.submitted))
        for kind in sorted({*flags, *ALWAYS})
    )


def _counts(counts: tuple[int, int], submitted: int) -> tuple[int, int, int]:
    flagged, excluded = counts
    return flagged, submitted, excluded


def quality_done(study: Study) -> Done:
    """What was done about the quality of the study's work, for the methods paragraph."""
    decided, stored = queue.decided_counts(study), applied_rules.rule_set(study)
    excluded = applied_rules.left_out(study)
    rules = applied_rules.rules_of(stored) if stored else ()
    readers = thinned_texts.readers_by_hit(study)
    tables = rule_effects.tables(study, set(excluded), readers=readers) if excluded else None
    again = ratings.exclusions().filter(submission__hit__study=study, **TOOK_PART_BEFORE).count()
    counted = decided["all"] and is_for_huse(study.task)
    return Done(
        recruitment=_recruitment(study),
        withdrawn=Submission.objects.filter(hit__study=study, raw_format=Submission.WITHDRAWN).count(),
        submissions=decided["all"],
        left_out=len(excluded),
        by_hand=sum(by_hand for by_hand in excluded.values()) - again,
        again=again,
        late=_late(study),
        included=_included(study, rules),
        rules=rules,
        hits=_hits(study, rules),
        version=stored.number if stored else None,
        blind=stored.blind if stored else None,
        # A pair has a text of each source or of two generators: it belongs to no source.
        by_source=tables.by_source if tables and not asks(study.task, AnswerType.PREFERENCE) else None,
        pairs=asks(study.task, AnswerType.PREFERENCE),
        by_condition=tables.by_condition if tables else None,
        refused=decided.get("reject", 0),
        undecided=decided["all"] - decided.get("approve", 0) - decided.get("reject", 0),
        elsewhere=decided.get("reject", 0) - collecting_counts.refused_by_two(study) if decided.get("reject") else 0,
        left=thinned_texts.thinned(study, readers=readers) if counted else None,
        flagged=_only_flagged(study),
        detector=str(detectors.detector_of(study) or ""),
        kappas=coder_agreement.kappas(study, "criteria") if any(rule.kind in CODED for rule in rules) else {},
        gold=study.texts.exclude(known_label="").count(),
        paid=all_paid(study),
        practised=PracticeAnswer.objects.filter(submission__hit__study=study).exists(),
    )


def _late(study: Study) -> int:
    """Count submissions that a person excluded after results were seen."""
    seen = blinding.seen_at(study)
    if seen is None:
        return 0
    by_hand = ratings.exclusions().filter(submission__hit__study=study, rule_set=None, at__gte=seen)
    return by_hand.exclude(**TOOK_PART_BEFORE).count()


def _included(study: Study, rules: Sequence[Rule]) -> int:
    """Count submissions that a rule excludes and a person included."""
    inclusions = Decision.objects.filter(
        submission__hit__study=study, matter=Decision.Matter.ANALYSIS, verdict="include"
    )
    by_hand = set(inclusions.values_list("submission_id", flat=True))
    return len(by_hand & set().union(*applied_rules.left_out_by(study, tuple(rules)).values())) if by_hand else 0


def _only_flagged(study: Study) -> dict[str, int]:
    """Submissions with the flags of filters that raise flags and are in no default rule, but for circular ones."""
    kinds = [check.kind for check in FILTERS if check.only_flags or check.style]
    rows = Flag.objects.filter(submission__hit__study=study, kind__in=kinds)
    return dict(rows.order_by().values_list("kind").annotate(n=Count("pk")))


def _hits(study: Study, rules: Sequence[Rule]) -> dict[str, tuple[int, int]]:
    """Return, by rule, the excluded submissions for which it holds, and of how many people they are."""
    if not rules:
        return {}
    exclusions = ratings.exclusions().filter(submission__hit__study=study)
    worker = dict(exclusions.values_list("submission", "submission__worker"))
    held = {kind: ones & worker.keys() for kind, ones in applied_rules.left_out_by(study, tuple(rules)).items()}
    return {kind: (len(ones), len({worker[pk] for pk in ones})) for kind, ones in held.items()}


def crowd_warnings(study: Study, crowd: collecting_counts.CrowdCounts) -> list[Warn]:
    """What a reader must know of the decisions."""
    warnings = []
    if late := _late(study):
        was = "was" if late == 1 else "were"
        sentence = (
            f"{late} of {crowd.submitted} submissions {was} excluded by a reviewer after results were seen, which can "
            "bias what the results say."
        )
        warnings.append(Warn("excluded_late", sentence))
    if crowd.rejected_included:
        was, is_ = ("was", "is") if crowd.rejected_included == 1 else ("were", "are")
        sentence = (
            f"{crowd.rejected_included} of {crowd.submitted} submissions {was} rejected (not paid) and {is_} included "
            "in the analysis. Excluding them is a separate decision."
        )
        warnings.append(Warn("rejected_included", sentence))
    if crowd.withdrawn:
        were = "was withdrawn by its worker" if crowd.withdrawn == 1 else "were withdrawn by their workers"
        sentence = (
            f"{crowd.withdrawn} of {crowd.submitted} submissions {were}: the answers are erased and in no result of "
            "this report; an earlier report may have counted them."
        )
        warnings.append(Warn("withdrawn", sentence))
    return warnings


def running_warnings(study: Study, crowd: collecting_counts.CrowdCounts) -> list[Warn]:
    """That the study is not over, and how far it is."""
    if study.mode == Study.Mode.IMPORTED or study.status in (Study.Status.DRAFT, Study.Status.CLOSED):
        return []
    places = study.hits.aggregate(n=Sum("max_assignments", default=0))["n"]
    if crowd.submitted >= places > 0:
        sentence = (
            f"All {places} assignments are in, and the study is not closed: further "
            "tasks, exclusions or withdrawals can still change numbers."
        )
        return [Warn("running", sentence)]
    sentence = (
        f"The study is not over: {crowd.submitted} of {places} assignments are in. "
        "Numbers will change, and stopping because of them would bias what they say."
    )
    return [Warn("running", sentence)]


def versions() -> tuple[tuple[str, str], ...]:
    """Versions of the platform and of the libraries that compute and draw."""
    libraries = tuple((name, metadata.version(name)) for name in LIBRARIES)
    return ("assay", metrics.__version__), ("python", platform.python_version()), *libraries


def settings(study: Study) -> tuple[tuple[str, Setting], ...]:
    """The study's configuration; of an imported one, what its file states."""
    people = "raters_per_text" if study.evaluators_per_cell is None else "evaluators_per_cell"
    names = ["task", "mode", "status", people, "texts_per_hit", "reward_cents", "currency", "assignment_seconds"]
    if study.mode != Study.Mode.IMPORTED:
        names += ["lifetime_seconds", "auto_approval_seconds", "seed"]
    return tuple((name, getattr(study, name)) for name in names)
