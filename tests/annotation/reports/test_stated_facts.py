"""Every sentence of a report is bound to a stored fact; an unknown fact is left out."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.core.management import call_command

from annotation.design.arrange_cells import arrange
from annotation.design.kinds import default_wording
from annotation.design.kinds.typicality.kind import typicality_of
from annotation.design.lay_out import design
from annotation.design.presets import ArmPlan, CellPlan
from annotation.design.wording import Wording
from annotation.importing.add_texts import add_texts
from annotation.models import (
    AttentionCheck,
    Decision,
    HitItem,
    Intent,
    LedgerEntry,
    Study,
    Submission,
    WayIn,
    WorkerIdentity,
)
from annotation.publishing.preflight import preflight
from annotation.readers.records import TextRecord
from annotation.reports.gather import score
from annotation.reports.study_facts import PLAY_MONEY, all_paid
from annotation.studies.create import Plan, create
from metrics.data.arm_assignment import assignment_sentence
from metrics.report.pay import VOLUNTEERS
from metrics.report.prose.methods import paragraph
from metrics.report.records import ExtrasFacts, ReportInput
from tests.annotation.importing import batches
from tests.annotation.review.factories import make

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 20, tzinfo=UTC)
AIM = "Is the small model as good as people?"


def drafted(wording: Wording, *contexts: str) -> Study:
    """A study of four texts, of which as many as there are `contexts` answer one."""
    study = create("plain", mode="live", plan=Plan(question=AIM), wording=wording, actor="ada", now=NOW)
    texts = [
        TextRecord(
            f"t{i}",
            f"Text {i}",
            "model" if i % 2 else "reference",
            generator="small" if i % 2 else None,
            context=f"c{i}" if i < len(contexts) else None,
            context_body=contexts[i] if i < len(contexts) else "",
        )
        for i in range(4)
    ]
    add_texts(study, texts, actor="ada", now=NOW)
    return study


def methods(given: ReportInput) -> str:
    return " ".join(paragraph(given, (), k=16, level=0.95))


@pytest.mark.parametrize(
    ("contexts", "question"),
    [
        (("A.", "B.", "C.", "D."), "How typical is this headline for the article above?"),
        ((), "How typical is this headline?"),
        (("A.",), "How typical is this headline for the article above? / How typical is this headline?"),
    ],
)
def test_the_question_as_shown_is_the_one_on_the_pages_and_the_aim_another(
    contexts: tuple[str, ...], question: str
) -> None:
    told = score(drafted(typicality_of("headline"), *contexts)).study
    assert (told.question, told.aim) == (question, AIM)


def test_every_question_of_a_task_is_told() -> None:
    told = score(drafted(default_wording("likert"))).study
    assert told.question == "It reads well. / It is about what it should be about."


def test_the_noun_of_the_report_is_that_of_the_pages() -> None:
    assert score(drafted(default_wording("human_or_machine", noun="story"))).study.noun == "story"


def test_a_task_is_not_called_by_the_layout_of_a_file(tmp_path: Path) -> None:
    path = batches.written(tmp_path / "batch.csv", batches.rows())
    call_command("import_batch", path, study="small")
    given = score(Study.objects.get(name="small"))
    layouts = [line.rpartition("read as ")[2] for line in given.study.provenance]
    assert given.study.task == "typicality ratings"
    assert layouts
    assert given.study.task not in layouts


def test_a_language_is_told_only_where_somebody_said_it() -> None:
    study = drafted(default_wording("typicality"))
    assert score(study).language is None
    call_command("set_details", "plain", "language", "Swiss German")
    assert score(study).language == "Swiss German"


def test_checks_repeats_and_gold_of_the_tasks_are_counted() -> None:
    study = make(workers=2, hits=2, texts=6)
    first, second = study.hits.order_by("slot")
    for hit in (first, second):
        AttentionCheck.objects.create(hit=hit, position=20, expected="Typical")
    HitItem.objects.create(hit=first, text=first.items.first().text, position=21, role="repeat")
    assert score(study).study.extras == ExtrasFacts((1, 1), (0, 1), (0, 0))
    assert "Each task also held 1 attention check and 0 to 1 repeated texts." in methods(score(study))


def test_of_an_import_nobody_knows_what_its_tasks_held_beside_the_texts(tmp_path: Path) -> None:
    path = batches.written(tmp_path / "batch.csv", batches.rows())
    call_command("import_batch", path, study="small")
    assert score(Study.objects.get(name="small")).study.extras is None


def approved(study: Study, *, booked: bool = True) -> Study:
    """Everything approved and, where `booked`, paid: 1.00 USD each."""
    for at, one in enumerate(Submission.objects.filter(hit__study=study)):
        Decision.objects.create(submission=one, matter="payment", verdict="approve", at=NOW)
        if booked:
            intent = Intent.of(study, Intent.Kind.APPROVE, one.pk, slot=str(at))
            intent.save()
            LedgerEntry.objects.create(study=study, intent=intent, kind="reward", cents=100, at=NOW)
    return study


def came(study: Study, **way: object) -> Study:
    WayIn.objects.create(**{"study": study, "kind": "link", "pays": "ledger", "consent": True, **way})
    return study


PAID, APPROVED = "All submitted work was paid.", "All submitted work was approved."


def test_all_work_is_called_paid_where_each_reward_was_booked() -> None:
    assert PAID in methods(score(approved(came(make(workers=2, mode="live")))))


@pytest.mark.parametrize("pays", ["volunteer", "elsewhere"])
def test_work_of_a_channel_that_does_not_pay_here_is_not_called_paid(pays: str) -> None:
    told = methods(score(approved(came(make(workers=2, mode="live"), pays=pays))))
    assert APPROVED in told
    assert PAID not in told


def test_work_is_not_called_paid_in_play_money_nor_before_it_is_booked() -> None:
    assert APPROVED in methods(score(approved(make(workers=2, mode="rehearsal", name="played"))))
    assert not all_paid(approved(came(make(workers=2, mode="live", name="owed")), booked=False))


def test_without_any_work_nothing_is_said_of_paying_it() -> None:
    assert "All submitted work" not in methods(score(drafted(default_wording("typicality"))))


def test_channel_pay_and_consent_are_told_as_the_marketplace_told_them() -> None:
    study = came(make(workers=2, mode="live"), pays="elsewhere", pay_words="10 EUR by the panel")
    crowd = score(study).crowd
    assert crowd.provider == "test (by a link)"
    assert crowd.pays == ("Pay was arranged outside the marketplace (10 EUR by the panel).",)
    assert crowd.consent == "Asked by the marketplace or the invitation, before the first task."


def test_of_several_ways_each_is_told_with_its_pay_and_consent_only_where_all_were_asked() -> None:
    study = came(came(make(workers=2, mode="live"), pays="volunteer"), kind="accounts", consent=False)
    crowd = score(study).crowd
    assert crowd.pays == (
        "Registered accounts: Rewards were credited by the marketplace when work was approved.",
        f"By a link: {VOLUNTEERS}",
    )
    assert crowd.consent is None


def test_what_is_not_known_of_the_channel_is_asked_for_and_not_guessed() -> None:
    study = make(workers=2, mode="live")
    crowd = score(study).crowd
    assert (crowd.provider, crowd.pays, crowd.consent) == ("test", (), None)
    for key, words in (("channel", "Two classes in May."), ("payment", "Each had 5 EUR in cash.")):
        call_command("set_details", study.name, key, words)
    crowd = score(study).crowd
    assert (crowd.provider, crowd.pays) == ("Two classes in May.", ("Each had 5 EUR in cash.",))
    assert score(make(workers=2, name="played")).crowd.pays == (PLAY_MONEY[0],)


def arms(mode: str = "live") -> Study:
    study = create("arms", mode=mode, plan=Plan(texts_per_hit=4, raters_per_text=2), actor="ada", now=NOW)
    add_texts(study, [TextRecord(f"t{i}", f"Text {i}", "reference") for i in range(4)], actor="ada", now=NOW)
    plans = [ArmPlan("none", 50), ArmPlan("instructions", 90)]
    arrange(study, plans, [CellPlan("none"), CellPlan("instructions")], actor="ada", now=NOW)
    design(study, actor="ada", now=NOW)
    return study


def findings(study: Study) -> list[str]:
    return [one.sentence for one in preflight(study).findings if one.rule == "arms_not_random"]


def test_the_check_before_publishing_says_that_arms_are_chosen_and_of_drawn_ones_nothing() -> None:
    study = arms()
    assert findings(study) == [assignment_sentence("chosen", ahead=True)]
    assert findings(study)[0].startswith("Assignment to arms is not random: raters take tasks")
    study.arm_assignment = "drawn"
    assert findings(study) == []


def test_one_arm_is_assigned_to_nobody() -> None:
    study = drafted(default_wording("typicality"))
    design(study, actor="ada", now=NOW)
    assert findings(study) == []


def test_a_study_stores_how_raters_come_to_their_arm_and_its_report_says_it() -> None:
    given = score(arms())
    assert given.study.arm_assignment == "chosen"
    assert assignment_sentence("chosen", ahead=True) in methods(given)  # nobody has worked yet


def test_an_imported_report_keeps_how_raters_came_and_another_import_does_not_know(tmp_path: Path) -> None:
    path = batches.written(tmp_path / "batch.csv", batches.rows())
    call_command("import_batch", path, study="small")
    assert score(Study.objects.get(name="small")).study.arm_assignment is None
    Study.objects.filter(name="small").update(arm_assignment="waves")
    call_command("report", "small", out=tmp_path / "one", format="json")
    call_command("import_report", tmp_path / "one" / "report.json", study="again")
    again = Study.objects.get(name="again")
    assert again.arm_assignment == "waves"
    assert score(again).study.arm_assignment == "waves"


def test_providers_of_the_marketplace_here_that_told_no_way_are_not_known_to_have_paid() -> None:
    study = approved(make(workers=2, mode="live"))
    assert all_paid(study)  # a marketplace elsewhere pays what is approved
    WorkerIdentity.objects.update(provider="assay")
    assert not all_paid(study)
