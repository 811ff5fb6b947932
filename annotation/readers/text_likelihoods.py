"""log p of a text as a row gives it, and files that give it for texts of another file."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from annotation.readers.cells import integer_of, log_prob_of, optional_text, short, whitespace_tokens
from annotation.readers.columns import Cells, Names, read_cells
from annotation.readers.problem_codes import Code
from annotation.readers.problems import Findings
from annotation.readers.records import UNITS, LikelihoodRecord, TextRecord, Unit
from annotation.readers.spool import Spool
from annotation.readers.tabular import FileForm

NEEDED = ("text", "generator", "log_prob")
OPTIONAL = ("length", "length_unit", "decoding")
UNCOUNTED = 0  # a length that is counted when the text is at hand


def likelihood_of(cells: Cells, body: str | None, findings: Findings, *, decoding: str) -> LikelihoodRecord | None:
    """log p with its length and unit; the generator is left open. None where the cell is blank or a rule is broken.

    body: the text, from which a missing length is counted; UNCOUNTED where it is None.
    """
    row, written = cells.row, cells.get("log_prob").strip()
    length, unit = cells.get("length").strip(), cells.get("length_unit").strip()
    if unit and unit not in UNITS:
        rule = f"must be one of {', '.join(UNITS)}, not {short(unit)}"
        findings.problem(row, cells.name("length_unit"), rule, Code.LENGTH_UNIT_UNKNOWN)
        unit = "char"  # the other cells are still looked at
    place = row, cells.name("length"), findings
    odd, below = Code.LENGTH_NOT_INTEGER, Code.LENGTH_NOT_POSITIVE
    count = integer_of(length, *place, minimum=1, odd=odd, below=below) if length else None
    if not written:
        return None
    value = log_prob_of(written, row, cells.name("log_prob"), findings)
    if length and not unit:
        rule = f"a length needs its unit ({', '.join(UNITS)})"
        findings.problem(row, cells.name("length_unit"), rule, Code.LENGTH_UNIT_MISSING)
    elif not length and unit == "model_token":
        rule = "model tokens cannot be counted in this file; give the length"
        findings.problem(row, cells.name("length"), rule, Code.LENGTH_MISSING)
    elif value is not None and (count is not None or not length):
        decoding_name = optional_text(cells.get(decoding), row, cells.name(decoding), findings, limit=200)
        return LikelihoodRecord("", value, count or count_length(body, unit), _unit_of(unit), decoding_name, written)
    return None


def count_length(body: str | None, unit: str) -> int:
    """The length of a text in characters or words; UNCOUNTED without the text."""
    if body is None:
        return UNCOUNTED
    return len(body) if unit == "char" else whitespace_tokens(body)


def _unit_of(word: str) -> Unit:
    return next((unit for unit in UNITS if unit == word), "whitespace")


def with_likelihoods(
    texts: Iterable[TextRecord],
    path: Path,
    findings: Findings,
    form: FileForm | None,
    *,
    known: Collection[str],
    generators: Collection[str],
    scored: Mapping[str, str],
) -> Spool[TextRecord]:
    """The texts with the log p that a second file gives them.

    known: ids of the texts. generators: those of model texts. scored: the generator whose log p a text has already.
    """
    by_text: dict[str, list[LikelihoodRecord]] = {}
    form = replace(form or FileForm(), split=None)
    for cells in read_cells(path, findings, Names(), needed=NEEDED, known=(*NEEDED, *OPTIONAL), form=form):
        key, generator, row = cells.get("text").strip(), cells.get("generator").strip(), cells.row
        mine = by_text.setdefault(key, [])
        if key not in known:
            findings.problem(row, "text", f"no text has the id {short(key)}", Code.UNKNOWN_TEXT)
        elif generator not in generators:
            rule = f"no model text has the generator {short(generator)}"
            findings.problem(row, "generator", rule, Code.UNKNOWN_GENERATOR)
        elif scored.get(key) == generator or any(likelihood.generator == generator for likelihood in mine):
            rule = f"the text {key!r} has a log p under {generator!r} already"
            findings.problem(row, "generator", rule, Code.DUPLICATE_LOG_P)
        elif not cells.get("log_prob").strip():
            findings.problem(row, "log_prob", "must not be empty", Code.MISSING_LOG_P)
        else:
            likelihood = likelihood_of(cells, None, findings, decoding="decoding")
            if likelihood is not None:
                mine.append(replace(likelihood, generator=generator))
    findings.raise_if_any()
    return Spool(_attach_likelihoods(text, by_text.get(text.id, ())) for text in texts)


def _attach_likelihoods(text: TextRecord, more: Iterable[LikelihoodRecord]) -> TextRecord:
    complete = [
        replace(likelihood, length=likelihood.length or count_length(text.body, likelihood.unit)) for likelihood in more
    ]
    return replace(text, likelihoods=(*text.likelihoods, *complete)) if complete else text
