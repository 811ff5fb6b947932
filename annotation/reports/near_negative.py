"""The verbs that build near-negative tests and let language models take them, with the files that come of it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from annotation.exceptions import DesignError
from annotation.reports.shown_tables import write_parts
from annotation.texts.scoring_models import opening_of_model, with_start_token
from metrics.data.to_json import json_text
from metrics.likelihood import TINY, FileStore
from metrics.nnd.administer import Administered, Ties, administer_tests
from metrics.nnd.documents import read_tests, tests_json
from metrics.nnd.records import TestSet
from metrics.nnd.run import Findings, Reversal, administer_by_model, findings_json, summarise_models
from metrics.nnd.scores import read_scores
from metrics.report.row_records import Attached
from metrics.report.section_kind import Options
from metrics.report.sections import external_scores

# Why two texts make no test, where the name of the reason alone does not say it.
REASONS = {
    "unordered": "pairs of texts of which neither is known to be better",
    "same_quality": "pairs of texts that were found equally good",
    "equal_texts": "pairs of equal texts",
    "below_minimum_gap": "pairs of texts whose means are closer than the smallest gap",
    "without_required_label": "pairs of texts without the required label",
    "judgments_left_out_of_the_analysis": "judgments excluded from the analysis",
}
TESTS, RESULT, SCORES = "tests.json", "near-negative-tests.json", "scores.jsonl"
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class NndRules:
    """How models take the tests.

    models: names of models that are offered. score_files: log-probabilities made elsewhere, a model each. start:
    `always` puts a start token between document and candidate, as the original code has it; `auto` puts none. ties:
    `fail`, or `second` as the original code. seed: of the bootstrap.
    """

    models: tuple[str, ...] = (TINY,)
    score_files: tuple[Path, ...] = ()
    start: Literal["auto", "always"] = "auto"
    ties: Ties = "fail"
    seed: int = 0


def store_tests(tests: TestSet, folder: Path) -> dict[str, Any]:
    """Write the tests as `nnd build --json` does; what a page shows of them."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / TESTS).write_text(json_text(tests_json(tests)), encoding="utf-8")
    return {
        "files": [TESTS],
        "source": tests.source,
        "tests": len(tests),
        "candidates": tests.candidates,
        "contexts": tests.contexts,
        "by_category": list(tests.by_category.items()),
        "skipped": [[REASONS.get(name, name.replace("_", " ")), count] for name, count in tests.skipped.items()],
        "settings": [[name.replace("_", " "), str(value)] for name, value in tests.settings.items() if value],
        "without_texts": "without_texts" in tests.flags,
    }


def run_near_negative_tests(
    tests_file: Path, folder: Path, *, rules: NndRules, progress: Progress | None = None
) -> dict[str, Any]:
    """Let models take the tests, and write results, tables and figures into `folder`; the outcome for a page.

    Scores of models are stored with the tests as they come: begun again, it goes on where it was. Raises DesignError
    for models that do not fit together, the errors of `metrics.likelihood` and of files of scores.
    """
    tests = read_tests(tests_file)
    folder.mkdir(parents=True, exist_ok=True)
    _check_names(rules)
    administered = [_from_file(tests, path, rules) for path in rules.score_files]
    # With the tests, so that every run of them goes on where another stopped; each score's key names its model.
    store = FileStore(tests_file.with_name(SCORES))
    administered += [_by_model(tests, name, store, rules, progress) for name in rules.models]
    if progress:
        progress("Computing intervals", 0, 0)
    findings = summarise_models(administered, seed=rules.seed)
    return _write(findings, tests, folder, rules)


def _check_names(rules: NndRules) -> None:
    names = [*(path.stem for path in rules.score_files), *rules.models]
    if not names:
        raise DesignError("Choose a model, or bring a file of log-probabilities.").at("models")
    for name in names:
        if names.count(name) > 1:
            raise DesignError(f"Two models are called {name!r}: rename the file.").at("scores")


def _from_file(tests: TestSet, path: Path, rules: NndRules) -> Administered:
    return administer_tests(tests, read_scores(path), model=path.stem, ties=rules.ties)


def _by_model(tests: TestSet, name: str, store: FileStore, rules: NndRules, progress: Progress | None) -> Administered:
    opening = with_start_token(name, opening_of_model(name), rules.start)
    if progress:
        progress(f"Opening {name}", 0, 0)

    def report_progress(done: int, of: int) -> None:
        if progress:
            progress(f"Scoring by {name}", done, of)

    return administer_by_model(
        tests, opening.open(), model=name, ties=rules.ties, store=store, progress=report_progress
    )


def _write(findings: Findings, tests: TestSet, folder: Path, rules: NndRules) -> dict[str, Any]:
    document = findings_json(findings)
    body = json_text(document)
    (folder / RESULT).write_text(body, encoding="utf-8")
    file = Attached("nnd", RESULT, hashlib.sha256(body.encode()).hexdigest(), document)
    section = external_scores.write([file], Options())
    tables, charts = section.tables, section.charts
    facts = {
        "source": tests.source,
        "statements": _statements(rules),
        "models": [_model_facts(model) for model in document["models"]],
        "reversals": [_reversal_sentence(reversal) for reversal in findings.reversals],
        "several": len(findings.rates) > 1,
    }
    return {"files": [RESULT, *write_parts(folder, tables, charts, facts)], "tests": len(tests), **_names(rules)}


def _names(rules: NndRules) -> Mapping[str, Any]:
    return {"models": [*(path.stem for path in rules.score_files), *rules.models], "tiny": TINY in rules.models}


def _model_facts(model: Mapping[str, Any]) -> dict[str, Any]:
    overall = model["overall"]
    return {
        "name": model["model"],
        "value": overall["value"],
        "interval": overall["interval"],
        "tests": overall["n"],
        "contexts": overall["contexts"],
        "left_out": model["tests_left_out"],
        "signature": model["scored_by"] or "",
    }


def _statements(rules: NndRules) -> list[str]:
    between = {
        "auto": "There is no start token between document and candidate.",
        "always": "There is a start token between document and candidate, as in the original code.",
    }
    ties = {
        "fail": "A test with equal likelihoods is failed.",
        "second": "With equal likelihoods the candidate listed second is chosen, as in the original code.",
    }
    from_files = ["Files of log-probabilities do not say whether a start token was used."] if rules.score_files else []
    return [*([between[rules.start]] if rules.models else []), *from_files, ties[rules.ties]]


def _reversal_sentence(reversal: Reversal) -> str:
    better, worse = reversal.first, reversal.second
    if (reversal.overall.value or 0.0) < 0:
        better, worse = worse, better
    interval = reversal.category_difference.interval
    sure = interval is not None and (interval.low > 0 or interval.high < 0)
    doubt = "" if sure else " The interval of that difference includes 0."
    return (
        f"{better} passes more tests than {worse}, but fewer of {reversal.category} "
        f"({abs(100 * (reversal.category_difference.value or 0.0)):.1f} percentage points, "
        f"{reversal.category_difference.n} tests).{doubt}"
    )
