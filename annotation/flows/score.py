"""Gather from the database everything that a report is made from."""

from __future__ import annotations

import platform
import statistics
from collections.abc import Mapping, Sequence
from datetime import datetime
from fractions import Fraction
from importlib import metadata
from typing import Any

import metrics
from annotation import selectors
from annotation.exceptions import StateError
from annotation.models import Likelihood, Study, Text
from annotation.pricing.fees import wage_cents
from metrics.errors import nothing_left
from metrics.report.records import (
    CrowdFacts,
    FlagFacts,
    GeneratorFacts,
    MoneyFacts,
    RatingRow,
    ReportInput,
    ScaleLabel,
    StudyFacts,
    StudyMode,
    TextRow,
    Truth,
    Warn,
)
from metrics.types import Item, Setting

RULES = {"incomplete": "An answer is missing, or is not a label of the scale."}
LIBRARIES = ("Django", "numpy", "scipy", "plotly")


def score(study: Study, *, truths: Mapping[str, Truth] | None = None, command: str | None = None) -> ReportInput:
    """The study as `metrics.report.build` takes it: texts with exact HJ, ratings, money, crowd and design.

    truths: what a rehearsal knows, by generator. command: what makes this report again.
    Raises StateError for a study without ratings or without generators, InsufficientData where every
    submission was excluded from the analysis.
    """
    sums = selectors.rating_sums(study)
    crowd = selectors.crowd_counts(study)
    if not sums and crowd.excluded:
        raise nothing_left("rating", {"excluded from the analysis": crowd.excluded})
    if not sums:
        raise StateError(f"The study {study} has no ratings yet, so there is nothing to report.")
    texts = list(selectors.texts(study))
    generators, warnings = _generators(study, texts, sums, truths or {})
    if not generators:
        raise StateError(f"The study {study} has no text of a generator, so there is nothing to compare.")
    shown = {item.id for facts in generators for item in facts.items}
    return ReportInput(
        study=_study(study, crowd),
        generators=generators,
        texts=tuple(_text_row(text) for text in texts if text.key in shown),
        ratings=_ratings(study, shown),
        money=_money(study, crowd),
        crowd=_crowd(study, crowd),
        flags=_flags(study, crowd),
        warnings=(*warnings, *_crowd_warnings(crowd)),
        versions=_versions(),
        settings=_settings(study),
        command=command,
    )


def _generators(
    study: Study, texts: Sequence[Text], sums: Mapping[int, selectors.RatingSum], truths: Mapping[str, Truth]
) -> tuple[tuple[GeneratorFacts, ...], list[Warn]]:
    likelihoods = selectors.likelihoods(study)
    somewhere = {text for known in likelihoods.values() for text in known}
    facts, warnings = [], []
    for generator in study.generators.order_by("pk"):
        mine = likelihoods.get(generator.pk, {})
        own = [text for text in texts if text.generator_id == generator.pk]
        references = [text for text in texts if text.source == Text.Source.REFERENCE]
        # A reference with a log p under other generators only is not one of this generator's references.
        shared = [text for text in references if text.pk in mine or text.pk not in somewhere]
        if not own:
            continue
        if len(shared) < len(references):
            warnings.append(_without_log_prob(generator.name, len(references) - len(shared)))
        used = [mine[text.pk] for text in (*shared, *own) if text.pk in mine]
        units = sorted({one.length_unit for one in used})
        if len(units) > 1:
            sentence = (
                f"{generator.name}: lengths are counted in {' and in '.join(units)}; log p per unit is no one scale."
            )
            warnings.append(Warn("mixed_length_units", sentence))
        facts.append(
            GeneratorFacts(
                name=generator.name,
                items=tuple(_item(text, mine.get(text.pk), sums.get(text.pk)) for text in (*shared, *own)),
                decoding=generator.decoding or None,
                log_prob_decoding="; ".join(sorted({one.decoding for one in used if one.decoding})) or None,
                length_unit=" and ".join(units) or "whitespace",
                truth=truths.get(generator.name),
            )
        )
    return tuple(facts), warnings


def _without_log_prob(name: str, count: int) -> Warn:
    sentence = f"{name}: {count} references have a log p under other generators only and are left out of its results."
    return Warn("references_without_log_prob", sentence)


def _item(text: Text, likelihood: Likelihood | None, ratings: selectors.RatingSum | None) -> Item:
    return Item(
        id=text.key,
        source="reference" if text.source == Text.Source.REFERENCE else "model",
        hj=ratings.total / ratings.count if ratings else None,
        log_prob=likelihood.log_prob if likelihood else None,
        length=likelihood.length if likelihood else max(1, len(text.body.split())),
        context=text.context.key if text.context else None,
        ratings=ratings.count if ratings else 0,
    )


def _text_row(text: Text) -> TextRow:
    return TextRow(
        id=text.key,
        source="reference" if text.source == Text.Source.REFERENCE else "model",
        generator=text.generator.name if text.generator else None,
        body=text.body,
        context_id=text.context.key if text.context else None,
        context=(text.context.body or None) if text.context else None,
    )


def _ratings(study: Study, shown: set[str]) -> tuple[RatingRow, ...]:
    return tuple(
        RatingRow(
            text=line.text,
            rater=line.rater,
            label=line.label,
            value=number(line.code),
            hit=line.hit,
            position=line.position + 1,
            kept=line.kept,
        )
        for line in selectors.rating_lines(study)
        if line.text in shown
    )


def number(code: str) -> int | Fraction:
    """A label's code as an exact number."""
    value = Fraction(code)
    return int(value) if value.denominator == 1 else value


def _study(study: Study, crowd: selectors.CrowdCounts) -> StudyFacts:
    sources = selectors.hit_sources(study)
    origins = selectors.origins(study)
    imported = study.mode == Study.Mode.IMPORTED
    in_hits = not imported or study.hits.exclude(market_id=None).exists()
    labels = list(study.scale.labels.order_by("pk"))
    scale = tuple(ScaleLabel(one.label, number(one.code), one.gloss) for one in labels)
    created = next((facts["created_at"] for facts in origins if facts.get("created_at")), None)
    return StudyFacts(
        name=study.name,
        task=next((layout for facts in origins for layout in _layouts(facts)), "typicality ratings"),
        question=study.question or "not recorded",
        noun=study.noun,
        scale=scale,
        coding=coding(scale),
        mode=_mode(study),
        created_at=(datetime.fromisoformat(created) if created else None) if imported else study.created_at,
        collected_from=crowd.first,
        collected_to=crowd.last,
        hits=len(sources) if in_hits else None,
        texts_per_hit=study.texts_per_hit if in_hits else None,
        raters_per_text=study.raters_per_text,
        interleaving=interleaving(sources, seed=None if imported else study.seed) if in_hits else None,
        seed=None if imported else study.seed,
        provenance=tuple(line for facts in origins for line in _told_origin(facts)),
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


def _layouts(facts: Mapping[str, Any]) -> list[str]:
    return [one["layout"] for one in facts.get("files", ())]


def _told_origin(facts: Mapping[str, Any]) -> list[str]:
    return [
        f"{one['file']}, SHA-256 {one['sha256']}, {one['rows']} rows, read as {one['layout']}"
        for one in facts.get("files", ())
    ]


def _money(study: Study, crowd: selectors.CrowdCounts) -> MoneyFacts:
    reward = study.reward_cents or None
    seconds = selectors.work_seconds(study)
    low, median, high = quartiles(seconds)
    wage = wage_cents(reward, seconds=median) if reward is not None and median else None
    if study.mode == Study.Mode.IMPORTED:
        # The file tells which work was approved, not what the marketplace charged for it.
        paid = crowd.approved * reward if reward is not None and crowd.approved else None
        return MoneyFacts(reward, paid, None, None, None, low, median, high, wage)
    spent = selectors.money_spent(study)
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


def _crowd(study: Study, crowd: selectors.CrowdCounts) -> CrowdFacts:
    decided = study.mode != Study.Mode.IMPORTED or crowd.approved + crowd.rejected > 0
    return CrowdFacts(
        provider=_provider(study),
        criteria=_criteria(study),
        workers=crowd.workers,
        submitted=crowd.submitted,
        approved=crowd.approved if decided else None,
        rejected=crowd.rejected if decided else None,
        excluded=crowd.excluded,
    )


def _provider(study: Study) -> str | None:
    if study.mode == Study.Mode.REHEARSAL:
        return "rehearsal crowd (simulated raters)"
    named = [name for name in selectors.providers(study) if not name.startswith("import:")]
    return ", ".join(named) or None


def _criteria(study: Study) -> tuple[str, ...]:
    found = []
    if study.minimum_percent_approved is not None:
        found.append(f"approval rate above {study.minimum_percent_approved} %")
    if study.minimum_approved_hits is not None:
        found.append(f"more than {study.minimum_approved_hits} approved HITs")
    if study.country:
        found.append(f"located in {study.country}")
    return tuple(found)


def _flags(study: Study, crowd: selectors.CrowdCounts) -> tuple[FlagFacts, ...] | None:
    found = selectors.flags_by_kind(study)
    if study.mode == Study.Mode.IMPORTED and not found:
        return None
    return tuple(
        FlagFacts(kind, RULES.get(kind, kind), *_counts(found.get(kind, (0, 0)), crowd.submitted))
        for kind in sorted({*found, *RULES})
    )


def _counts(found: tuple[int, int], submitted: int) -> tuple[int, int, int]:
    flagged, gone = found
    return flagged, submitted, gone


def _crowd_warnings(crowd: selectors.CrowdCounts) -> list[Warn]:
    if not crowd.rejected_kept:
        return []
    sentence = (
        f"{crowd.rejected_kept} of {crowd.submitted} submissions were refused payment and are part of the analysis; "
        "leaving them out is a decision of its own."
    )
    return [Warn("rejected_included", sentence)]


def _versions() -> tuple[tuple[str, str], ...]:
    libraries = tuple((name, metadata.version(name)) for name in LIBRARIES)
    return ("assay", metrics.__version__), ("python", platform.python_version()), *libraries


def _settings(study: Study) -> tuple[tuple[str, Setting], ...]:
    names = ["mode", "status", "raters_per_text", "texts_per_hit", "reward_cents", "assignment_seconds"]
    if study.mode != Study.Mode.IMPORTED:
        names += ["lifetime_seconds", "auto_approval_seconds", "seed"]
    return tuple((name, getattr(study, name)) for name in names)
