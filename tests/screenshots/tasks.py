"""python -m tests.screenshots.tasks [NAME ...]: the pictures of docs/tasks: the page of each kind of task, a training,
near-negative tests and human-likelihood. The model that reads the texts is assay-tiny, which comes with Assay."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from importlib.metadata import EntryPoint
from pathlib import Path
from types import MappingProxyType

from playwright.sync_api import Page

from annotation.design.presets import Preset
from tests.browsing import chromium, fresh
from tests.screenshots.shots import replacing

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "docs" / "tasks"
EXAMPLE = ROOT / "examples" / "best_worst"
WINDOW = {"width": 720, "height": 740}
# What the address says to a page of which the assignment is accepted.
ACCEPTED = "assignmentId=SAMPLE&turkSubmitTo=https%3A%2F%2Ftasks.example.org"
GROUPS = (
    (
        "The library opened again on Saturday after two years, with a reading by children.",
        "Saturday",
        {
            "When did the library open again?": "No error",
            "Which library children again Saturday?": "disfluent",
            "Who wrote the books?": "off_target",
        },
    ),
    (
        "The mayor resigned on Monday and gave no reason.",
        "resigned",
        {
            "What did the mayor do on Monday?": "No error",
            "What the mayor Monday did?": "disfluent",
            "Why did the mayor resign?": "wrong_context",
        },
    ),
)
TEXTS = {
    "person": "Grandma never locked the kitchen door, because the cat liked to leave at four and be back for the news.",
    "model": "The kitchen door was open and the door was the kitchen. The cat went to the door and back to the door.",
}


def take_task(page: Page, folder: Path, *, preset: str, answers: tuple[str, ...] = ()) -> None:
    """The page of a template with sample texts, once accepted; `answers` are labels of the first texts."""
    from annotation.design.presets import PRESETS

    open_task(page, folder, PRESETS[preset], answers)


def take_best_worst(page: Page, folder: Path) -> None:
    """The page of the task that the example package brings, as if pip had installed it."""
    from annotation.design import kinds
    from annotation.design.presets import load_preset

    sys.path.insert(0, str(EXAMPLE))
    entry = EntryPoint("best_worst", "assay_best_worst.kind:KIND", kinds.GROUP)
    kinds.entry_points = lambda *, group: [entry]  # type: ignore[assignment, attr-defined]
    kinds._load.cache_clear()
    preset = load_preset(kinds.kind_called("best_worst"), "best-worst")
    open_task(page, folder, preset, ("Best", "Neither", "Worst", "Neither"))


def open_task(page: Page, folder: Path, preset: Preset, answers: tuple[str, ...]) -> None:
    """The step with the texts. An answer that is a number is given with the slider."""
    from annotation.hits.template_preview import template_page

    path = folder / "task.html"
    path.write_text(template_page(preset), encoding="utf-8")
    page.goto(f"{path.as_uri()}?{ACCEPTED}")
    page.get_by_role("button", name="Next").first.click()
    shown = sorted(page.locator("#lines fieldset").all(), key=lambda line: (line.bounding_box() or {"y": 0})["y"])
    for line, answer in zip(shown, answers, strict=False):
        if answer.isdecimal():
            line.get_by_role("slider").fill(answer)
        else:
            line.get_by_label(answer, exact=True).check()
    page.evaluate("window.scrollTo(0, 0)")


def take_near_negative(page: Page, folder: Path) -> None:
    """The browser of tests that a model took, of two annotated contexts."""
    rows = [
        {
            "group_id": number,
            "answer_span": answer,
            "context": context,
            "questions": [{"question": question, "reason": reason} for question, reason in questions.items()],
        }
        for number, (context, answer, questions) in enumerate(GROUPS)
    ]
    (folder / "groups.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    measure(folder, "nnd", "build", "groups.jsonl", "--format", "quiz-design", "--json", "--out", "tests.json")
    measure(folder, "nnd", "run", "tests.json", "--model", "assay-tiny", "--page", "tests.html")
    page.goto((folder / "tests.html").as_uri())


def take_human_likelihood(page: Page, folder: Path) -> None:
    """Two texts, colored by the rank of each token."""
    for name, text in TEXTS.items():
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    files = [f"{name}.txt" for name in TEXTS]
    measure(folder, "hscore", "--format", "text", "--model", "assay-tiny", *files, "--page", "texts.html")
    page.goto((folder / "texts.html").as_uri())


def take_training(page: Page, folder: Path) -> None:
    """The training by comparison, as a participant sees it before the first text, with the pair answered."""
    from annotation.design.kinds import HUMAN_OR_MACHINE, default_wording
    from annotation.hits.render import ShownLine, ShownText, hit_page
    from tests.screenshots.staged import PAIR

    wording = default_wording(HUMAN_OR_MACHINE.name, noun="headline")
    wording = replace(wording, training=replace(wording.training, comparison=(PAIR,)))
    lines = [ShownLine(0, ShownText("Museum reopens after a decade of repairs"), None)]
    path = folder / "task.html"
    path.write_text(hit_page(wording, lines, arm="comparison", shuffle=False), encoding="utf-8")
    page.goto(path.as_uri())
    page.get_by_role("button", name="Next").click()


def measure(folder: Path, *words: str) -> None:
    """Run a measure in a folder."""
    surroundings = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run(
        [sys.executable, "-m", "metrics", *words], cwd=folder, env=surroundings, check=True, stdout=subprocess.DEVNULL
    )


# What opens the page of each picture: picture NAME is docs/tasks/NAME.png.
PICTURES: Mapping[str, Callable[[Page, Path], None]] = MappingProxyType(
    {
        "typicality": partial(take_task, preset="huse-2019"),
        "human-or-machine": partial(take_task, preset="clark-2021"),
        "human-or-machine-training": take_training,
        "which-machine": partial(take_task, preset="which-of-k", answers=("A person wrote it", "A machine wrote it")),
        "several-criteria": partial(take_task, preset="summeval"),
        "direct-assessment": partial(take_task, preset="direct-assessment-mt", answers=("51",)),
        "preference": partial(take_task, preset="two-models"),
        "error-labels": partial(take_task, preset="error-labels"),
        "documents": partial(take_task, preset="documents"),
        "best-worst": take_best_worst,
        "near-negative": take_near_negative,
        "human-likelihood": take_human_likelihood,
    }
)


def main(names: list[str]) -> int:
    """Take the pictures of these names, or all."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "deploy.settings.test")
    import django

    django.setup()
    with (
        tempfile.TemporaryDirectory() as name,
        replacing(OUT) as out,
        chromium(os.environ["CHROMIUM"]) as browser,
    ):
        for picture in names or PICTURES:
            with fresh(browser, viewport=WINDOW) as context:
                page = context.new_page()
                PICTURES[picture](page, Path(name))
                page.screenshot(path=out / f"{picture}.png")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
