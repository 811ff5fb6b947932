"""The report as JSON: plain values in a fixed order, no NaN, one home for each thing."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from fractions import Fraction
from typing import Any

from metrics.report.records import GeneratorFacts, KnownValue, Truth
from metrics.report.result import GeneratorReport, Report
from metrics.serialise import estimate_json, modes_json
from metrics.types import MODEL, REFERENCE

SCHEMA_VERSION = 1


def payload(report: Report, *, now: datetime) -> dict[str, Any]:
    """Everything of `report.json`. `created` is the only part that depends on `now`; None stands for "not recorded".

    generators: {name: {"modes": {mode: {measure: estimate}}, ...}}. truth: {name: ...}, only where some is known.
    """
    given = report.input
    body: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "created": now.isoformat(timespec="seconds"),
        "study": _plain(asdict(given.study)),
        "generators": {generator.facts.name: _generator(generator) for generator in report.generators},
        "hj": {row.name: estimate_json(row.mean) for row in report.sources},
        "money": _plain(asdict(given.money)),
        "crowd": _plain(asdict(given.crowd)),
        "ratings_per_text": {str(count): texts for count, texts in report.ratings_per_text},
        "quality": None if given.flags is None else [_plain(asdict(flag)) for flag in given.flags],
        "warnings": [asdict(warn) for warn in report.warnings],
        "verdicts": list(report.verdicts),
        "limits": list(report.limits),
        "reproducibility": {
            "versions": dict(given.versions),
            "commit": given.commit,
            "command": given.command,
            "settings": dict(given.settings),
            "seed": report.seed,
            "k": report.k,
            "level": report.level,
        },
    }
    truths = {facts.name: truth(facts.truth) for facts in given.generators if facts.truth is not None}
    return body | ({"truth": truths} if truths else {})


def truth(known: Truth) -> dict[str, Any]:
    """What a rehearsal knows of a generator; each value with its Monte-Carlo standard error."""
    return {
        "temperature": known.temperature,
        "l_star": _known(known.l_star),
        "l_phi": _known(known.l_phi),
        "l_phi_q": _known(known.l_phi_q),
        "expected": {"huse": _known(known.huse), "huse_q": _known(known.huse_q), "huse_d": _known(known.huse_d)},
        "studies": known.studies,
        "raters": known.raters,
        "texts": known.texts,
    }


def _generator(generator: GeneratorReport) -> dict[str, Any]:
    facts = generator.facts
    return {
        "modes": modes_json(generator.modes),
        "n": generator.n,
        "n_reference": _count(facts, REFERENCE),
        "n_model": _count(facts, MODEL),
        "decoding": facts.decoding,
        "log_prob_decoding": facts.log_prob_decoding,
        "length_unit": facts.length_unit,
    }


def _count(facts: GeneratorFacts, source: str) -> int:
    return sum(item.source == source for item in facts.items)


def _known(value: KnownValue) -> dict[str, float]:
    return {"value": value.value, "error": value.error}


def _plain(value: Any) -> Any:
    """Datetimes as text, fractions as decimals, tuples as lists, all the way down."""
    if isinstance(value, Fraction):
        return float(value)
    if isinstance(value, datetime):
        return value.isoformat(timespec="seconds")
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return value
