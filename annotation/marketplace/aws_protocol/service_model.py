"""Amazon's own description of the service: operations, shapes and their limits (vendored, see model/README.md),
and the events and operations that are ours."""

from __future__ import annotations

import json
from pathlib import Path

from botocore.model import OperationModel, ServiceModel

from annotation.marketplace.notifications.events import OURS

FOLDER = Path(__file__).resolve().parents[1] / "model" / "mturk" / "2017-01-17"
_DESCRIBED = json.loads((FOLDER / "service-2.json").read_text("utf-8"))
_DESCRIBED["shapes"]["EventType"]["enum"] += OURS
SERVICE = ServiceModel(_DESCRIBED, "mturk")
TARGET_PREFIX = f"{SERVICE.metadata['targetPrefix']}."
SIGNING_NAME = SERVICE.metadata["endpointPrefix"]
# Looked up once: botocore builds a new object at every access.
OPERATIONS: dict[str, OperationModel] = {name: SERVICE.operation_model(name) for name in SERVICE.operation_names}

_OWN_FILE = FOLDER.parents[1] / "assay" / "2026-11-22" / "service-2.json"
OWN_SERVICE = ServiceModel(json.loads(_OWN_FILE.read_text("utf-8")), "assay")
OWN_PREFIX = f"{OWN_SERVICE.metadata['targetPrefix']}."
OWN_OPERATIONS: dict[str, OperationModel] = {
    name: OWN_SERVICE.operation_model(name) for name in OWN_SERVICE.operation_names
}
