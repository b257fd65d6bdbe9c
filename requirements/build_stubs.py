"""The hook by which hatchling adds the stubs of `ir_plugin.opsets.stubs` to a wheel."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Stubs(BuildHookInterface):  # type: ignore[type-arg]
    """Writes stubs before a wheel is built; an editable one finds those of the opsets in the project itself."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the stubs and include them."""
        del version
        sys.path.insert(0, self.root)
        from ir_plugin.opsets.stubs import FOLDER, write_aliases, write_opsets

        written = self._written = Path(tempfile.mkdtemp())
        write_aliases(written)
        write_opsets(FOLDER)
        build_data["force_include_editable"] |= {str(written): "ir_plugin", "ir_plugin/py.typed": "ir_plugin/py.typed"}
        build_data["force_include"][str(written)] = "ir_plugin"
        build_data["artifacts"].append("ir_plugin/opsets/*.pyi")

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what only the build reads."""
        del version, build_data, artifact_path
        shutil.rmtree(self._written)
