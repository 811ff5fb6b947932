"""Store study details that only a person knows: ethics, consent, licence, where the plan was registered."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from annotation.exceptions import StateError
from annotation.models import AuditEvent, Statement, Study
from annotation.studies.rows import require_rows


def state(study: Study, key: str, body: str, *, actor: str, now: datetime) -> Statement | None:
    """The statement of that key as it is from now on; None where an empty `body` removed it. Raises StateError."""
    if key not in Statement.Key.values:
        raise StateError(f"There is no statement called {key}; there are {', '.join(Statement.Key.values)}.")
    require_rows(study)
    text = body.strip()
    if len(text) > Statement.LONGEST:
        raise StateError(f"A statement has at most {Statement.LONGEST} characters; this one has {len(text)}.")
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        statement = None
        if text:
            statement, _ = Statement.objects.update_or_create(study=study, key=key, defaults={"body": text})
        else:
            Statement.objects.filter(study=study, key=key).delete()
        AuditEvent.objects.record(study, "state", actor=actor, now=now, key=key, body=text)
    return statement
