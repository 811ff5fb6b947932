"""Amazon's own description of the service: operations, shapes and their limits (vendored, see model/README.md),
and the events and operations that are ours."""

from __future__ import annotations

import json
from pathlib import Path

from botocore.model import OperationModel, ServiceModel

from annotation.marketplace.notifications.events import EXTENSION_EVENTS

FOLDER = Path(__file__).resolve().parents[1] / "model" / "mturk" / "2017-01-17"
_DESCRIBED = json.loads((FOLDER / "service-2.json").read_text("utf-8"))
_DESCRIBED["shapes"]["EventType"]["enum"] += EXTENSION_EVENTS
SERVICE = ServiceModel(_DESCRIBED, "mturk")
TARGET_PREFIX = f"{SERVICE.metadata['targetPrefix']}."
SIGNING_NAME = SERVICE.metadata["endpointPrefix"]
# Looked up once: botocore builds a new object at every access.
OPERATIONS: dict[str, OperationModel] = {name: SERVICE.operation_model(name) for name in SERVICE.operation_names}

_EXTENSION_FILE = FOLDER.parents[1] / "assay" / "2026-11-22" / "service-2.json"
EXTENSION_SERVICE = ServiceModel(json.loads(_EXTENSION_FILE.read_text("utf-8")), "assay")
EXTENSION_PREFIX = f"{EXTENSION_SERVICE.metadata['targetPrefix']}."
EXTENSION_OPERATIONS: dict[str, OperationModel] = {
    name: EXTENSION_SERVICE.operation_model(name) for name in EXTENSION_SERVICE.operation_names
}
