"""The worker site."""

from __future__ import annotations

from tests.screenshots.shots import Shot

PAGES = ["", "history/", "earnings/", "qualifications/", "messages/", "account/", "welcome/"]
OF_STRANGERS = ["sign-in/", "register/", "terms/"]

SHOTS = [
    *(
        Shot(f"worker-{path.strip('/') or 'tasks'}", lambda world, path=path: f"{world.origin}/hits/{path}", "worker")
        for path in PAGES
    ),
    *(
        Shot(f"worker-{path.strip('/')}", lambda world, path=path: f"{world.origin}/hits/{path}")
        for path in OF_STRANGERS
    ),
]
