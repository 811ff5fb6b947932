"""The API as a whole: its parts, and how one signs in. Each operation fetches with permission and calls one verb."""

from __future__ import annotations

from annotation.api import (
    account,
    analysis,
    batches,
    designs,
    jobs,
    managing,
    papers,
    people,
    prolific,
    recruiting,
    reports,
    review,
    running,
    studies,
    text_measures,
    texts,
    training_items,
    workers,
)
from annotation.api.auth import Token
from annotation.api.responses import Api, register_problem_handlers

api = Api(
    title="Assay",
    version="1",
    description=(
        "What the console does, for programs: the same roles, actions and audit log. Send "
        "`Authorization: Bearer TOKEN`. Errors are problem documents (RFC 9457) that name field and rule. Lists come "
        "in pages (`limit`, `offset`). Worker IDs of the marketplace are shown in the console only."
    ),
    auth=Token(),
    docs_url=None,  # its pages would load scripts from elsewhere; openapi.json is the document
    urls_namespace="api",
)
register_problem_handlers(api)
for part in (
    account,
    studies,
    managing,
    people,
    texts,
    designs,
    training_items,
    papers,
    recruiting,
    prolific,
    running,
    review,
    analysis,
    reports,
    text_measures,
    workers,
    batches,
    jobs,
):
    api.add_router("", part.router)
