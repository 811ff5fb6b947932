"""The files of a release: what they state, what they are checked by, and what keeps one from being made."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

from distribution import release
from metrics.version import __version__


def test_the_bill_of_materials_has_every_pinned_package_with_its_version_and_licence() -> None:
    bill = release.bill_of_materials()
    components = {part["name"]: part for part in bill["components"]}
    pins = [
        line for name in release.REQUIREMENTS for line in (release.ROOT / name).read_text().splitlines() if "==" in line
    ]
    assert {f"{name.lower()}=={part['version']}" for name, part in components.items()} == {
        line.lower().replace("[binary]", "") for line in pins
    }
    assert components["numpy"]["purl"].startswith("pkg:pypi/numpy@2.")
    assert "BSD" in components["Django"]["licenses"][0]["license"]["name"]


def test_checksums_are_read_by_the_usual_program(tmp_path: Path) -> None:
    file = tmp_path / "wheel.whl"
    file.write_bytes(b"wheel")
    (tmp_path / "SHA256SUMS").write_text(release.checksums([file]))
    assert hashlib.sha256(b"wheel").hexdigest() in (tmp_path / "SHA256SUMS").read_text()
    subprocess.run(["sha256sum", "--check", "--strict", "SHA256SUMS"], cwd=tmp_path, check=True, capture_output=True)


def test_a_checkout_with_another_version_without_its_changes_or_with_changes_is_not_ready(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    (tmp_path / "CITATION.cff").write_text(f'version: "{__version__}"\n')
    (tmp_path / "codemeta.json").write_text('{"version": "0.0.1"}')
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## [Unreleased]\n\n### Added\n\n- Tea.\n- Milk.\n")
    assert release.unready(tmp_path) == [
        f"codemeta.json does not state the version {__version__} of metrics/version.py.",
        f"CHANGELOG.md has no section '## [{__version__}] - DATE'.",
        "Move 2 changes of CHANGELOG.md from [Unreleased] into the section of the version.",
        "Commit or undo the changes of the checkout first.",
    ]


def test_a_release_needs_the_newest_section_of_the_changes_and_a_free_tag(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        who = ["-c", "user.name=ada", "-c", "user.email=ada@example.org"]
        subprocess.run(["git", *who, *words], cwd=tmp_path, check=True, capture_output=True)

    def commit(*sections: str) -> list[str]:
        written = "".join(f"## {section}\n\n- Tea.\n\n" for section in sections)
        (tmp_path / "CHANGELOG.md").write_text(f"# Changelog\n\n## [Unreleased]\n\n{written}")
        git("add", ".")
        git("commit", "-qm", "Describe the changes")
        return release.unready(tmp_path)

    git("init", "--quiet")
    for name in release.FILES_OF_VERSION:
        (tmp_path / name).write_text(f'"{__version__}"\n')
    here = f"[{__version__}] - 2026-11-27"
    assert commit(here, "[0.9.0] - 2026-11-01") == []
    assert commit("[99.0.0] - 2026-12-01", here) == [
        f"The newest section of CHANGELOG.md is 99.0.0, and metrics/version.py says {__version__}."
    ]
    git("tag", f"v{__version__}")
    assert commit(here) == [f"The tag v{__version__} exists already. Raise the version in metrics/version.py."]
