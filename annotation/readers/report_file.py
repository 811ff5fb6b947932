"""A report of Assay (report.json) or its snapshot (snapshot.json), read back."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from annotation.exceptions import DesignError
from annotation.readers.records import Provenance
from annotation.readers.report_checks import check_report
from metrics.errors import BadInput
from metrics.report.formats.json import read
from metrics.report.records import ReportInput
from metrics.report.snapshot import Header, content_of, read_snapshot

LAYOUT = "report of Assay"


@dataclass(frozen=True, slots=True)
class ReportFile:
    """A study as its report has it. content: the canonical bytes of its snapshot. header: None for a report.json."""

    report_input: ReportInput
    content: bytes
    origin: Provenance
    header: Header | None = None


def read_report(path: Path) -> ReportFile:
    """The study behind a report.json or a snapshot.json.

    Raises DesignError with the place that is wrong: a hash that does not fit, records that contradict each other.
    """
    try:
        document = path.read_bytes()
        report_input, content, header = _read(document)
    except OSError as error:
        raise DesignError(f"{path.name} cannot be read: {error.strerror}.") from None
    except ValueError as error:
        reason = str(error) if isinstance(error, BadInput) else "it is not JSON."
        raise DesignError(f"{path.name}: {reason}") from None
    check_report(report_input)
    origin = Provenance(path.name, hashlib.sha256(document).hexdigest(), len(report_input.ratings), LAYOUT)
    return ReportFile(report_input, content, origin, header)


def _read(document: bytes) -> tuple[ReportInput, bytes, Header | None]:
    """Of a snapshot.json, whose hashes are checked, or a report.json. Raises ValueError."""
    parsed = json.loads(document)
    if isinstance(parsed, dict) and "header_sha256" in parsed:
        snapshot = read_snapshot(document)
        return snapshot.report_input, snapshot.content, snapshot.header
    report_input = read(parsed)
    return report_input, content_of(report_input), None
