"""python -m tests.screenshots.tasks: the pictures of docs/tasks that no kind's page has: a training, near-negative
tests and human-likelihood. The model that reads the texts is assay-tiny, which comes with Assay."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from playwright.sync_api import Page

from tests.browsing import chromium, fresh

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "docs" / "tasks"
WINDOW = {"width": 720, "height": 740}
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
    page.screenshot(path=OUT / "near-negative.png")


def take_human_likelihood(page: Page, folder: Path) -> None:
    """Two texts, colored by the rank of each token."""
    for name, text in TEXTS.items():
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    files = [f"{name}.txt" for name in TEXTS]
    measure(folder, "hscore", "--format", "text", "--model", "assay-tiny", *files, "--page", "texts.html")
    page.goto((folder / "texts.html").as_uri())
    page.screenshot(path=OUT / "human-likelihood.png")


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
    page.screenshot(path=OUT / "human-or-machine-training.png")


def measure(folder: Path, *words: str) -> None:
    """Run a measure in a folder."""
    surroundings = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run(
        [sys.executable, "-m", "metrics", *words], cwd=folder, env=surroundings, check=True, stdout=subprocess.DEVNULL
    )


def main() -> int:
    """Take the pictures."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "deploy.settings.test")
    import django

    django.setup()
    with (
        tempfile.TemporaryDirectory() as name,
        chromium(os.environ["CHROMIUM"]) as browser,
        fresh(browser, viewport=WINDOW) as context,
    ):
        for take in (take_training, take_near_negative, take_human_likelihood):
            take(context.new_page(), Path(name))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
