"""A template's task page with sample texts, to be answered by whoever looks at it: nothing is stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from urllib.parse import urlencode

from django.conf import settings
from django.urls import reverse

from annotation.design.presets import Preset
from annotation.hits.parse_answers import read_line
from annotation.hits.render import ShownLine, ShownText, hit_page
from annotation.pricing.wages import HOUR, paced_time, wage_cents

# Where a page sends its form, below the address that it is told (Requester API, ExternalQuestion).
SUBMIT = "mturk/externalSubmit"
LINES = ("texts_per_hit", "gold_per_hit", "repeats_per_hit", "checks_per_hit")
CONTEXT = "The library of a small town was closed for two years. It opens again on Saturday with a reading by children."
SAMPLES = (
    "Town library opens again on Saturday, after two years.",
    "Library closed for good, says town, as children read on.",
    "After two years of repairs, children are the first to read aloud in the library.",
    "The library is a library that opens the library again.",
)


@dataclass(frozen=True, slots=True)
class SampleAnswer:
    """A sample as it was answered. labels: by question, in words; nothing where it was left open."""

    number: int
    labels: tuple[tuple[str, str], ...]
    seconds: float | None


@dataclass(frozen=True, slots=True)
class TriedTask:
    """What came of it. answered: texts, pairs or contexts, and the median seconds of one; minutes: of a whole task at
    that pace; None where the page measured no time."""

    answers: tuple[SampleAnswer, ...]
    answered: int
    median_seconds: float | None
    minutes: float | None
    hourly_cents: int | None


def template_address(preset: Preset) -> str:
    """Where the page is served, told to send its answers back to Assay."""
    base = settings.HIT_ORIGIN + reverse("template-page", args=[preset.name])
    return f"{base}?{urlencode({'assignmentId': 'SAMPLE', 'turkSubmitTo': base})}"


def template_page(preset: Preset, lines: Sequence[ShownLine] = ()) -> str:
    """The task page of a template, with these texts (none: sample texts)."""
    return hit_page(preset.wording, lines or sample_lines(preset), seed=1)


def sample_lines(preset: Preset) -> list[ShownLine]:
    """Two texts, or two pairs."""
    texts = [ShownText(body, CONTEXT) for body in SAMPLES]
    if preset.kind.keeps_contexts:
        return [ShownLine(at, text, group="1") for at, text in enumerate(texts)]
    if preset.kind.in_pairs:
        return [ShownLine(0, texts[0], texts[1]), ShownLine(1, texts[2], texts[3])]
    return [ShownLine(0, texts[0]), ShownLine(1, texts[3])]


def read_tried(preset: Preset, answers: Mapping[str, str], lines: Sequence[ShownLine] = ()) -> TriedTask:
    """What was answered about these texts (none: samples), and what a whole task would take and pay at that pace."""
    wording = preset.wording
    tried = []
    seconds_of: dict[tuple[str, int], list[float | None]] = {}
    for line in lines or sample_lines(preset):
        answered = read_line(answers, line.position, wording)
        labels = tuple(
            (wording.fill_nouns(criterion.question, context=True), ", ".join(answered.labels[criterion.name]))
            for criterion in wording.criteria
        )
        seconds = None if answered.active_ms is None else answered.active_ms / 1000
        tried.append(SampleAnswer(line.position + 1, labels, seconds))
        # Texts of a context are counted as one: a task is so many contexts.
        seconds_of.setdefault((line.group, 0 if line.group else line.position), []).append(seconds)
    times = [sum(each for each in unit if each is not None) for unit in seconds_of.values()]
    pace = round(median(times), 1)
    if not pace or any(sample.seconds is None for sample in tried):
        return TriedTask(tuple(tried), len(times), None, None, None)
    task_seconds = paced_time(pace, lines=lines_per_task(preset)).median
    cents = int(str(preset.settings["reward_cents"]))
    return TriedTask(tuple(tried), len(times), pace, task_seconds / HOUR * 60, wage_cents(cents, seconds=task_seconds))


def lines_per_task(preset: Preset) -> int:
    """Texts (pairs, contexts) of a task, with those that check the raters."""
    return sum(int(str(preset.settings.get(name) or 0)) for name in LINES)
