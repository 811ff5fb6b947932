"""The build hook of hatchling: the wheel holds the staged package and nothing else."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class StagedPackage(BuildHookInterface):  # type: ignore[type-arg]
    """Stages `textassay` below the build folder before a wheel is built."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Stage the package; refuse an editable installation, whose files would not be rewritten."""
        if version == "editable":
            raise RuntimeError("An editable installation is not possible. In a checkout, run `make setup`.")
        sys.path.insert(0, self.root)
        from distribution.stage import stage

        package = stage(Path(self.root) / "build" / "staged", Path(self.root))
        build_data["force_include"][str(package)] = package.name
