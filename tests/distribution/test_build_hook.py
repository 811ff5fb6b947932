"""Two wheels built at the same time, from one checkout."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from distribution.build_hook import StagedPackage
from distribution.stage import FOLDERS


def test_a_build_leaves_the_files_of_another_build_alone(tmp_path: Path) -> None:
    for name in (*FOLDERS, "distribution/textassay"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "manage.py").write_text("from metrics import version\n")
    first, second = begin(tmp_path), begin(tmp_path)
    folder_of_first, folder_of_second = (Path(next(iter(included))) for _build, included in (first, second))
    second[0].finalize("standard", {}, "")
    assert (folder_of_first / "manage.py").read_text() == "from textassay.metrics import version\n"
    first[0].finalize("standard", {}, "")
    assert not folder_of_first.exists()
    assert not folder_of_second.exists()


def begin(root: Path) -> tuple[StagedPackage, dict[str, str]]:
    """A build that has staged its package, and what it adds to the wheel."""
    data: dict[str, Any] = {"force_include": {}}
    build = StagedPackage(str(root), {}, None, None, "", "wheel")
    build.initialize("standard", data)
    return build, data["force_include"]
