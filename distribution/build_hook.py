"""The build hook of hatchling: the wheel holds the staged package and nothing else."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class StagedPackage(BuildHookInterface):  # type: ignore[type-arg]
    """Stages `textassay` before a wheel is built, in a folder of this build: another may run at the same time."""

    PLUGIN_NAME = "custom"
    _folder: tempfile.TemporaryDirectory[str] | None = None

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Stage the package; refuse an editable installation, whose files would not be rewritten."""
        if version == "editable":
            raise RuntimeError("An editable installation is not possible. In a checkout, run `make setup`.")
        sys.path.insert(0, self.root)
        from distribution.stage import stage

        self._folder = tempfile.TemporaryDirectory(prefix="textassay-staged-")
        package = stage(Path(self._folder.name), Path(self.root))
        build_data["force_include"][str(package)] = package.name

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Delete what was staged."""
        if self._folder is not None:
            self._folder.cleanup()
