"""After the retention date the draw's log knows no one who comes back under the same id."""

from __future__ import annotations

from datetime import timedelta

import pytest

from annotation.models import AuditEvent, DrawRecord, Study
from annotation.models.worker import look_up_hash
from annotation.workers.retention import forget
from tests.annotation.conftest import NOW

pytestmark = pytest.mark.django_db


def test_lines_of_one_person_keep_one_name_which_is_no_hash_of_the_id(study: Study) -> None:
    arm = study.arms.first() or study.arms.create(training="none")
    cell = arm.cells.first() or arm.cells.create()
    ann, bob = (look_up_hash("assay", name)[:16] for name in ("ann", "bob"))
    for number, person in enumerate((ann, bob, ann), start=1):
        kind = DrawRecord.Kind.DRAWN if number < 3 else DrawRecord.Kind.LEFT
        study.draws.create(number=number, kind=kind, person=person, cell=cell, at=NOW)
    Study.objects.filter(pk=study.pk).update(retain_until=NOW)
    forget(now=NOW - timedelta(days=1), dry_run=False)
    assert set(study.draws.values_list("person", flat=True)) == {ann, bob}
    forget(now=NOW + timedelta(days=1), dry_run=False)
    first, second, third = study.draws.order_by("number").values_list("person", flat=True)
    assert first == third != second
    assert not {first, second} & {ann, bob}
    forget(now=NOW + timedelta(days=2), dry_run=False)
    assert study.draws.first().person == first
    assert AuditEvent.objects.filter(study=study, verb="forget_draws").count() == 1
