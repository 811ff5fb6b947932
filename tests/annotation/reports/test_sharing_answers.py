"""Consent to share: asked on the task page and stored with each submission; the latest answer decides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import pytest

from annotation.accounts.stored_rows import rows_below
from annotation.collecting.parse_submissions import read
from annotation.collecting.reparse import reparse
from annotation.collecting.withdraw import withdraw
from annotation.design.kinds import default_wording
from annotation.design.lay_out import design
from annotation.importing.add_texts import add_texts
from annotation.models import Hit, SharingAnswer, Study, Submission, Worker
from annotation.readers.records import LikelihoodRecord, TextRecord
from annotation.reports.public_release import consent_of_task_page, look_before_release, set_objections
from annotation.studies.create import Plan, create, reword
from tests.annotation.conftest import NOW

pytestmark = pytest.mark.django_db
OPEN = (
    '<QuestionFormAnswers xmlns="http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2005-10-01/'
    'QuestionFormAnswers.xsd">'
)
PLAIN = replace(default_wording("typicality"), follow_ups=())
ASKING = replace(PLAIN, sharing="I agree that my ratings of {nouns} are published.")
# Of each worker the boxes of the two tasks that ask, in the order of their work; "late" worked before it was asked.
BOXES: Mapping[str, tuple[bool, ...]] = {
    "both": (True, True),
    "changed to yes": (False, True),
    "changed to no": (True, False),
    "neither": (False, False),
    "late": (),
}
NOT_SHARING = {"changed to no", "neither"}


@pytest.fixture
def study(settings: Any, tmp_path: Path) -> Study:
    """Three tasks of two texts; the first was published before the task page asked."""
    settings.VAR = tmp_path / "var"
    made = create("shared", mode="rehearsal", plan=Plan(raters_per_text=5, texts_per_hit=2), actor="ada", now=NOW)
    score = LikelihoodRecord("tiny", -4.5, 3, "whitespace")
    model = {"generator": "tiny", "likelihoods": (score,)}
    texts = [TextRecord(f"m{i}", f"Model {i}.", "model", **model) for i in range(3)]
    texts += [TextRecord(f"r{i}", f"Reference {i}.", "reference", likelihoods=(score,)) for i in range(3)]
    add_texts(made, texts, actor="ada", now=NOW)
    reword(made, PLAIN, now=NOW)
    design(made, actor="ada", now=NOW)
    reword(made, ASKING, now=NOW)
    hits = list(made.hits.order_by("slot"))
    Hit.objects.filter(pk=hits[0].pk).update(wording=made.wordings.order_by("version")[made.wordings.count() - 2])
    Hit.objects.filter(pk__in=[hit.pk for hit in hits[1:]]).update(wording=made.wordings.order_by("version").last())
    for number, boxes in enumerate(BOXES.values()):
        worker = Worker.objects.create(pseudonym=f"w{number:05d}")
        _submit(hits[0], worker, ticked=False, label=number, after=0)
        for at, ticked in enumerate(boxes, 1):
            _submit(hits[at], worker, ticked=ticked, label=number + at, after=at)
    read(made, now=NOW)
    return made


def _submit(hit: Hit, worker: Worker, *, ticked: bool, label: int, after: int) -> None:
    labels = [words for words, _, _ in PLAIN.criteria[0].labels]
    fields = {f"rating-{i}": labels[(label + i) % 5] for i in range(2)} | ({"share": "yes"} if ticked else {})
    raw = "".join(
        f"<Answer><QuestionIdentifier>{name}</QuestionIdentifier><FreeText>{escape(text)}</FreeText></Answer>"
        for name, text in fields.items()
    )
    at = NOW + timedelta(hours=after)
    Submission.objects.create(
        hit=hit,
        worker=worker,
        market_id=f"3A{hit.slot}{worker.pseudonym}",
        raw=f"{OPEN}{raw}</QuestionFormAnswers>",
        raw_format="mturk-xml",
        received_at=at,
        accepted_at=at,
        submitted_at=at,
    )


def named(name: str) -> Worker:
    return Worker.objects.get(pseudonym=f"w{list(BOXES).index(name):05d}")


def test_whose_latest_answer_is_not_yes_is_in_no_release(study: Study) -> None:
    look = look_before_release(study, actor="ada", now=NOW)
    assert (look.raters, look.withheld, look.refused) == (len(BOXES) - len(NOT_SHARING), 2, 2)
    set_objections(study, [named("late").pseudonym, named("neither").pseudonym], actor="ada", now=NOW)
    look = look_before_release(study, actor="ada", now=NOW)
    assert (look.raters, look.withheld, look.refused) == (2, 3, 2)
    assert "by a box to tick: “I agree that my ratings of texts are published.”" in consent_of_task_page(study)


def test_an_answer_has_its_version_and_goes_with_its_submission(study: Study) -> None:
    rows = SharingAnswer.objects.filter(submission__worker=named("changed to no")).order_by("submission")
    assert [row.agreed for row in rows] == [True, False]
    assert {row.wording for row in rows} == {study.wordings.order_by("version").last()}
    assert not SharingAnswer.objects.filter(submission__worker=named("late")).exists()
    # Reading the stored answers again writes the same rows.
    before = sorted(SharingAnswer.objects.values_list("submission", "wording", "agreed"))
    reparse(study, everything=True, actor="ada", now=NOW)
    assert not SharingAnswer.objects.exists()
    read(study, now=NOW)
    assert sorted(SharingAnswer.objects.values_list("submission", "wording", "agreed")) == before
    # What a person is shown of themselves includes it, and what is erased does, too.
    shown = rows_below([named("both")])["annotation_sharinganswer"]
    assert [row["agreed"] for row in shown] == [True, True]
    withdraw(study, named("both").submissions.values_list("market_id", flat=True), actor="ada", now=NOW)
    assert not SharingAnswer.objects.filter(submission__worker=named("both")).exists()
    assert SharingAnswer.objects.count() == len(before) - 2
