"""Facts of a study as a report tells them: design, money, crowd, quality, settings. A fact nobody recorded is None."""

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
from annotation.collecting import ratings as selectors
from annotation.design import queries
from annotation.models import Decision, Flag, Likelihood, PracticeAnswer, Study, Submission, WayIn
from annotation.mturk.client import OURS
from annotation.pricing.wages import wage_cents
from annotation.quality import applied_rules as reviewing
from annotation.quality import coder_agreement as coded
from annotation.quality import detectors as detecting
from annotation.quality import rule_effects, thinned_texts
from annotation.quality.filters import CODED, FILTERS, rule_of
from annotation.quality.methods_text import Done
from annotation.quality.rules import Rule
from annotation.reports import report_rows as particulars
from annotation.review import queue
from annotation.studies import blinding
from annotation.texts import queries as texts_queries
from annotation.workers import participation as apart
from metrics.report.pay import VOLUNTEERS
from metrics.report.records import (
    CrowdFacts,
    FlagFacts,
    MoneyFacts,
    ScaleLabel,
    SelectionStep,
    StudyFacts,
    StudyMode,
    Warn,
)
from metrics.types import Setting

# Shown in every report of ours, also where nothing was flagged.
ALWAYS = ("incomplete",)
# How work is left out of a person who slipped through to a second HIT: by nobody's decision.
TOOK_PART_BEFORE = {"rule_set": None, "actor": None, "reason": apart.SECOND}
LIBRARIES = ("Django", "numpy", "scipy", "plotly")


def number(code: str) -> int | Fraction:
    """A label's code as an exact number."""
    value = Fraction(code)
    return int(value) if value.denominator == 1 else value


def study_facts(study: Study, crowd: collecting_counts.CrowdCounts, words: particulars.Words) -> StudyFacts:
    """What was asked, of whom, and how the texts were laid out."""
    sources = texts_queries.hit_sources(study)
    origins = texts_queries.origins(study)
    imported = study.mode == Study.Mode.IMPORTED
    in_hits = not imported or study.hits.exclude(market_id=None).exists()
    labels = list(study.scale.labels.order_by("pk"))
    scale = tuple(ScaleLabel(one.label, number(one.code), one.gloss) for one in labels)
    # An import's question is the one that its file says raters read; of a study of ours it is the researchers' aim.
    aim = None if imported else study.question or None
    created = next((facts["created_at"] for facts in origins if facts.get("created_at")), None)
    return StudyFacts(
        name=study.name,
        task=_task(study),
        question=words.question or (study.question if imported else "") or "not recorded",
        noun=words.noun or study.noun,
        scale=scale,
        coding=coding(scale),
        mode=_mode(study),
        created_at=(datetime.fromisoformat(created) if created else None) if imported else study.created_at,
        collected_from=crowd.first,
        collected_to=crowd.last,
        hits=len(sources) if in_hits else None,
        texts_per_hit=study.texts_per_hit if in_hits else None,
        # Where people are planned by cell, no number of raters is planned for a text.
        raters_per_text=study.raters_per_text if in_hits and study.evaluators_per_cell is None else None,
        instructions=words.instructions,
        interleaving=interleaving(sources, seed=None if imported else study.seed) if in_hits else None,
        seed=None if imported else study.seed,
        provenance=tuple(line for facts in origins for line in _told_origin(facts)),
        selection=_selection(study),
        aim=aim,
        extras=particulars.extras(study),
        arm_assignment=queries.arm_assignment(study),
    )


def _task(study: Study) -> str:
    return "typicality ratings" if study.task == Study.Task.TYPICALITY else study.get_task_display()


def _sides(counts: dict[str, Any]) -> list[tuple[str, Any]]:
    """The references, then the generators by name: a database keeps them in an order of its own."""
    return sorted(counts.items(), key=lambda one: (one[0] != "reference", one[0]))


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


def coding(scale: Sequence[ScaleLabel]) -> str:
    """The scale's numbers in words: `0 to 5, 0 = Invalid`."""
    ordered = sorted(scale, key=lambda label: label.code)
    if not ordered:
        return "not recorded"
    low, high = ordered[0], ordered[-1]
    least, most = (f"{float(label.code):g}" for label in (low, high))
    named = "" if low.name == least else f", {least} = {low.name}, {most} = {high.name}"
    return f"{least} to {most}{named}"


def interleaving(sources: Sequence[tuple[int, int]], *, seed: int | None) -> str | None:
    """How (references, model texts) were mixed in each HIT, in a sentence; None without HITs."""
    if not sources:
        return None
    mixed = sum(references > 0 and models > 0 for references, models in sources)
    order = "" if seed is None else f" Texts were dealt into HITs and ordered at random by seed {seed}."
    if mixed == len(sources):
        shares = sorted(references for references, _ in sources)
        return f"Every HIT mixes the sources, with {shares[0]} to {shares[-1]} references in each.{order}"
    if not mixed:
        return f"Each of the {len(sources)} HITs holds texts of one source only.{order}"
    return f"{mixed} of {len(sources)} HITs mix the sources; the others hold one source only.{order}"


def log_prob_model(used: Sequence[Likelihood]) -> str | None:
    """What gave the log-probabilities; None where they came with a file."""
    scorings = {one.scoring_id: one.scoring for one in used if one.scoring}
    told = [
        f"{one.model}, revision {one.revision or 'not recorded'}, tokenizer {one.tokenizer}, {one.dtype}, "
        f"end token {'counted' if one.include_eos else 'not counted'}"
        for one in scorings.values()
        if one is not None
    ]
    return "; ".join(sorted(told)) or None


def _told_origin(facts: Mapping[str, Any]) -> list[str]:
    return [
        f"{one['file']}, SHA-256 {one['sha256']}, {one['rows']} rows, read as {one['layout']}"
        for one in facts.get("files", ())
    ]


def money_facts(study: Study, crowd: collecting_counts.CrowdCounts) -> MoneyFacts:
    """What the ledger says was spent, the quartiles of the time taken, and the wage at the median."""
    reward = study.reward_cents or None
    seconds = collecting_counts.work_seconds(study)
    low, median, high = quartiles(seconds)
    wage = wage_cents(reward, seconds=median) if reward is not None and median else None
    if study.mode == Study.Mode.IMPORTED:
        # The file tells which work was approved, not what the marketplace charged for it.
        paid = crowd.approved * reward if reward is not None and crowd.approved else None
        return MoneyFacts(reward, paid, None, None, None, low, median, high, wage)
    spent = ledger.money_spent(study)
    paid, fee, bonus = (spent.get(kind, 0) for kind in ("reward", "fee", "bonus"))
    return MoneyFacts(reward, paid, fee, bonus, paid + fee + bonus, low, median, high, wage)


def quartiles(values: Sequence[int]) -> tuple[float | None, float | None, float | None]:
    """Lower quartile, median and upper quartile, interpolated between neighbours; None without values."""
    if not values:
        return None, None, None
    if len(values) == 1:
        return float(values[0]), float(values[0]), float(values[0])
    low, median, high = statistics.quantiles(values, n=4, method="inclusive")
    return low, median, high


def crowd_facts(
    study: Study, crowd: collecting_counts.CrowdCounts, said: Mapping[str, str], words: particulars.Words
) -> CrowdFacts:
    """Who rated, and what was decided about their work."""
    decided = study.mode != Study.Mode.IMPORTED or crowd.approved + crowd.rejected > 0
    ways = list(study.ways_in.order_by("kind", "pays", "pay_words", "consent"))
    asked = CONSENT_BEFORE if ways and all(way.consent for way in ways) else None
    return CrowdFacts(
        provider=said.get("channel") or _provider(study, ways),
        criteria=_criteria(study),
        workers=crowd.workers,
        submitted=crowd.submitted,
        approved=crowd.approved if decided else None,
        rejected=crowd.rejected if decided else None,
        excluded=crowd.excluded,
        consent=said.get("consent") or words.consent or asked,
        ethics=said.get("ethics"),
        pays=(said["payment"],) if "payment" in said else _pays(study, ways),
    )


CONSENT_BEFORE = "Asked by the marketplace or the invitation, before the first task."
KINDS = {"invitation": "by invitation", "registered": "registered accounts"}
PLAY_MONEY = "Raters were simulated; their rewards were play money."


def _provider(study: Study, ways: Sequence[WayIn]) -> str | None:
    if study.mode == Study.Mode.REHEARSAL:
        return "rehearsal crowd (simulated raters)"
    named = [name for name in collecting_counts.providers(study) if not name.startswith("import:")]
    channels = ", ".join(dict.fromkeys(KINDS.get(way.kind, way.kind) for way in ways))
    return f"{', '.join(named)}{f' ({channels})' if channels else ''}" if named else channels or None


def _pays(study: Study, ways: Sequence[WayIn]) -> tuple[str, ...]:
    """How people were paid, as the marketplace told; nothing where it did not."""
    if study.mode == Study.Mode.REHEARSAL:
        return (PLAY_MONEY,)
    found = {way: _pay(way) for way in ways}
    several = len(set(found.values())) > 1
    told = (
        f"{KINDS.get(way.kind, way.kind).capitalize()}: {words}" if several else words for way, words in found.items()
    )
    return tuple(dict.fromkeys(told))


def _pay(way: WayIn) -> str:
    if way.pays == VOLUNTEER:
        return VOLUNTEERS
    if way.pays == HERE:
        return "Rewards were credited by the marketplace when work was approved."
    return f"Pay was arranged outside the marketplace{f' ({way.pay_words})' if way.pay_words else ''}."


HERE, VOLUNTEER = "here", "volunteer"


def all_paid(study: Study) -> bool:
    """Whether every submission was approved with a reward, and the reward really booked for the person who did it."""
    if study.mode != Study.Mode.LIVE:
        return False
    ways = set(study.ways_in.values_list("pays", flat=True))
    if ways - {HERE} or (not ways and OURS & set(collecting_counts.providers(study))):
        return False
    approved = Decision.objects.filter(submission=OuterRef("pk"), matter=Decision.Matter.PAYMENT, verdict="approve")
    own, general = F("hit__cell__arm__reward_cents"), F("hit__study__reward_cents")
    work = Submission.objects.filter(hit__study=study).annotate(paid=Exists(approved), cents=Coalesce(own, general))
    if not work.exists() or work.filter(Q(paid=False) | Q(cents=0)).exists():
        return False
    owed = work.aggregate(owed=Sum("cents"))["owed"]
    return bool(owed <= ledger.money_spent(study).get("reward", 0))


def _criteria(study: Study) -> tuple[str, ...]:
    percent, hits, country = _recruitment(study)
    found = []
    if percent is not None:
        found.append(f"approval rate above {percent} %")
    if hits is not None:
        found.append(f"more than {hits} approved HITs")
    if country:
        found.append(f"located in {country}")
    return tuple(found)


def _recruitment(study: Study) -> tuple[int | None, int | None, str]:
    """Percent approved, approved HITs and country that raters had to have: 0 asks nothing, and nothing of this is
    asked of invited people."""
    if study.channel_tag:
        return None, None, ""
    return study.minimum_percent_approved or None, study.minimum_approved_hits or None, study.country


def flag_facts(study: Study, crowd: collecting_counts.CrowdCounts) -> tuple[FlagFacts, ...] | None:
    """Each quality rule and what it found; None for an imported study on which none was run."""
    found = collecting_counts.flags_by_kind(study)
    if study.mode == Study.Mode.IMPORTED and not found:
        return None
    return tuple(
        FlagFacts(kind, rule_of(kind), *_counts(found.get(kind, (0, 0)), crowd.submitted))
        for kind in sorted({*found, *ALWAYS})
    )


def _counts(found: tuple[int, int], submitted: int) -> tuple[int, int, int]:
    flagged, gone = found
    return flagged, submitted, gone


def quality_done(study: Study) -> Done:
    """What was done about the quality of the study's work, for the methods paragraph."""
    decided, stored = queue.decided_counts(study), reviewing.rule_set(study)
    gone = reviewing.left_out(study)
    rules = reviewing.rules_of(stored) if stored else ()
    found = rule_effects.tables(study, set(gone)) if gone else None
    again = selectors.exclusions().filter(submission__hit__study=study, **TOOK_PART_BEFORE).count()
    counted = decided["all"] and study.task == Study.Task.TYPICALITY
    return Done(
        recruitment=_recruitment(study),
        submissions=decided["all"],
        left_out=len(gone),
        by_hand=sum(by_hand for by_hand in gone.values()) - again,
        again=again,
        late=_late(study),
        kept=_kept(study, rules),
        rules=rules,
        hits=_hits(study, rules),
        version=stored.number if stored else None,
        blind=stored.blind if stored else None,
        by_source=found.by_source if found else None,
        by_condition=found.by_condition if found else None,
        refused=decided.get("reject", 0),
        undecided=decided["all"] - decided.get("approve", 0) - decided.get("reject", 0),
        elsewhere=decided.get("reject", 0) - collecting_counts.refused_by_two(study) if decided.get("reject") else 0,
        left=thinned_texts.thinned(study) if counted else None,
        flagged=_only_flagged(study),
        detector=str(detecting.detector_of(study) or ""),
        kappas=coded.kappas(study, "criteria") if any(rule.kind in CODED for rule in rules) else {},
        gold=study.texts.exclude(known_label="").count(),
        paid=all_paid(study),
        practised=PracticeAnswer.objects.filter(submission__hit__study=study).exists(),
    )


def _late(study: Study) -> int:
    """Submissions that a person left out of the analysis after results were seen."""
    seen = blinding.seen_at(study)
    if seen is None:
        return 0
    by_hand = selectors.exclusions().filter(submission__hit__study=study, rule_set=None, at__gte=seen)
    return by_hand.exclude(**TOOK_PART_BEFORE).count()


def _kept(study: Study, rules: Sequence[Rule]) -> int:
    """Submissions that a rule leaves out and a person kept."""
    kept = Decision.objects.filter(submission__hit__study=study, matter=Decision.Matter.ANALYSIS, verdict="include")
    by_hand = set(kept.values_list("submission_id", flat=True))
    return len(by_hand & set().union(*reviewing.left_out_by(study, tuple(rules)).values())) if by_hand else 0


def _only_flagged(study: Study) -> dict[str, int]:
    """Submissions with the flags of filters that raise flags and are in no default rule, but for circular ones."""
    kinds = [one.kind for one in FILTERS if one.only_flags or one.style]
    rows = Flag.objects.filter(submission__hit__study=study, kind__in=kinds)
    return dict(rows.order_by().values_list("kind").annotate(n=Count("pk")))


def _hits(study: Study, rules: Sequence[Rule]) -> dict[str, tuple[int, int]]:
    """By rule, the submissions left out for which it holds, and of how many people they are."""
    if not rules:
        return {}
    gone = selectors.exclusions().filter(submission__hit__study=study)
    worker = dict(gone.values_list("submission", "submission__worker"))
    held = {kind: ones & worker.keys() for kind, ones in reviewing.left_out_by(study, tuple(rules)).items()}
    return {kind: (len(ones), len({worker[one] for one in ones})) for kind, ones in held.items()}


def crowd_warnings(crowd: collecting_counts.CrowdCounts) -> list[Warn]:
    """What a reader must know of the decisions."""
    found = []
    if crowd.rejected_kept:
        sentence = (
            f"{crowd.rejected_kept} of {crowd.submitted} submissions were refused payment and are part of the "
            "analysis; leaving them out is a decision of its own."
        )
        found.append(Warn("rejected_included", sentence))
    if crowd.withdrawn:
        sentence = (
            f"{crowd.withdrawn} of {crowd.submitted} submissions were withdrawn by their workers: paid, erased, and "
            "in no number of this report; an earlier report may have counted them."
        )
        found.append(Warn("withdrawn", sentence))
    return found


def running_warnings(study: Study, crowd: collecting_counts.CrowdCounts) -> list[Warn]:
    """That the study is not over, and how far it is."""
    if study.mode == Study.Mode.IMPORTED or study.status in (Study.Status.DRAFT, Study.Status.CLOSED):
        return []
    places = study.hits.aggregate(n=Sum("max_assignments", default=0))["n"]
    sentence = (
        f"The study is not over ({study.get_status_display()}): {crowd.submitted} of {places} assignments are in. "
        "Numbers will change, and stopping because of them would bias what they say."
    )
    return [Warn("running", sentence)]


def versions() -> tuple[tuple[str, str], ...]:
    """Versions of the platform and of the libraries that compute and draw."""
    libraries = tuple((name, metadata.version(name)) for name in LIBRARIES)
    return ("assay", metrics.__version__), ("python", platform.python_version()), *libraries


def settings(study: Study) -> tuple[tuple[str, Setting], ...]:
    """The study's configuration; of an imported one, what its file tells."""
    people = "raters_per_text" if study.evaluators_per_cell is None else "evaluators_per_cell"
    names = ["task", "mode", "status", people, "texts_per_hit", "reward_cents", "assignment_seconds"]
    if study.mode != Study.Mode.IMPORTED:
        names += ["lifetime_seconds", "auto_approval_seconds", "seed"]
    return tuple((name, getattr(study, name)) for name in names)
