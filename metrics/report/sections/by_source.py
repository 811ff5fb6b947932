"""What a file of automatic scores says of each source of the study's texts: GLTR's view, verdicts, detectors, MAUVE."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

import numpy as np

from metrics.data.sentence import plain
from metrics.errors import MetricsError
from metrics.figures import score_histogram
from metrics.figures.chart import Chart
from metrics.figures.score_histogram import Scores
from metrics.inference.clustered_means import contexts_repeat, number_contexts, share_by_context
from metrics.report.records import TextRow
from metrics.report.row_records import Attached
from metrics.report.sections.rating_scales import REFERENCES, mean_of, separation_of
from metrics.report.wording import plural
from metrics.tables.record import Column, Row, Table
from metrics.text_scores.h_score import HScore, Thresholds, h_score
from metrics.text_scores.mauve import mauve_of_features
from metrics.types import MODEL, REFERENCE, Estimate
from metrics.version import __version__

RANKS = ("the 10 likeliest", "11 to 100", "101 to 1,000", "further down")
VERDICTS = {"h": "human-like", "u": "undecided", "m": "machine-like"}
BY_SOURCE, MAUVE, DETECTOR = "Automatic scores by source", "MAUVE", "Fast-DetectGPT"
Record = Mapping[str, Any]
Contexts = Mapping[str, str | None]  # by the text's name in the file
Sides = Mapping[str, Mapping[str, Record]]  # by source, then by the text's name in the file


@dataclass(frozen=True, slots=True)
class FileResult:
    """Of one file. missing: parts that are not recorded, each with the reason."""

    tables: tuple[Table, ...] = ()
    charts: tuple[Chart, ...] = ()
    missing: tuple[tuple[str, str], ...] = ()


def compute_file_result(attached: Attached, texts: Sequence[TextRow], *, level: float, seed: int) -> FileResult:
    """The file's texts are the study's where they have its ids, with or without the end of a file's name."""
    sides = _sides(attached, texts)
    if not sides:
        why = "no text in the file has the id of a text of this study"
        return FileResult(missing=tuple((part, why) for part in (BY_SOURCE, DETECTOR, MAUVE)))
    missing: list[tuple[str, str]] = []
    curvatures = attached.document.get("fast_detect_gpt") or {}
    if not curvatures:
        missing.append((DETECTOR, "the scores are not of a model that read the texts itself"))
    groups = _contexts(sides, texts)
    ranks = {name: _ranks(name, records, groups, level) for name, records in sides.items()}
    verdicts = {name: _verdicts(attached, records, groups, level) for name, records in sides.items()}
    tables = (
        _sources(sides, verdicts, curvatures, groups, level),
        _rank_table(ranks),
        *_mauve(sides, missing, groups, level, seed),
    )
    return FileResult(tables, tuple(_charts(sides, ranks, verdicts)), tuple(missing))


def is_known(name: str, texts: Collection[str]) -> bool:
    """Whether a text of a file is among these, by its name with or without the end of a file's name."""
    return name in texts or PurePath(name).stem in texts


def _sides(attached: Attached, texts: Sequence[TextRow]) -> Sides:
    """References first, then the generators in the order of the texts."""
    side = {text.id: text.generator or REFERENCES for text in texts}
    records_by_source: dict[str, dict[str, Record]] = {REFERENCES: {}, **{name: {} for name in side.values()}}
    for name, record in (attached.document.get("texts") or {}).items():
        known = side.get(name, side.get(PurePath(name).stem))
        if known is not None:
            records_by_source[known][name] = record
    return {name: records for name, records in records_by_source.items() if records}


def _contexts(sides: Sides, texts: Sequence[TextRow]) -> Contexts:
    """The context of each text of the file; None for a text without one."""
    known = {text.id: text.context_id for text in texts}
    return {name: known.get(name, known.get(PurePath(name).stem)) for records in sides.values() for name in records}


# --- GLTR's view ---


def _ranks(name: str, records: Mapping[str, Record], groups: Contexts, level: float) -> list[tuple[Estimate, int]]:
    """Share of the tokens in each band of ranks, and how many tokens it is; contexts, or texts alone, are the units."""
    counts = np.array([record["buckets"] for record in records.values()], dtype=np.int64)
    totals, context = counts.sum(axis=1), number_contexts([groups[text] for text in records])
    unit = "contexts" if contexts_repeat(context) else "items"
    shares = []
    for at, words in enumerate(RANKS):
        share, n = share_by_context(counts[:, at], totals, context), int(totals.sum())
        settings = {"source": name, "ranks": words}
        signature = f"ranks|{name}|{words}|n:{n}|texts:{len(records)}|v:{__version__}"
        span = share.interval(level, unit)
        shares.append((Estimate(share.value, n, span, settings, (), signature), int(counts[:, at].sum())))
    return shares


def _rank_table(ranks: Mapping[str, Sequence[tuple[Estimate, int]]]) -> Table:
    columns = (
        Column("source", "Source"),
        Column("ranks", "Rank under the model"),
        Column("share", "Share of tokens", "share_estimate", n="n", digits=1),
        Column("tokens", "Tokens", "count"),
        Column("n", "Tokens of the source", "count"),
    )
    rows = tuple(
        (name, words, share, tokens, share.n)
        for name, shares in ranks.items()
        for words, (share, tokens) in zip(RANKS, shares, strict=True)
    )
    title = plain(
        "Tokens by their rank under the model, by source, in the four ranges of GLTR; intervals over new texts."
    )
    return Table("automatic-ranks", title, columns, rows)


# --- verdicts and detectors ---


def _verdicts(attached: Attached, records: Mapping[str, Record], groups: Contexts, level: float) -> HScore:
    thresholds = Thresholds(**attached.document["thresholds"])
    fp = {name: float(record["fp"]) for name, record in records.items()}
    return h_score(fp, thresholds, contexts=groups, level=level)


def _sources(
    sides: Sides, verdicts: Mapping[str, HScore], curvatures: Mapping[str, float], groups: Contexts, level: float
) -> Table:
    """Shares of verdicts, means, and how well each detector tells a generator's texts from the references."""
    rows: list[Row] = []
    for name, records in sides.items():
        score = verdicts[name]
        bent = {text: float(curvatures[text]) for text in records if text in curvatures}
        mean = mean_of("fast_detect_gpt", name, bent, groups, level) if bent else None
        pair = (sides.get(REFERENCES, ()), () if name == REFERENCES else records)
        separations = [
            separation_of(*pair, values, groups, level=level, named=f"auc|{name}", settings={"source": name})
            for values in (_fp(sides), curvatures)
        ]
        rows.append((name, score.h, score.u, score.m, score.mean_fp, separations[0], mean, separations[1], score.h.n))
    columns = (
        Column("source", "Source"),
        *(Column(key, words.capitalize(), "share_estimate", n="n", digits=1) for key, words in VERDICTS.items()),
        Column("mean_fp", "Mean Fp", "estimate", n="n", digits=3),
        Column("auc_fp", "AUC of Fp", "estimate", n="n"),
        Column("detector", f"Mean {DETECTOR}", "estimate", n="n"),
        Column("auc_detector", f"AUC of {DETECTOR}", "estimate", n="n"),
        Column("n", "Texts", "count"),
    )
    title = plain("Automatic scores by source.")
    notes = (
        "High Fp and high Fast-DetectGPT speak for a machine.",
        "AUC: how often a text of the generator scores higher than a reference, ties half; 0.5 is chance.",
        "Intervals are for new texts; those of one context are taken together.",
    )
    return Table("automatic-sources", title, columns, tuple(rows), notes)


def _fp(sides: Sides) -> dict[str, float]:
    return {text: float(record["fp"]) for records in sides.values() for text, record in records.items()}


# --- MAUVE ---


def _mauve(sides: Sides, missing: list[tuple[str, str]], groups: Contexts, level: float, seed: int) -> Iterator[Table]:
    """Each generator against the references, by the statistics of each text that the file holds."""
    rows: list[Row] = []
    for name in sides:
        if name == REFERENCES:
            continue
        if REFERENCES not in sides:
            missing.append((f"{MAUVE} of {name}", "the file has no text of a reference"))
            continue
        try:
            pair = (sides.get(REFERENCES, {}), sides[name])
            shared = tuple([groups[text] for text in records] for records in pair)
            value = mauve_of_features(
                *(_features(records) for records in pair), seed=seed, level=level, contexts=(shared[0], shared[1])
            )
            rows.append((name, value, len(sides.get(REFERENCES, {})), len(sides[name]), value.n))
        except MetricsError as error:
            missing.append((f"{MAUVE} of {name}", str(error)))
    columns = (
        Column("source", "Generator"),
        Column("mauve", MAUVE, "estimate", n="n", digits=3),
        Column("references", "References", "count"),
        Column("texts", "Its texts", "count"),
        Column("n", "Texts", "count"),
    )
    notes = (
        "1: texts spread alike over clusters of their token statistics (frac(p), entropy, rank); near 0: no overlap.",
        "Not comparable with MAUVE on a model's hidden states, nor between different numbers of texts.",
        *(
            ["The interval is for as many new texts."]
            if any(isinstance(row[1], Estimate) and row[1].interval for row in rows)
            else []
        ),
    )
    if rows:
        title = plain("MAUVE of each generator and the references, on k-means clusters of token statistics.")
        yield Table("automatic-mauve", title, columns, tuple(rows), notes)
    elif not any(part.startswith(MAUVE) for part, _ in missing):
        missing.append((MAUVE, "the file holds no text of a generator"))


def _features(records: Mapping[str, Record]) -> np.ndarray:
    """Shares of a text's tokens by frac(p), by entropy where it is known, and by rank."""
    known = all(record.get("entropies") for record in records.values())
    parts = ("fractions", "entropies", "buckets") if known else ("fractions", "buckets")
    rows = [
        [count / max(1, sum(record[part])) for part in parts for count in record[part]] for record in records.values()
    ]
    return np.array(rows, dtype=np.float64).reshape(len(rows), -1)


# --- figures ---


def _charts(
    sides: Sides, ranks: Mapping[str, Sequence[tuple[Estimate, int]]], verdicts: Mapping[str, HScore]
) -> Iterator[Chart]:
    """Tokens by rank, and texts by verdict: one bar a source."""
    bars = [
        Scores(
            name,
            REFERENCE if name == REFERENCES else MODEL,
            tuple(tokens for _, tokens in shares),
            tuple(share.interval for share, _ in shares),
            unit="token",
            behind=f"{plural(shares[0][0].n, 'token')} in {plural(len(sides[name]), 'text')}",
        )
        for name, shares in ranks.items()
    ]
    yield score_histogram.chart(RANKS, bars, name="gltr-ranks", title="Tokens by their rank under the model")
    bars = [
        Scores(
            name,
            REFERENCE if name == REFERENCES else MODEL,
            tuple(round((getattr(score, key).value or 0.0) * score.h.n) for key in VERDICTS),
            tuple(getattr(score, key).interval for key in VERDICTS),
            unit="text",
            behind=plural(score.h.n, "text"),
        )
        for name, score in verdicts.items()
    ]
    labels = tuple(VERDICTS.values())
    yield score_histogram.chart(labels, bars, name="automatic-verdicts", title="Automatic verdicts by source")
