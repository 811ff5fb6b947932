"""The two measures that need no crowd of their own, of a rehearsed study: near-negative tests and human-likelihood."""

from __future__ import annotations

from datetime import datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

from annotation.models import Study
from annotation.rehearsal import script
from annotation.rehearsal.backend import NAME, TinyModel
from annotation.rehearsal.implied_truths import ImpliedTruths
from annotation.rehearsal.lines import EstimateAndTruth, MeasureLine
from annotation.rehearsal.world import Design, World, implied
from annotation.reports.attach_scores import attach
from annotation.reports.machine_scores import read_by_model
from annotation.reports.nnd_tests import Rule, make_tests
from metrics.data.to_json import json_text
from metrics.nnd.rates import PassRates
from metrics.nnd.run import administer_by_model, findings_json, summarise_models
from metrics.text_scores.h_score import mean_estimate
from metrics.text_scores.machine_scores import reading_layout
from metrics.types import Estimate

# Better by a whole label of the scale or more: a few raters of the crowd cannot turn such a pair round.
RULE = Rule(kind="mean", minimum_gap=Fraction(implied.GAP), pool_by_hit=True)
READER = 1.0  # the temperature at which the model reads
TESTS_FILE, LIKELIHOOD_FILE = "near-negative-tests.json", "human-likelihood.json"


def take_near_negative_tests(
    study: Study, world: World, design: Design, truths: ImpliedTruths, out: Path, *, actor: str, now: datetime
) -> list[MeasureLine]:
    """The world's model takes, at each temperature, tests made of the crowd's ratings; stored with the study."""
    tests = make_tests(study, rule=RULE)
    names = [script.generator_name(t) for t in design.temperatures]
    models = [TinyModel(world, t) for t in design.temperatures]
    administered = [administer_by_model(tests, model, model=name) for name, model in zip(names, models, strict=True)]
    findings = summarise_models(administered)
    _store(study, findings_json(findings), out / TESTS_FILE, model=models[0], actor=actor, now=now)
    pairs = zip(findings.rates, (truths.pass_rates[t].by_crowd for t in design.temperatures), strict=True)
    return [_pass_rate_line(rates, truth) for rates, truth in pairs]


def _pass_rate_line(rates: PassRates, truth: float) -> MeasureLine:
    return MeasureLine(
        f"Near-negative tests, {rates.model}", EstimateAndTruth(rates.overall.estimate, truth), percent=True
    )


def score_human_likelihood(
    study: Study, world: World, truths: ImpliedTruths, out: Path, *, actor: str, now: datetime
) -> list[MeasureLine]:
    """The world's model reads every text of the study; stored with it. A line for people's texts, one for its own."""
    reader = TinyModel(world, READER, layout=reading_layout())
    document = read_by_model(study, model=reader, actor=actor, now=now)
    _store(study, document, out / LIKELIHOOD_FILE, model=reader, actor=actor, now=now)
    people = set(study.texts.filter(source="reference").values_list("key", flat=True))
    return [
        MeasureLine(
            "Human-likelihood: frac(p), people", EstimateAndTruth(_mean(document, people, True), truths.references)
        ),
        MeasureLine(
            "Human-likelihood: frac(p), model", EstimateAndTruth(_mean(document, people, False), truths.machine)
        ),
    ]


def _mean(document: dict[str, Any], people: set[str], human: bool) -> Estimate:
    return mean_estimate([text["fp"] for name, text in document["texts"].items() if (name in people) is human])


def _store(study: Study, document: dict[str, Any], path: Path, *, model: TinyModel, actor: str, now: datetime) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json_text(document), encoding="utf-8")
    attach(study, path, model=NAME, version=model.card.revision, actor=actor, now=now)
