"""Build the documentation site: `python -m docs.make_site [--serve PORT]`.

The pages of `docs` are copied beside those made from the code, MkDocs builds them without a warning, and what a browser
may not run or load under the console's Content-Security-Policy is moved to files. Nothing is fetched from anywhere.
"""

from __future__ import annotations

import argparse
import fcntl
import hashlib
import http.server
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from latex2mathml.converter import convert

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from docs.make_api import first_sentence  # noqa: E402 - found only after the line above, run as a file
from docs.make_reference import reference_pages  # noqa: E402 - found only after the line above, run as a file
from docs.notebook_pages import notebook_pages  # noqa: E402 - found only after the line above, run as a file

SOURCE = ROOT / "build" / "site-source"
OUT = ROOT / "build" / "site"
LEFT_OUT = {"api", "__pycache__"}
TO_CONSOLE = "to_console.js"
CONFIGURATION = ROOT / "mkdocs.yml"
IN_NAVIGATION = re.compile(r"^ +- .*?([\w./-]+\.md)$", re.MULTILINE)
# Typicality and HUSE, human or machine with four trainings, near-negative tests, human-likelihood.
OF_THE_PAPERS = ("tasks/typicality.md", "tasks/human-or-machine.md", "near-negative.md", "human-likelihood.md")
# How much a page counts in the search: guides before pages of one subject, those before lists that hold every word.
WEIGHTS = {"guides/": 3, "quick-start.md": 2, "reference/": 0.2, "changes.md": 0.1, "house.md": 0.2, "where-is.md": 0.2}
WEIGHTS |= {"look-findings.md": 0.1, "benchmarks.md": 0.2, "tasks/": 0.7, "marketplace-fidelity.md": 0.3}
WEIGHTS["questions.md"] = 3
# What one does with a study counts more than how its parts were tried.
WEIGHTS |= dict.fromkeys(("running.md", "managing.md", "link-study.md", "answer.md", "operating.md"), 1.5)
WEIGHTS |= dict.fromkeys(("people.md", "draws.md", "reliability.md", "prolific-faults.md", "quality.md"), 0.4)
FENCE = re.compile(r"(^```.*?^```\n?)", re.MULTILINE | re.DOTALL)
FORMULA = re.compile(r"^```math\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# A block of code that is a file.
NAMED = re.compile(r"^```(\w+) ([\w.-]+)$", re.MULTILINE)
LINK = re.compile(r"\[([^\]]+)\]\(([^)#:\s]+)\)")
IN_LINE = re.compile(r"\$`([^`]+)`\$")
SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)
ALIGNED = re.compile(r' style="text-align: (left|right|center);"')


def main(arguments: list[str]) -> int:
    """Build, and serve where asked. Returns the exit code of MkDocs."""
    parser = argparse.ArgumentParser(description="Build the documentation site into build/site.")
    parser.add_argument("--serve", type=int, metavar="PORT", help="serve it on this machine afterwards")
    parser.add_argument("--out", type=Path, default=OUT, help="the folder of the site")
    chosen = parser.parse_args(arguments)
    code = build(chosen.out)
    if code == 0 and chosen.serve is not None:
        handler = partial(http.server.SimpleHTTPRequestHandler, directory=str(chosen.out))
        server = http.server.ThreadingHTTPServer(("127.0.0.1", chosen.serve), handler)
        sys.stdout.write(f"The site: http://127.0.0.1:{server.server_port}/ (Ctrl+C ends it)\n")
        sys.stdout.flush()
        server.serve_forever()
    return code


def build(out: Path = OUT) -> int:
    """The whole site in `out`; what lay there is deleted. Of two builds at once one waits: they share their sources."""
    SOURCE.parent.mkdir(exist_ok=True)
    with (SOURCE.parent / "site.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return _build(out)


def _build(out: Path) -> int:
    stage(SOURCE)
    # The theme's makers print a notice about MkDocs 2, which requirements-dev.txt does not allow.
    surroundings = {**os.environ, "NO_MKDOCS_2_WARNING": "true"}
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--clean", "-d", str(out.resolve())]
    code = subprocess.run(command, cwd=ROOT, env=surroundings, check=False).returncode  # noqa: S603 - all words are ours
    if code == 0:
        tidy(out)
    return code


def stage(folder: Path) -> None:
    """Write every page of the site as Markdown, and the pictures, into `folder`."""
    shutil.rmtree(folder, ignore_errors=True)
    for path in _files(ROOT / "docs"):
        target = folder / path.relative_to(ROOT / "docs")
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".md":
            page = without_sources(path.read_text(encoding="utf-8"), path)
            page = page.replace(".ipynb)", ".md)")
            target.write_text(with_formulas(NAMED.sub(r'```\1 title="\2"', page)), encoding="utf-8")
        else:
            shutil.copyfile(path, target)
    for path in sorted((ROOT / "docs" / "notebooks").glob("*.ipynb")):
        pages = notebook_pages(path)
        pages[f"{path.stem}.md"] = with_formulas(without_sources(pages[f"{path.stem}.md"], path))
        (folder / "notebooks").mkdir(exist_ok=True)
        for name, page in pages.items():
            (folder / "notebooks" / name).write_text(page, encoding="utf-8")
    for name, page in reference_pages(ROOT).items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(page, encoding="utf-8")
    for name, page in (("house.md", "CONTRIBUTING.md"), ("changes.md", "CHANGELOG.md")):
        (folder / name).write_text(from_root((ROOT / page).read_text(encoding="utf-8")), encoding="utf-8")
    (folder / "llms.txt").write_text(listed(folder), encoding="utf-8")
    for path in folder.rglob("*.md"):
        path.write_text(
            weighed(path.relative_to(folder).as_posix()) + path.read_text(encoding="utf-8"), encoding="utf-8"
        )


def listed(folder: Path) -> str:
    """`llms.txt`: every page with its title and first sentence, for programs (llmstxt.org); the four papers first."""
    lines = [
        "# Assay",
        "",
        "> Human evaluation of generated text, from a pile of texts to a table one can publish.",
        "",
    ]
    pages = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.md"))
    navigated = [page for page in IN_NAVIGATION.findall(CONFIGURATION.read_text(encoding="utf-8")) if page in pages]
    others = [page for page in navigated if page not in OF_THE_PAPERS]
    parts = {"The four papers": list(OF_THE_PAPERS), "Pages": others, "Further": sorted({*pages} - {*navigated})}
    for part, names in parts.items():
        lines += [f"## {part}", "", *(_entry(folder / name, name) for name in names), ""]
    return "\n".join(lines).rstrip() + "\n"


def _entry(path: Path, name: str) -> str:
    title, *paragraphs = path.read_text(encoding="utf-8").lstrip().split("\n\n")
    said = next((part for part in paragraphs if part[:1].isalnum()), "")
    address = name.replace("README.md", "index.md").removesuffix("md") + "html"
    return f"- [{title.splitlines()[0].lstrip('# ')}]({address}): {first_sentence(said)}".rstrip(": ")


def weighed(name: str) -> str:
    """What is put above a page that counts more or less in the search than others."""
    weight = next((weight for start, weight in WEIGHTS.items() if name.startswith(start)), None)
    return "" if weight is None else f"---\nsearch:\n  boost: {weight}\n---\n"


def _files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        shown = path.suffix in (".md", ".png", ".css", ".json") or path.name == TO_CONSOLE
        if path.is_file() and inside.parts[0] not in LEFT_OUT and shown:
            yield path


def from_root(page: str) -> str:
    """A page of the repository's root as a page of the site: its links into `docs` lead to pages beside it."""
    return re.sub(r"\]\(docs/", "](", page)


def without_sources(page: str, path: Path) -> str:
    """A page without links to files outside `docs`, which a checkout has and the site does not; their words stay."""

    def kept(link: re.Match[str]) -> str:
        target = (path.parent / link[2]).resolve()
        return link[0] if target.is_relative_to(ROOT / "docs") else link[1]

    return LINK.sub(kept, page)


def with_formulas(page: str) -> str:
    """Formulas as MathML, which browsers draw without any script: blocks of `math`, and $`...`$ in a line."""
    page = FORMULA.sub(lambda found: drawn(found[1]), page)
    parts = FENCE.split(page)
    return "".join(part if part.startswith("```") else IN_LINE.sub(in_line, part) for part in parts)


def drawn(formula: str) -> str:
    """A formula on lines of its own; a narrow window scrolls it, by keys too."""
    math = convert(formula.strip(), display="block")
    return f'<div class="formula" tabindex="0" role="group" aria-label="Formula">{math}</div>'


def in_line(formula: re.Match[str]) -> str:
    """A formula in a line; in a span, as Markdown would end the paragraph before it."""
    return f'<span class="math">{convert(formula[1])}</span>'


def tidy(out: Path) -> None:
    """Scripts in pages become files, styles in tags become classes, and the search takes whole words."""
    for worker in (out / "assets" / "javascripts" / "workers").glob("search.*.js"):
        whole_words = (ROOT / "docs" / "whole_words.js").read_text(encoding="utf-8")
        worker.write_text(whole_words + worker.read_text(encoding="utf-8"), encoding="utf-8")
    folder = out / "assets" / "inline"
    folder.mkdir(parents=True, exist_ok=True)
    for path in out.rglob("*.html"):
        page = path.read_text(encoding="utf-8")
        up = "/" if path.name == "404.html" else "../" * len(path.relative_to(out).parent.parts)

        def moved(script: re.Match[str], up: str = up) -> str:
            name = f"{hashlib.sha256(script[1].encode()).hexdigest()[:12]}.js"
            (folder / name).write_text(script[1], encoding="utf-8")
            return f'<script src="{up}assets/inline/{name}"></script>'

        page = ALIGNED.sub(r' class="to-\1"', SCRIPT.sub(moved, page))
        path.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
