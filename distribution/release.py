"""Make the files of a release in `dist`: `python -m distribution.release [--out FOLDER] [--without-site]`.

Wheel, source archive, the documentation site, a bill of materials (CycloneDX) and checksums, all named after the
version in `metrics/version.py`. The command that tags the release is printed; nothing is tagged, pushed or uploaded.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import subprocess
import sys
import zipfile
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

from metrics.version import __version__

ROOT = Path(__file__).resolve().parents[1]
PINNED = re.compile(r"^(?P<name>[\w.-]+)(?:\[\w+\])?==(?P<version>\S+)", re.MULTILINE)
REQUIREMENTS = ("requirements.txt", "requirements-models.txt")
FILES_OF_VERSION = ("CITATION.cff", "codemeta.json")
CHANGES = "CHANGELOG.md"
EARLIEST = (1980, 1, 1, 0, 0, 0)  # of a file in a zip: one site gives one archive


def main(arguments: list[str]) -> int:
    """Make every file and print the command of the tag. Returns 1, with a sentence, where the checkout is not ready."""
    parser = argparse.ArgumentParser(description="Make the files of a release in dist.")
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="the folder of the files")
    parser.add_argument(
        "--without-site", action="store_true", help="without the documentation site, which takes longest"
    )
    chosen = parser.parse_args(arguments)
    if problems := unready():
        sys.stderr.write("".join(f"{problem}\n" for problem in problems))
        return 1
    chosen.out.mkdir(parents=True, exist_ok=True)
    hatchling = [sys.executable, "-m", "hatchling", "build", "-d", str(chosen.out), "-t", "sdist", "-t", "wheel"]
    subprocess.run(hatchling, cwd=ROOT, check=True, capture_output=True)  # noqa: S603 - all words are ours
    stem = f"textassay-{__version__}"
    files = [chosen.out / f"{stem}.tar.gz", chosen.out / f"{stem}-py3-none-any.whl", chosen.out / f"{stem}.cdx.json"]
    files[-1].write_text(json.dumps(bill_of_materials(), indent=1) + "\n", encoding="utf-8")
    if not chosen.without_site:
        files.append(archive_site(chosen.out / f"{stem}-site.zip"))
    sums = chosen.out / "SHA256SUMS"
    sums.write_text(checksums(files), encoding="utf-8")
    for path in [*files, sums]:
        sys.stdout.write(f"{path.name}  {path.stat().st_size:,} bytes\n")
    sys.stdout.write(f"\nTo tag this release:\n  git tag -s v{__version__} -m 'Assay {__version__}'\n")
    return 0


def unready(root: Path = ROOT) -> list[str]:
    """What a release lacks: the version in a file, its section of the changes with all of them in it, a commit, a tag
    that is free."""
    problems = [
        f"{name} does not state the version {__version__} of metrics/version.py."
        for name in FILES_OF_VERSION
        if f'"{__version__}"' not in (root / name).read_text(encoding="utf-8")
    ]
    problems += unready_changes((root / CHANGES).read_text(encoding="utf-8"))
    if _git(root, "status", "--porcelain"):
        problems.append("Commit or undo the changes of the checkout first.")
    if _git(root, "tag", "--list", f"v{__version__}"):
        problems.append(f"The tag v{__version__} exists already. Raise the version in metrics/version.py.")
    return problems


def unready_changes(changes: str) -> list[str]:
    """What is wrong with the sections of the changes: this version's is the newest, and nothing is unreleased."""
    unreleased = len(re.findall(r"^- ", changes.partition("## [Unreleased]")[2].partition("\n## ")[0], re.MULTILINE))
    versions = re.findall(r"^## \[(\d[^\]]*)\] - ", changes, re.MULTILINE)
    problems = []
    if __version__ not in versions:
        problems.append(f"{CHANGES} has no section '## [{__version__}] - DATE'.")
    elif versions[0] != __version__:
        problems.append(f"The newest section of {CHANGES} is {versions[0]}, and metrics/version.py says {__version__}.")
    if unreleased:
        problems.append(f"Move {unreleased} changes of {CHANGES} from [Unreleased] into the section of the version.")
    return problems


def _git(root: Path, *words: str) -> str:
    command = ["git", *words]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout  # noqa: S603


def bill_of_materials(root: Path = ROOT) -> dict[str, object]:
    """Every package that a checkout installs, with its version and licence, as CycloneDX 1.6."""
    pinned = [match for name in REQUIREMENTS for match in PINNED.finditer((root / name).read_text(encoding="utf-8"))]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": _component("textassay", __version__, "application", "Apache-2.0")},
        "components": [
            _component(match["name"], match["version"], "library", _licence(match["name"])) for match in pinned
        ],
    }


def _component(name: str, version: str, kind: str, licence: str) -> dict[str, object]:
    purl = f"pkg:pypi/{re.sub(r'[-_.]+', '-', name).lower()}@{version}"
    licences = {"licenses": [{"license": {"name": licence}}]} if licence else {}
    return {"type": kind, "bom-ref": purl, "name": name, "version": version, "purl": purl, **licences}


def _licence(name: str) -> str:
    """The licence that an installed package states, in its first line; empty where it is not installed."""
    try:
        stated = metadata(name)
    except PackageNotFoundError:
        return ""
    words = stated.get("License-Expression") or stated.get("License") or ""
    named = [line.rpartition(" :: ")[2] for line in stated.get_all("Classifier", []) if line.startswith("License ::")]
    return words.splitlines()[0] if words and len(words.splitlines()[0]) < 80 else ", ".join(named)


def archive_site(path: Path) -> Path:
    """Build the documentation site and write it into an archive that is the same for the same site."""
    site = path.parent / "site"
    subprocess.run([sys.executable, "-m", "docs.make_site", "--out", str(site)], cwd=ROOT, check=True)  # noqa: S603
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(part for part in site.rglob("*") if part.is_file()):
            entry = zipfile.ZipInfo(file.relative_to(site).as_posix(), EARLIEST)
            archive.writestr(entry, file.read_bytes(), zipfile.ZIP_DEFLATED)
    return path


def checksums(files: list[Path]) -> str:
    """Lines as `sha256sum --check` reads them."""
    return "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
