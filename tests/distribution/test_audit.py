"""What the audit of packages says of what pip-audit found, and of what it did not look at."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest

from distribution import audit

SOUND = {"name": "django", "version": "5.2.19", "vulns": []}
BROKEN = {"name": "jinja2", "version": "3.1.0", "vulns": [{"id": "PYSEC-2024-1", "fix_versions": ["3.1.3"]}]}
UNKNOWN = {"name": "ijson", "skip_reason": "Dependency not found on PyPI and could not be audited: ijson (3.6.0)"}


@pytest.mark.parametrize(
    ("parts", "status", "sentence"),
    [
        ([SOUND], 0, "1 of 1 package checked: 0 known vulnerabilities."),
        ([SOUND, BROKEN], 1, "jinja2 3.1.0: PYSEC-2024-1, fixed in 3.1.3"),
        ([SOUND, BROKEN], 1, "2 of 2 packages checked: 1 known vulnerability."),
        ([SOUND, UNKNOWN], 2, "1 package not checked: the source does not know it."),
        ([BROKEN, UNKNOWN], 1, "1 package not checked: the source does not know it."),
        ([UNKNOWN], 2, "No check was made"),
        (None, 2, "No check was made"),
    ],
)
def test_a_package_that_was_not_looked_at_is_not_called_sound(parts: Any, status: int, sentence: str) -> None:
    report = None if parts is None else {"dependencies": parts}
    found, sentences = audit.summarize(report, len(parts or [1]))
    assert found == status
    assert any(sentence in line for line in sentences), sentences


@pytest.mark.parametrize(("words", "status"), [([], 0), (["--offline-fails"], 2)])
def test_without_a_source_the_status_is_that_of_the_option(
    words: list[str], status: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def unreachable(*command: Any, **options: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess([], 1, stdout="", stderr="ConnectionError")

    monkeypatch.setattr(subprocess, "run", unreachable)
    assert audit.main(words) == status
    assert capsys.readouterr().out.startswith("No check was made")


def test_every_pin_is_asked_for() -> None:
    pins = audit.pinned()
    assert {"django", "torch", "pytest"} <= {pin.partition("==")[0].lower() for pin in pins}
    assert all(pin.count("==") == 1 and "[" not in pin for pin in pins)
