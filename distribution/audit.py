"""Hold the pinned packages against the advisories of PyPI: `python -m distribution.audit [--offline-fails]`.

pip-audit asks for each pin of the requirements; a package that the source does not know counts as not checked, which
pip-audit itself reports as success. Nothing of a report is repeated where there was none: then the command says so.

Exit status: 0 where no known vulnerability was found, or nothing could be checked; 1 where one was found; 2 where
nothing, or not everything, could be checked and `--offline-fails` was given.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from distribution.release import PINNED, REQUIREMENTS, ROOT

SECONDS = 300
DEVELOPMENT = "requirements-dev.txt"


def main(arguments: Sequence[str]) -> int:
    """Check and print what was found."""
    parser = argparse.ArgumentParser(description="Hold the pinned packages against the advisories of PyPI.")
    parser.add_argument("--offline-fails", action="store_true", help="end with 2 where not everything was checked")
    chosen = parser.parse_args(arguments)
    status, sentences = summarize(ask_source(pinned()), len(pinned()))
    sys.stdout.write("".join(f"{sentence}\n" for sentence in sentences))
    return 0 if status == 2 and not chosen.offline_fails else status


def pinned(root: Path = ROOT) -> list[str]:
    """Every pin of the product and of the development tools, as NAME==VERSION."""
    files = (*REQUIREMENTS, DEVELOPMENT)
    texts = [(root / name).read_text(encoding="utf-8") for name in files]
    pins = {f"{match['name']}=={match['version']}" for text in texts for match in PINNED.finditer(text)}
    return sorted(pins, key=str.lower)


def ask_source(pins: Sequence[str]) -> dict[str, object] | None:
    """Return pip-audit's report on the pins; None where the source of advisories cannot be reached."""
    command = [sys.executable, "-m", "pip_audit", "--no-deps", "--disable-pip", "--progress-spinner", "off"]
    command += ["--format", "json", "--timeout", "5", "--requirement", "/dev/stdin"]
    try:
        ran = subprocess.run(  # noqa: S603 - all words are ours
            command, input="\n".join(pins), capture_output=True, text=True, check=False, timeout=SECONDS
        )
        report = json.loads(ran.stdout)
    except (subprocess.TimeoutExpired, ValueError):
        return None
    return report if isinstance(report, dict) else None


def summarize(report: dict[str, object] | None, count: int) -> tuple[int, list[str]]:
    """Return the status (0: checked, none found; 1: found; 2: not all were checked) and the sentences that say so."""
    parts = list(report.get("dependencies", [])) if report else []  # type: ignore[call-overload]
    checked = [part for part in parts if "vulns" in part]
    found = [(part, problem) for part in checked for problem in part["vulns"]]
    sentences = [
        f"{part['name']} {part['version']}: {problem['id']}, {_cure(problem.get('fix_versions', []))}"
        for part, problem in found
    ]
    if not checked:
        sentences.append(f"No check was made: no source of advisories knew any of {_packages(count)} from here.")
        return 2, sentences
    unchecked = count - len(checked)
    problems = _counted(len(found), "known vulnerability", "known vulnerabilities")
    sentences.append(f"{len(checked)} of {_packages(count)} checked: {problems}.")
    if unchecked:
        unknown = "it" if unchecked == 1 else "them"
        sentences.append(f"{_packages(unchecked)} not checked: the source does not know {unknown}.")
    if found:
        return 1, sentences
    return (2 if unchecked else 0), sentences


def _packages(number: int) -> str:
    return _counted(number, "package", "packages")


def _counted(number: int, singular: str, plural: str) -> str:
    return f"{number} {singular if number == 1 else plural}"


def _cure(versions: Sequence[str]) -> str:
    return f"fixed in {', '.join(versions)}" if versions else "no fixed version yet"


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
