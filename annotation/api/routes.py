"""The API as a whole: its parts, and how one signs in. Each operation fetches with permission and calls one verb."""

from __future__ import annotations

from annotation.api import account, analysis, designs, jobs, reports, review, running, studies, texts
from annotation.api.auth import Token
from annotation.api.responses import Api, tell_problems

api = Api(
    title="Assay",
    version="1",
    description=(
        "What the console does, for programs: the same roles, the same verbs, the same audit log. Send "
        "`Authorization: Bearer TOKEN`. Refusals are problem documents (RFC 9457) that name field and rule; lists come "
        "in pages (`limit`, `offset`). Who a worker is on the marketplace is told by the console alone."
    ),
    auth=Token(),
    docs_url=None,  # its pages would load scripts from elsewhere; openapi.json is the document
    urls_namespace="api",
)
tell_problems(api)
for part in (account, studies, texts, designs, running, review, analysis, reports, jobs):
    api.add_router("", part.router)
