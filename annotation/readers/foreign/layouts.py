"""Files of known tools, recognised by their columns. docs/import.md says which were checked against real files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from annotation.readers.foreign.look import FileLook
from annotation.readers.foreign.text_mapping import TextMapping

PROMPTS = (
    "doc.question",
    "doc.prompt",
    "doc.instruction",
    "doc.input",
    "doc.context",
    "doc.text",
    "doc.article",
    "doc.document",
    "doc.query",
    "doc.ctx",
    "arguments.gen_args_0.arg_0",
    "arguments.0.0",
)


@dataclass(frozen=True, slots=True)
class KnownFile:
    """A tool's layout of texts. hint: what a person should know of it, "" for nothing."""

    name: str
    fits: Callable[[FileLook], bool]
    mapping: Callable[[FileLook], TextMapping]
    hint: str = ""


def _has(*names: str) -> Callable[[FileLook], bool]:
    return lambda look: set(names) <= set(look.fields)


def _first(look: FileLook, *names: str) -> str:
    return next((name for name in names if look.column(name)), "")


def _harness(look: FileLook) -> TextMapping:
    """lm-evaluation-harness: one document a line, the target beside what the model answered."""
    return TextMapping(
        shape="wide",
        context="doc_id",
        context_text=_first(look, *PROMPTS),
        reference=_first(look, "target", "target.0"),
        models=(_first(look, "filtered_resps.0", "filtered_resps.0.0", "resps.0.0", "resps.0"),),
        generator_name="model",
    )


def _alpaca(look: FileLook) -> TextMapping:
    """AlpacaEval: an instruction, a generator and its output."""
    return TextMapping(
        text="output",
        side="model",
        generator="generator",
        context_text="instruction",
        more={"domain": "dataset"} if look.column("dataset") else {},
    )


def _mt_bench(look: FileLook) -> TextMapping:
    """MT-Bench: a model's answers by turn; the questions are in a second file, or beside."""
    inside = _first(look, "turns.0", "prompt.0", "question")
    return TextMapping(
        text="choices.0.turns.0",
        side="model",
        generator="model_id",
        context="question_id",
        context_text=inside,
        id=_first(look, "answer_id"),
        joined="" if inside else "question_id",
        joined_text="" if inside else "turns.0",
    )


def _label_studio(look: FileLook) -> TextMapping:
    data = [column for column in look.columns if column.name.startswith("data.") and not column.numeric]
    text = max(data, key=lambda column: column.mean_words)
    rest = {column.name.removeprefix("data."): column.name for column in data if column is not text}
    source = next((rest[name] for name in ("source", "author", "model", "system", "generator") if name in rest), "")
    column = look.column(source) if source else None
    words = column.words if column else ()
    prompts = ("prompt", "context", "question", "instruction")
    return TextMapping(
        text=text.name,
        id="id" if look.column("id") else "",
        side="column" if source else "model",
        source=source,
        references=tuple(word for word in words if "human" in word.lower() or word == "reference"),
        generator=source,
        generator_name="" if source else "model",
        context_text=next((rest[name] for name in prompts if name in rest), ""),
    )


def _argilla(look: FileLook) -> TextMapping:
    prefix = "fields." if any(name.startswith("fields.") for name in look.fields) else ""
    inside = {name.removeprefix(prefix): name for name in look.fields if not prefix or name.startswith(prefix)}
    text = next((inside[name] for name in ("response", "completion", "output", "text", "answer") if name in inside), "")
    prompt = next((inside[name] for name in ("prompt", "instruction", "question", "context") if name in inside), "")
    model = _first(look, "metadata.model", "metadata.generator", "metadata.system", "metadata.source")
    return TextMapping(
        text=text or next(iter(inside.values())),
        id="id" if look.column("id") else "",
        side="model",
        generator=model,
        generator_name="" if model else "model",
        context_text=prompt,
    )


def _potato(look: FileLook) -> TextMapping:
    return TextMapping(
        text="displayed_text", id=_first(look, "id", "instance_id"), side="model", generator_name="model"
    )


def _judge_bench(look: FileLook) -> TextMapping:
    text = _first(look, "instance", "instance.response", "instance.output", "instance.text", "response", "output")
    inside = [column for column in look.columns if column.name.startswith("instance") and not column.numeric]
    text = text or (max(inside, key=lambda column: column.mean_words).name if inside else "")
    prompt = _first(look, "instance.prompt", "instance.context", "instance.question", "instance.source")
    model = _first(look, "instance.model", "model", "instance.system")
    return TextMapping(
        text=text,
        id="id" if look.column("id") else "",
        side="model",
        generator=model,
        generator_name="" if model else "model",
        context_text=prompt,
    )


def _is_harness(look: FileLook) -> bool:
    return bool(look.column("doc_id")) and bool(_first(look, "resps.0.0", "resps.0", "filtered_resps.0"))


def _is_label_studio(look: FileLook) -> bool:
    names = look.fields
    return any(name.startswith("data.") for name in names) and any(
        name.startswith(("annotations.", "predictions.")) or name == "total_annotations" for name in names
    )


def _is_argilla(look: FileLook) -> bool:
    names = look.fields
    if any(name.startswith("fields.") for name in names):
        return any(name.startswith(("responses.", "suggestions.", "metadata.")) for name in names)
    return any(name.endswith((".responses", ".responses.users", ".suggestion", ".responses.0")) for name in names)


def _is_judge_bench(look: FileLook) -> bool:
    return any(name.startswith("annotations.") and "human" in name for name in look.fields)


LAYOUTS = (
    KnownFile("lm-evaluation-harness", _is_harness, _harness),
    KnownFile("AlpacaEval", _has("instruction", "output", "generator"), _alpaca),
    KnownFile(
        "MT-Bench",
        _has("question_id", "model_id", "choices.0.turns.0"),
        _mt_bench,
        "Add MT-Bench's question file as the second file.",
    ),
    KnownFile("JUDGE-BENCH", _is_judge_bench, _judge_bench, "Its human scores are read where ratings are imported."),
    KnownFile("Label Studio", _is_label_studio, _label_studio, "Its labels are read where ratings are imported."),
    KnownFile("Argilla", _is_argilla, _argilla, "Its responses are read where ratings are imported."),
    KnownFile("Potato", _has("displayed_text"), _potato, "Its labels are read where ratings are imported."),
)

# Files of people, or of answers: they hold no texts to judge.
NO_TEXTS = (
    (
        "Prolific",
        _has("Submission id", "Participant id"),
        "a list of submissions from Prolific: it holds people and times, no texts and no ratings",
    ),
    (
        "Qualtrics",
        _has("StartDate", "EndDate", "ResponseId"),
        "answers from Qualtrics: it holds ratings by respondent, no texts",
    ),
    (
        "Google Forms",
        lambda look: bool(look.fields) and look.fields[0] == "Timestamp",
        "answers from Google Forms: it holds ratings by respondent, no texts",
    ),
)


def recognize(look: FileLook) -> TextMapping | None:
    """Return the mapping of the known layout that the file has; None where it has none."""
    for layout in LAYOUTS:
        if layout.fits(look):
            return replace(layout.mapping(look), layout=layout.name)
    return None


def without_texts(look: FileLook) -> str:
    """Say what a known file without texts is; "" for any other file."""
    return next((sentence for _, fits, sentence in NO_TEXTS if fits(look)), "")


def hint_of(name: str) -> str:
    """What a person should know of a layout."""
    return next((layout.hint for layout in LAYOUTS if layout.name == name), "")
