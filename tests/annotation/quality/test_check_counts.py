"""The stored counts of the checks are those of the stored evidence, and go with withdrawn answers."""

from __future__ import annotations

import pytest

from annotation.collecting.withdraw import withdraw
from annotation.models import CheckCounts, Evidence, Study, Submission
from annotation.quality.check_counts import check_counts, count_beyond
from annotation.quality.rules import Rule
from tests.annotation.review.factories import NOW, judged

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(db: None) -> Study:
    return judged(workers=4, hits=2, texts=10, reasons=True)


def test_stored_counts_are_those_of_the_evidence(study: Study) -> None:
    stored = check_counts(study)
    findings = list(Evidence.objects.filter(submission__hit__study=study).values_list("findings", flat=True))
    for kind, count in stored.items():
        assert count.measured == sum(kind in row for row in findings)
        assert count.beyond == sum(Rule(kind).holds(row, frozenset()) for row in findings)
    CheckCounts.objects.all().delete()
    assert check_counts(study) == stored
    assert stored["one_answer"].beyond == 2  # the first worker gives one label in both HITs


def test_another_threshold_is_counted_anew(study: Study) -> None:
    assert count_beyond(study, [Rule("one_answer", 0.0)]) == {"one_answer": 8}
    assert count_beyond(study, [Rule("one_answer"), Rule("one_answer", 0.8)]) == {"one_answer": 2}


def test_counts_do_not_outlive_withdrawn_answers(study: Study) -> None:
    first = Submission.objects.filter(hit__study=study, worker__pseudonym__endswith="00000").first()
    assert first is not None
    withdraw(study, [first.market_id], actor="ada", now=NOW)
    assert check_counts(study)["one_answer"].beyond == 1
