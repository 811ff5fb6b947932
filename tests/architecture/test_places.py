"""No new loose file: a module belongs to a package that is named for its subject. The lists may only shrink."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LOOSE = {
    "annotation": {"__init__", "admin", "apps", "exceptions", "ledger", "settings"},
    "metrics": {"__init__", "__main__", "errors", "types", "version"},
    "annotation/marketplace": {"__init__", "admin", "apps", "cents", "errors", "ids", "retention", "urls"},
}


def loose(folder: Path) -> set[str]:
    """The modules directly in a folder."""
    return {path.stem for path in folder.glob("*.py")}


@pytest.mark.parametrize("folder", LOOSE)
def test_the_loose_files_are_those_of_the_list(folder: str) -> None:
    assert loose(ROOT / folder) == LOOSE[folder]


def test_a_planted_loose_file_is_seen(tmp_path: Path) -> None:
    (tmp_path / "planted.py").touch()
    assert loose(tmp_path) == {"planted"}
