"""python docs/make_openapi.py: write docs/openapi.json, the document of the web API as it is served."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "deploy.settings.development")


def main() -> None:
    import django

    django.setup()
    from annotation.api.routes import api

    told = json.dumps(json.loads(json.dumps(api.get_openapi_schema(), default=str)), indent=1)
    (ROOT / "docs" / "openapi.json").write_text(told + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
