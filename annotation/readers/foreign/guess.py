"""Guess what the columns of a file hold, from their names and their first rows."""

from __future__ import annotations

import re
from collections.abc import Sequence

from annotation.readers.foreign.layouts import recognize
from annotation.readers.foreign.look import ColumnLook, FileLook
from annotation.readers.foreign.text_mapping import MORE, TextMapping

PEOPLE = frozenset(
    {
        "human",
        "humans",
        "person",
        "people",
        "reference",
        "references",
        "ref",
        "gold",
        "golden",
        "original",
        "writer",
        "author",
        "real",
        "natural",
        "ground_truth",
        "groundtruth",
        "target",
        "human_written",
    }
)
ID = ("id", "text_id", "uid", "uuid", "key", "item", "item_id", "idx", "index", "example_id", "sample_id")
TEXT = (
    "text",
    "output",
    "response",
    "completion",
    "generation",
    "generated_text",
    "answer",
    "sentence",
    "summary",
    "story",
    "continuation",
    "body",
    "content",
    "ending",
    "translation",
    "hypothesis",
    "prediction",
)
SOURCE = (
    "source",
    "side",
    "origin",
    "written_by",
    "author",
    "writer",
    "label",
    "type",
    "kind",
    "is_human",
    "system",
    "generator",
    "model",
    "model_name",
    "model_id",
)
GENERATOR = ("generator", "model", "model_name", "model_id", "system", "system_id")
PROMPT = (
    "prompt",
    "context_text",
    "instruction",
    "question",
    "input",
    "context",
    "article",
    "document",
    "premise",
    "source_text",
    "src",
    "topic",
    "title",
    "story_prompt",
    "writing_prompt",
)
CONTEXT = ("context_id", "prompt_id", "doc_id", "question_id", "document_id", "story_id", "group", "context")
REFERENCE = (
    "reference",
    "human",
    "gold",
    "target",
    "human_text",
    "human_written",
    "ground_truth",
    "ref",
    "reference_text",
    "original",
    "human_story",
    "human_answer",
    "gold_answer",
    "reference_summary",
)
MANY_WORDS = 3.0  # in the mean cell of a column of texts


def guess_mapping(look: FileLook) -> TextMapping:
    """Return the likeliest mapping; its layout is named where the file is of a known kind."""
    known = recognize(look)
    if known is not None:
        return known
    plain = _by_plain_name(look.columns)
    if _has_our_columns(look):
        return _by_our_names(look)
    wide = _wide(look, plain)
    return wide if wide is not None else _long(look, plain)


def _has_our_columns(look: FileLook) -> bool:
    return {"text", "source"} <= set(look.fields)


def _by_our_names(look: FileLook) -> TextMapping:
    """Our own columns by their names, as `import_texts` reads them."""
    source = look.column("source")
    return TextMapping(
        text="text",
        source="source",
        references=_references(source),
        id=_same_name(look, "id"),
        generator=_same_name(look, "generator"),
        context=_same_name(look, "context"),
        context_text=_same_name(look, "context_text"),
        more={name: name for name in MORE if look.column(name)},
    )


def _same_name(look: FileLook, name: str) -> str:
    return name if look.column(name) else ""


def _wide(look: FileLook, plain: dict[str, ColumnLook]) -> TextMapping | None:
    """A column of people's texts with others of the same kind side by side."""
    reference = _first(plain, REFERENCE, prose=True)
    if reference is None:
        return None
    prompt = _first(plain, PROMPT, without=(reference,))
    context = _first(plain, (*CONTEXT, *ID), without=(reference, prompt), unique=True)
    domain = plain.get("domain")
    others = [
        column
        for column in look.columns
        if column not in (reference, prompt, context, domain) and _is_prose(column) and _is_as_long(column, reference)
    ]
    if not others:
        return None
    generator = _first(plain, GENERATOR, without=tuple(others))
    if len(others) == 1 and generator is not None and generator.words:
        return None
    return TextMapping(
        shape="wide",
        reference=reference.name,
        models=tuple(column.name for column in others),
        context=context.name if context else "",
        context_text=prompt.name if prompt else "",
        more={"domain": domain.name} if domain else {},
    )


def _long(look: FileLook, plain: dict[str, ColumnLook]) -> TextMapping:
    text = _first(plain, TEXT, prose=True) or _longest(look.columns)
    source = next((column for column in _all(plain, SOURCE) if _tells_people(column)), None)
    source = source or next((column for column in look.columns if column is not text and _tells_people(column)), None)
    generator = _first(plain, GENERATOR, without=(text,))
    without = (text, source, generator)
    prompt = _first(plain, PROMPT, without=without)
    context = _first(plain, CONTEXT, without=(*without, prompt))
    identity = _first(plain, ID, without=(*without, prompt, context), unique=True)
    models = source is not None and any(not _means_people(word) and not _is_model_word(word) for word in source.words)
    if generator is None and source is not None and models:
        generator = source  # the column names each model itself
    return TextMapping(
        text=text.name if text else "",
        side="column" if source is not None else "model",
        source=source.name if source else "",
        references=_references(source),
        generator=generator.name if generator else "",
        generator_name="" if generator else "model",
        id=identity.name if identity else "",
        context=context.name if context else "",
        context_text=prompt.name if prompt else "",
        more={name: plain[name].name for name in MORE if name in plain and plain[name] not in without},
    )


def _by_plain_name(columns: Sequence[ColumnLook]) -> dict[str, ColumnLook]:
    """By name, and a nested column by the last part of its path too where no other column is called so."""
    plain = {plain_name(column.name): column for column in columns}
    for column in columns:
        plain.setdefault(plain_name(column.name.rpartition(".")[2]), column)
    return plain


def plain_name(name: str) -> str:
    """A name in small letters, its parts joined by underlines."""
    return re.sub(r"[\s\-]+", "_", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.strip())).casefold()


def _all(plain: dict[str, ColumnLook], names: Sequence[str]) -> list[ColumnLook]:
    return [plain[name] for name in names if name in plain]


def _first(
    plain: dict[str, ColumnLook],
    names: Sequence[str],
    *,
    without: tuple[ColumnLook | None, ...] = (),
    prose: bool = False,
    unique: bool = False,
) -> ColumnLook | None:
    """The column of the first of these names. prose: it holds texts; unique: no value twice; without: none of these."""
    for column in _all(plain, names):
        fits = (not prose or _is_prose(column)) and (not unique or column.distinct == column.filled)
        if fits and column not in without:
            return column
    return None


def _is_prose(column: ColumnLook) -> bool:
    return column.filled > 0 and not column.numeric and not column.words


def _is_as_long(column: ColumnLook, reference: ColumnLook) -> bool:
    return column.mean_words >= min(MANY_WORDS, reference.mean_words) and column.mean_words <= 20 * reference.mean_words


def _longest(columns: Sequence[ColumnLook]) -> ColumnLook | None:
    prose = [column for column in columns if _is_prose(column)]
    return max(prose, key=lambda column: column.mean_words, default=None)


def _means_people(word: str) -> bool:
    return bool(set(re.split(r"[\s_/-]+", word.casefold())) & PEOPLE) or plain_name(word) in PEOPLE


def _is_model_word(word: str) -> bool:
    return plain_name(word) in {"model", "models", "machine", "generated", "ai", "system", "llm", "false", "0"}


def _tells_people(column: ColumnLook) -> bool:
    """Whether some of a column's words mean people and others do not."""
    if plain_name(column.name) == "is_human":
        return True
    return len(column.words) > 1 and bool(_references(column)) and not all(_means_people(word) for word in column.words)


def _references(column: ColumnLook | None) -> tuple[str, ...]:
    if column is None:
        return ()
    if plain_name(column.name) == "is_human":
        return tuple(word for word in column.words if word.casefold() in ("1", "true", "yes"))
    return tuple(word for word in column.words if _means_people(word)) or (("reference",) if not column.words else ())
