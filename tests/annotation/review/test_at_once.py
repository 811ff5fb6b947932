"""Two people at once, on PostgreSQL: whoever decides holds the study first, so that no two wait for each other.

A row that names the study holds its key: two who have each written one, and then both lock the study for the log, would
wait for ever, and the server ends one of them with an error.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.accounts.models import User
from annotation.models import Study, Submission
from annotation.review import approve as review
from annotation.review import exclude, reject
from annotation.studies.statements import state
from tests.annotation.review.factories import NOW, make, member

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.database,
    pytest.mark.skipif(connection.vendor != "postgresql", reason="asked of PostgreSQL, in the run on PostgreSQL"),
]
REASON = "One label was given for all twenty-five texts."
Deed = Callable[[Study, User, User], object]


def first(study: Study) -> Submission:
    return Submission.objects.filter(hit__study=study).order_by("pk")[0]


def approved(study: Study, by: User) -> None:
    review.approve(study, Submission.objects.all(), actor=by, now=NOW, leave_out="Asleep.")


DEEDS: dict[str, Deed] = {
    "propose": lambda study, _, bea: reject.propose_rejection(study, first(study), reason=REASON, actor=bea, now=NOW),
    "drop": lambda study, _, bea: reject.withdraw_proposal(study, first(study), actor=bea, now=NOW),
    "second": lambda study, _, bea: reject.confirm_rejection(study, first(study), actor=bea, now=NOW),
    "approve": lambda study, _, bea: approved(study, bea),
    "leave out": lambda study, _, bea: exclude.exclude_submissions(
        study, Submission.objects.all(), reason="Asleep.", actor=bea, now=NOW
    ),
    "state": lambda study, _, bea: state(study, "ethics", "Board 7.", actor="bea", now=NOW),
}


@pytest.mark.parametrize("name", DEEDS)
def test_the_study_is_held_before_anything_is_written(name: str) -> None:
    study = make(workers=2, hits=1, texts=1)
    ada, bea = member(study, "reviewer", "ada"), member(study, "reviewer", "bea")
    if name in ("drop", "second"):
        reject.propose_rejection(study, first(study), reason=REASON, actor=ada, now=NOW)
    with CaptureQueriesContext(
        connection,
    ) as caught:
        DEEDS[name](study, ada, bea)
    asked = [query["sql"] for query in caught]
    held = next(at for at, sql in enumerate(asked) if 'FROM "annotation_study"' in sql and sql.endswith("FOR UPDATE"))
    written = next(at for at, sql in enumerate(asked) if sql.startswith(("INSERT", "UPDATE", "DELETE")))
    assert held < written
