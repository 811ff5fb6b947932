"""Each figure: whose it is, where it stands, as it is printed there, and how Assay computes it from the data."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path

from metrics import (
    Item,
    administer_tests,
    bradley_terry_votes,
    evaluate,
    evaluate_judgments,
    krippendorff_alpha,
    pass_rates,
    score_text,
)
from metrics.data.evaluator_judgments import MACHINE
from metrics.nnd.formats.frank import frank_tests
from metrics.nnd.formats.quiz_design import quiz_design_tests
from metrics.nnd.records import TestSet
from metrics.text_scores.gltr import read_gltr
from tests.metrics.factories import batch_items, summary_items
from tests.metrics.judgments_made import released
from tests.metrics.nnd.test_administer import stub
from tests.metrics.raters import batch_ratings, guesses, squality_ratings

# Whose figure it is.
PUBLISHED = "published"
ORIGINAL = "original code"
INDEPENDENT = "independent script"


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure. printed: as its source prints it; compute: Assay's, from the folder of the data."""

    data: str
    what: str
    printed: str
    source: str
    compute: Callable[[Path], float]


@dataclass(frozen=True, slots=True)
class Part:
    """The figures of one question. about: the data, and who published them."""

    title: str
    about: str
    figures: tuple[Figure, ...]


@cache
def _huse(data: Path, mode: str, replicates: int | None) -> tuple[float, float, float, float]:
    items = summary_items(data) if replicates is None else batch_items(data, replicates)
    result = evaluate(items, [mode], draws=0)[mode]  # type: ignore[list-item, index]
    values = (result.huse.value, result.huse_q.value, result.huse_d.value, result.log_prob_only.value)
    assert all(value is not None for value in values)
    return values  # type: ignore[return-value]


def _huse_figures(mode: str, replicates: int | None, printed: tuple[str, ...], source: str) -> tuple[Figure, ...]:
    ratings = "20 ratings per text" if replicates is None else f"first {replicates} of each text's ratings"
    rule = "original arithmetic" if mode == "paper" else "exact arithmetic"
    return tuple(
        Figure("HUSE release", f"{name}, {rule}, {ratings}", text, source, _part_of_huse(mode, replicates, place))
        for place, (name, text) in enumerate(zip(("HUSE", "HUSE-Q", "HUSE-D", "log p alone"), printed, strict=False))
    )


def _part_of_huse(mode: str, replicates: int | None, place: int) -> Callable[[Path], float]:
    return lambda data: _huse(data, mode, replicates)[place]


def _alpha(columns: Callable[[Path], tuple[list[str], list[str], list[int]]], level: str) -> Callable[[Path], float]:
    def compute(data: Path) -> float:
        value = krippendorff_alpha(*columns(data), level, draws=0).value  # type: ignore[arg-type]
        assert value is not None
        return value

    return compute


def _three_way(file: str, field: str) -> Callable[[Path], float]:
    def compute(data: Path) -> float:
        rows = [judgment for judgment in released(data, file) if judgment.truth == MACHINE]
        overall = evaluate_judgments(rows, chance=1 / 3, repeats="keep").overall
        if field == "evaluators":
            value = overall.accuracy.accuracy.value
        else:
            value = overall.against_chance.accuracy_minus_chance.settings[field]  # type: ignore[assignment]
        assert isinstance(value, float)
        return value

    return compute


@cache
def _quiz_design(data: Path) -> TestSet:
    return quiz_design_tests(data / "qgen" / "quiz_design_groups.jsonl")


def _category(name: str) -> Callable[[Path], float]:
    return lambda data: _quiz_design(data).by_category[name]


@cache
def _frank(data: Path) -> TestSet:
    return frank_tests(data / "frank" / "human_annotations.json")


def _passes(name: str, ties: str) -> Callable[[Path], float]:
    return lambda data: float(
        pass_rates(administer_tests(_quiz_design(data), stub(name), ties=ties), draws=1).overall.passed  # type: ignore[arg-type]
    )


def _fraction(name: str) -> Callable[[Path], float]:
    return lambda data: score_text(read_gltr(data / "gltr" / name)).fp


@cache
def _votes(data: Path) -> dict[str, dict[str, float]]:
    with (data / "llmfao" / "llmfao.csv").open(newline="", encoding="utf-8") as file:
        votes = list(csv.DictReader(file))
    outcome = [{"left": 1, "right": 0, "tie": 0.5}[vote["winner"]] for vote in votes]
    columns = [[vote[name] for vote in votes] for name in ("prompt", "worker", "left", "right")]
    strengths = bradley_terry_votes(*columns, outcome).log_strength  # type: ignore[arg-type]
    return {
        name: {"theta": float(estimate.value or 0), "variance": float(estimate.settings["se"] or 0) ** 2}
        for name, estimate in strengths.items()
    }


def _strength(system: str, field: str) -> Callable[[Path], float]:
    return lambda data: _votes(data)[system][field]


def _huse_q_of_summaries(kind: str, system: str) -> Callable[[Path], float]:
    def compute(data: Path) -> float:
        names, _, values = squality_ratings(data, kind)
        counts, sums = Counter(names), dict.fromkeys(names, Fraction(0))
        for name, value in zip(names, values, strict=True):
            sums[name] += Fraction(value)
        items = [
            Item(name, "reference" if name.endswith("-human") else "model", sums[name] / counts[name], None, 1)
            for name in sums
            if name.split("-", 2)[2] in (system, "human")
        ]
        value = evaluate(items, ["exact"], draws=0, missing="quality_only")["exact"].huse_q.value
        assert value is not None
        return value

    return compute


HUSE = Part(
    "Typicality: HUSE",
    "The released summarisation study of Hashimoto, Zhang and Liang (2019): 200 headlines, 93 workers, 4,000 ratings.",
    (
        *_huse_figures("paper", None, ("0.53", "0.5800000000000001", "0.95", "1.1600000000000001"), ORIGINAL),
        *_huse_figures("exact", None, ("0.53", "0.60", "0.93", "1.16"), INDEPENDENT),
        *_huse_figures("paper", 10, ("0.6699999999999999", "0.7", "0.97"), ORIGINAL),
        *_huse_figures("paper", 5, ("0.7", "0.8", "0.8999999999999999"), ORIGINAL),
        *_huse_figures("paper", 3, ("0.8300000000000001", "0.6799999999999999", "1.1500000000000001"), ORIGINAL),
        *_huse_figures("paper", 1, ("0.52", "0.49", "1.03"), ORIGINAL),
        Figure(
            "HUSE release",
            "alpha of the raters, ordinal",
            "0.16598978421898714",
            INDEPENDENT,
            _alpha(batch_ratings, "ordinal"),
        ),
        Figure(
            "HUSE release",
            "alpha of the raters, interval",
            "0.18802710719453097",
            INDEPENDENT,
            _alpha(batch_ratings, "interval"),
        ),
    ),
)
HUMAN_OR_MACHINE = Part(
    "Human or machine",
    "Which of three paragraphs is the machine's, by the first group of Uchendu et al. (2023); chance is 1/3.",
    (
        Figure(
            "v_select",
            "mean accuracy of 23 workers",
            "0.4926086956521739",
            INDEPENDENT,
            _three_way("v_select", "evaluators"),
        ),
        Figure("v_select", "t against chance", "3.4045421697652416", INDEPENDENT, _three_way("v_select", "t")),
        Figure("v_select", "p against chance", "0.002543586975189558", INDEPENDENT, _three_way("v_select", "p")),
        Figure(
            "v_write",
            "mean accuracy of 16 workers",
            "0.48790674603174605",
            INDEPENDENT,
            _three_way("v_write", "evaluators"),
        ),
        Figure("v_write", "t against chance", "4.480056267000296", INDEPENDENT, _three_way("v_write", "t")),
        Figure(
            "v_select",
            "alpha of the workers, nominal",
            "0.05786493880237675",
            INDEPENDENT,
            _alpha(lambda data: guesses(data, "v_select"), "nominal"),
        ),
        Figure(
            "v_write",
            "alpha of the workers, nominal",
            "0.16334007145561724",
            INDEPENDENT,
            _alpha(lambda data: guesses(data, "v_write"), "nominal"),
        ),
    ),
)
NEAR_NEGATIVE = Part(
    "Near-negative tests",
    "Quiz Design (Laban et al. 2022) and FRANK (Pagnoni et al. 2021). A stub scores candidates where a model would.",
    (
        Figure("Quiz Design", "tests", "2686", PUBLISHED, lambda data: len(_quiz_design(data))),
        *(
            Figure("Quiz Design", f"tests of {name}", count, ORIGINAL, _category(name))
            for name, count in (("wrong_context", "1085"), ("off_target", "890"), ("disfluent", "711"))
        ),
        Figure(
            "Quiz Design", "passes where fewer words are likelier", "1220", ORIGINAL, _passes("minus words", "second")
        ),
        Figure(
            "Quiz Design",
            "passes where more characters are likelier",
            "1543",
            ORIGINAL,
            _passes("characters", "second"),
        ),
        Figure(
            "Quiz Design",
            "passes of a constant score, ties as in the original",
            "1305",
            ORIGINAL,
            _passes("constant", "second"),
        ),
        Figure(
            "Quiz Design",
            "passes of a constant score, as the paper defines them",
            "0",
            INDEPENDENT,
            _passes("constant", "fail"),
        ),
        Figure("FRANK", "tests of the CNN/DM test split", "832", INDEPENDENT, lambda data: len(_frank(data))),
        Figure("FRANK", "documents", "175", INDEPENDENT, lambda data: _frank(data).contexts),
    ),
)
HUMAN_LIKELIHOOD = Part(
    "Human-likelihood",
    "The sample files of GLTR (Gehrmann et al. 2019); frac(p) after Çano and Bojar (2020), from GLTR's own output.",
    tuple(
        Figure(name, "frac(p)", printed, INDEPENDENT, _fraction(name))
        for name, printed in (
            ("NYTimes.json", "0.5427873140578954"),
            ("gpt2_small_top5_uncond.json", "0.7968360069195687"),
            ("gpt_2_small_top40_t0.7.json", "0.7282999310657483"),
            ("unicorn.json", "0.5371088039374448"),
        )
    ),
)
MORE = Part(
    "More tasks",
    "Preferences between 59 systems (llmfao, of evalica's authors) and ratings of summaries from 0 to 100 (SQuALITY).",
    (
        *(
            Figure("llmfao", f"{what} of {system}", printed, source, _strength(system, field))
            for system, theta, variance in (
                ("GPT 4", "0.990875", "0.062288"),
                ("Platypus-2 Instruct (70B)", "0.647307", "0.049124"),
                ("command", "0.634184", "0.022130"),
            )
            for what, field, printed, source in (
                ("log strength", "theta", theta, INDEPENDENT),
                ("two-way clustered variance", "variance", variance, INDEPENDENT),
            )
        ),
        Figure(
            "SQuALITY",
            "alpha of overall, interval",
            "0.7982558872161952",
            INDEPENDENT,
            _alpha(lambda data: squality_ratings(data, "overall"), "interval"),
        ),
        Figure(
            "SQuALITY",
            "alpha of correctness, ordinal",
            "0.5344497301205574",
            INDEPENDENT,
            _alpha(lambda data: squality_ratings(data, "correctness"), "ordinal"),
        ),
        Figure(
            "SQuALITY", "HUSE-Q of bart, correctness", "0.03", INDEPENDENT, _huse_q_of_summaries("correctness", "bart")
        ),
        Figure(
            "SQuALITY",
            "HUSE-Q of bart-dpr, correctness",
            "0.06",
            INDEPENDENT,
            _huse_q_of_summaries("correctness", "bart-dpr"),
        ),
    ),
)
PARTS = (HUSE, HUMAN_OR_MACHINE, NEAR_NEGATIVE, HUMAN_LIKELIHOOD, MORE)
