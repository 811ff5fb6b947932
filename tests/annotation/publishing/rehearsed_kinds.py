"""A study of a preset, answered by the simulated people of a rehearsal on its real pages, without a marketplace."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from xml.sax.saxutils import escape

from lxml import html

from annotation.collecting.parse_submissions import read
from annotation.design.lay_out import Design, design
from annotation.design.presets import Preset, preset_settings
from annotation.hits.mturk_request import page_of, wording_of
from annotation.importing.add_texts import add_texts
from annotation.models import Hit, Study, Submission, Worker
from annotation.readers.records import TextRecord
from annotation.rehearsal.crowd.browser import Sheet, _fields
from annotation.rehearsal.passers import Passer
from annotation.studies.create import Plan, create

NOW = datetime(2026, 10, 5, 9, 30, tzinfo=UTC)
OPEN = (
    '<QuestionFormAnswers xmlns="http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2005-10-01/'
    'QuestionFormAnswers.xsd">'
)


def drafted(
    preset: Preset,
    name: str,
    *,
    contexts: int,
    generators: Sequence[str] = ("alpha", "beta"),
    parts: int = 1,
    references: int = 0,
    **settings: object,
) -> Study:
    """A draft of the preset with a text (or several parts) of each generator for every context, and references."""
    plan = Plan(**{**preset_settings(preset, "USD"), **settings})  # type: ignore[arg-type]
    study = create(name, mode="rehearsal", plan=plan, wording=preset.wording, actor="ada", now=NOW)
    records = [
        TextRecord(
            f"{generator}{at}" if parts == 1 else f"{generator}{at}-{part}",
            f"The council of town {at} heard {generator} speak about the river {part or ''}".strip(),
            "model",
            generator=generator,
            decoding="t=1",
            context=f"c{at}",
            context_body=f"Article {at}.",
        )
        for at in range(contexts)
        for part in range(parts)
        for generator in generators
    ]
    records += [
        TextRecord(
            f"person{at}-{number}",
            f"In town {at} resident {number} spoke about the river",
            "reference",
            context=f"c{at}",
            context_body=f"Article {at}.",
        )
        for at in range(contexts)
        for number in range(references)
    ]
    add_texts(study, records, actor="ada", now=NOW)
    return study


def rehearsed(study: Study, *, seed: int) -> Design:
    """Lay the study out, let one new person do each place, and read what they sent."""
    laid_out = design(study, actor="ada", now=NOW)
    for hit in study.hits.select_related("cell__arm", "study", "wording").order_by("slot"):
        sheet = sheet_of(hit)
        for place in range(hit.max_assignments):
            _store(hit, sheet, f"w{seed}-{place}", seed)
    read(study, now=NOW)
    return laid_out


def sheet_of(hit: Hit) -> Sheet:
    """The form of a HIT's page, as the crowd sees it."""
    form = html.fromstring(page_of(hit, wording_of(hit))).get_element_by_id("answers")
    fields = tuple(field for fieldset in form.xpath(".//fieldset") for field in _fields(fieldset))
    return Sheet("", (("assignmentId", "A"),), fields, task=form.get("data-task"))


def _store(hit: Hit, sheet: Sheet, name: str, seed: int) -> None:
    worker, _ = Worker.objects.get_or_create(pseudonym=f"{hit.study_id}-{name}")
    answers = Passer(name, seed)(sheet)
    sent = {field.name: answer.label for field, answer in zip(sheet.fields, answers, strict=True)}
    parts = "".join(
        f"<Answer><QuestionIdentifier>{escape(field)}</QuestionIdentifier><FreeText>{escape(value)}</FreeText></Answer>"
        for field, value in sent.items()
    )
    Submission.objects.create(
        hit=hit,
        worker=worker,
        market_id=f"{hit.pk}-{name}",
        raw=f"{OPEN}{parts}</QuestionFormAnswers>",
        raw_format="mturk-xml",
        received_at=NOW,
        accepted_at=NOW,
        submitted_at=NOW,
    )
