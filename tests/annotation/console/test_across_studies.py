"""Pages across all studies, settings of oneself, links to reports; and that nobody sees more than their studies."""

from __future__ import annotations

import ast
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

import annotation
from annotation.accounts.models import ApiToken, User
from annotation.console.templatetags.console import DEEDS
from annotation.jobs import queue as jobs
from annotation.models import AuditEvent, Decision, Flag, Intent, Job, Result, Role, Study, Submission, Worker
from annotation.studies.statements import state
from annotation.studies.unblind import unblind
from tests.annotation.review.factories import make, member

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(db: None) -> Study:
    return make(workers=3, hits=2, texts=4, straight=0, now=timezone.now())


def entered(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def seen(client: Client, name: str, *parts: Any) -> str:
    answer = client.get(reverse(f"console:{name}", args=parts))
    assert answer.status_code == 200
    return answer.content.decode()


def reported(study: Study, owner: User) -> Job:
    """A finished report, without its computing."""
    job = jobs.ask("report", by=owner, now=timezone.now(), study=study)
    huse = {"value": 0.5123, "interval": {"low": 0.4, "high": 0.6}, "n": 8, "signature": "huse|n:8"}
    numbers = {"results": [{"key": "huse", "measures": [{"subject": "tiny", "title": "HUSE", **huse}]}]}
    made = Result.objects.create(study=study, numbers=numbers, made_at=timezone.now())
    Job.objects.filter(pk=job.pk).update(state="done", outcome={"files": ["report.html"], "result": made.pk})
    job.refresh_from_db()
    return job


def test_results_of_evaluators_are_told_by_cell(study: Study) -> None:
    owner = member(study, Role.OWNER)
    job = reported(study, owner)
    right = {"value": 0.55, "interval": {"low": 0.491, "high": 0.607}, "n": 60, "signature": "accuracy|n:60"}
    cells = ("examples × news × t=1.0", "all")
    measures = [{"subject": cell, "title": "Accuracy", **right} for cell in cells]
    numbers = {"results": [{"key": "human-or-machine", "measures": measures}]}
    Result.objects.filter(pk=job.outcome["result"]).update(numbers=numbers)
    page = seen(entered(owner), "findings")
    for words in ("examples × news × t=1.0", "Accuracy", "0.550", "[0.491, 0.607]"):
        assert words in page, words


def test_workers_of_all_ones_studies_are_listed_for_reviewers_only(study: Study) -> None:
    other = make(workers=1, hits=1, texts=2, name="other")
    page = seen(entered(member(study, Role.REVIEWER)), "everybody")
    assert page.count("wjudged0000") == 3 * 2  # the address and the name of each
    assert "wother" not in page
    assert "No workers yet" in seen(entered(member(study, Role.VIEWER)), "everybody")
    assert "wother00000" in seen(entered(User.objects.create_superuser("root")), "everybody")
    assert "REALID" not in page
    assert other.pk


def test_results_stand_in_the_list_once_a_report_was_computed(study: Study) -> None:
    owner = member(study, Role.OWNER)
    assert "No results yet" in seen(entered(owner), "findings")
    reported(study, owner)
    assert "0.512" in seen(entered(owner), "findings")
    assert "0.512" not in seen(entered(User.objects.create_user("stan")), "findings")


def test_the_answer_stands_first_on_a_studys_results(study: Study) -> None:
    owner = member(study, Role.OWNER)
    job = reported(study, owner)
    unblind(study, actor="ada", now=timezone.now())
    page = seen(entered(owner), "results", study.uuid)
    assert 'class="lead"' not in page
    sentence = "large is better than small on typicality: 0.44 [0.12, 0.76] points, p\u00a0=\u00a0.008; 100 contexts."
    result = Result.objects.get(pk=job.outcome["result"])
    result.numbers = {**result.numbers, "results": [{"key": "answer", "lead": [sentence], "tables": []}]}
    result.save()
    page = seen(entered(owner), "results", study.uuid)
    assert f'<p class="lead">{sentence}</p>' in page
    assert page.index(sentence) < page.index("<table")


def test_play_money_and_real_money_are_never_summed(study: Study) -> None:
    owner = member(study, Role.OWNER)
    live = make(workers=1, hits=1, texts=2, name="paid", mode="live")
    live.memberships.create(user=owner, role=Role.OWNER)
    Study.objects.filter(pk=study.pk).update(spent_cents=1234)
    Study.objects.filter(pk=live.pk).update(spent_cents=5600)
    page = seen(entered(owner), "money")
    for told in ("Charged, rehearsals (play money)", "$12.34", "Charged, live studies", "$56.00"):
        assert told in page
    assert "$68.34" not in page


def test_a_token_is_shown_once_and_revoked_by_its_owner(study: Study) -> None:
    owner, other = (entered(User.objects.create_user(name)) for name in ("ada", "bo"))
    page = owner.post(reverse("console:keys-token"), {"name": "nightly"}).content.decode()
    token = page.split("assay_")[1].split("<")[0]
    assert ApiToken.objects.user_of(f"assay_{token}") == User.objects.get(username="ada")
    assert token not in seen(owner, "keys")
    row = ApiToken.objects.get()
    assert other.post(reverse("console:keys-token-revoke", args=[row.pk])).status_code == 404
    owner.post(reverse("console:keys-token-revoke", args=[row.pk]))
    assert ApiToken.objects.user_of(f"assay_{token}") is None


def test_the_password_changes_by_the_present_one_and_the_session_stays() -> None:
    user = User.objects.create_user("ada", password="quite a long pass phrase")
    client, elsewhere = entered(user), entered(user)
    new = {"new_password1": "another long pass phrase", "new_password2": "another long pass phrase"}
    assert client.post(reverse("console:keys-password"), {"old_password": "wrong", **new}).status_code == 422
    client.post(reverse("console:keys-password"), {"old_password": "quite a long pass phrase", **new})
    user.refresh_from_db()
    assert user.check_password("another long pass phrase")
    assert client.get("/console/").status_code == 200
    assert elsewhere.get("/console/").status_code == 302


def test_the_log_does_not_name_the_token_of_a_shared_report(client: Client, caplog) -> None:
    answer = client.get("/shared/a-secret-token/")
    assert answer.status_code == 404
    assert "Ask the person who sent it for a new link." in answer.content.decode()
    assert "a-secret-token" not in caplog.text
    assert "/shared/..." in caplog.text


def shown_code(page: str) -> str:
    return re.search(r'name="shown" value="(\w+)"', page)[1]  # type: ignore[index]


def confirm_all(reviewer: Client, study: Study) -> None:
    page = seen(reviewer, "progress-approve-all", study.uuid)
    reviewer.post(reverse("console:progress-approve", args=[study.uuid]), {"shown": shown_code(page)})


def test_approving_all_asks_first_with_the_count_the_sum_and_how_many_are_flagged(study: Study) -> None:
    reviewer = entered(member(study, Role.REVIEWER))
    first = Submission.objects.filter(hit__study=study).order_by("pk").first()
    Flag.objects.filter(submission__hit__study=study).delete()
    Flag.objects.create(submission=first, kind="too_fast", sentence="Too fast.", raised_at=timezone.now())
    # Six submissions at one dollar each.
    assert "Approve all 6 ($6.00)…" in seen(reviewer, "progress", study.uuid)
    asked = seen(reviewer, "progress-approve-all", study.uuid)
    assert "Approve 6 submissions ($6.00)" in asked
    assert re.search(r"Of these flagged</dt><dd>\s*<span class=.warn.>1</span>", asked)
    reviewer.post(reverse("console:progress-approve", args=[study.uuid]))
    assert not Decision.objects.exists()


def test_what_is_confirmed_is_what_was_shown_or_it_is_asked_again(study: Study) -> None:
    reviewer, other = (entered(member(study, Role.REVIEWER, name)) for name in ("rita", "rolf"))
    before = shown_code(seen(reviewer, "progress-approve-all", study.uuid))
    late = Submission.objects.filter(hit__study=study).order_by("pk").last()
    copy = Submission.objects.get(pk=late.pk)
    copy.pk, copy.market_id, copy.worker = None, "3LATE", Worker.objects.create(pseudonym="late")
    copy.save()
    again = reviewer.post(reverse("console:progress-approve", args=[study.uuid]), {"shown": before})
    assert (again.status_code, Decision.objects.count()) == (409, 0)
    page = again.content.decode()
    assert "Nothing was approved" in page
    assert "Approve 7 submissions ($7.00)" in page
    # A flag that is raised meanwhile changes what was shown, too.
    Flag.objects.create(submission=copy, kind="pasted", sentence="Pasted.", raised_at=timezone.now())
    again = reviewer.post(reverse("console:progress-approve", args=[study.uuid]), {"shown": shown_code(page)})
    assert (again.status_code, Decision.objects.count()) == (409, 0)
    confirm_all(other, study)
    assert Decision.objects.filter(matter="payment", verdict="approve").count() == 7


def test_approving_all_can_be_taken_back(study: Study) -> None:
    reviewer = entered(member(study, Role.REVIEWER))
    confirm_all(reviewer, study)
    waiting = Intent.objects.filter(study=study, kind="approve")
    assert waiting.count() == Decision.objects.count() == 6
    assert all(one.not_before > timezone.now() + timedelta(minutes=9) for one in waiting)
    assert "Undo my decisions" in seen(reviewer, "progress", study.uuid)
    reviewer.post(reverse("console:progress-undo", args=[study.uuid]))
    assert Decision.objects.count() == 0
    assert set(Intent.objects.values_list("state", flat=True)) == {"dropped"}


def test_every_format_is_made_by_a_button_beside_the_files(study: Study, settings: Any) -> None:
    client = entered(member(study, Role.REVIEWER))
    for browser, printed in (("", []), ("/usr/bin/chromium", ["pdf"])):
        settings.CHROMIUM = browser
        unblind(study, actor="ada", now=timezone.now())
        assert 'name="every"' in seen(client, "exports", study.uuid)
        client.post(reverse("console:results-compute", args=[study.uuid]), {"every": "1"})
        asked = Job.objects.filter(kind="report").order_by("-pk")[0]
        assert sorted(asked.settings["formats"]) == sorted(["html", "json", "csv", "latex", "zip", *printed])


def test_results_are_computed_for_these_raters_where_they_are_chosen(study: Study) -> None:
    client = entered(member(study, Role.REVIEWER))
    unblind(study, actor="ada", now=timezone.now())
    for chosen, stored in (("these", {"raters": "these"}), ("everybody", {})):
        client.post(reverse("console:results-compute", args=[study.uuid]), {"raters": chosen})
        assert Job.objects.filter(kind="report").order_by("-pk")[0].settings == stored


def test_a_sum_in_the_log_is_money_and_a_rule_has_its_name(study: Study) -> None:
    now, told = timezone.now(), {"reward": 140, "fee": 28, "intent": "0f3a", "reserved_cents": 2688}
    AuditEvent.objects.record(study, "pay", actor="ada", now=now, **told)
    AuditEvent.objects.record(study, "fix_rules", actor="ada", now=now, rules=[["one_answer", None], ["pasted", 0.4]])
    page = seen(entered(member(study, Role.OWNER)), "activity")
    for words in ("fee: $0.28", "reward: $1.40", "reserved: $26.88", "rules: One answer, "):
        assert words in page, words
    assert "0f3a" not in page


def test_wages_come_behind_the_page_and_stand_alone_without_script(study: Study) -> None:
    viewer = entered(member(study, Role.VIEWER))
    assert "Median seconds" not in seen(viewer, "progress", study.uuid)
    whole = seen(viewer, "running-wages", study.uuid)
    part = viewer.get(reverse("console:running-wages", args=[study.uuid]), headers={"HX-Request": "true"})
    assert "Median seconds" in whole
    assert "<html" in whole
    assert "<html" not in part.content.decode()


def test_activity_tells_of_ones_own_studies(study: Study) -> None:
    state(study, "ethics", "Board 7.", actor="olga", now=timezone.now())
    assert "olga" in seen(entered(member(study, Role.VIEWER)), "activity")
    assert "olga" not in seen(entered(User.objects.create_user("stan")), "activity")


def test_every_deed_of_the_log_has_words() -> None:
    """Verbs that are written as such where an event is recorded; a log that says "settle prolific" says nothing."""
    files = [file.read_text(encoding="utf-8") for file in Path(annotation.__file__).parent.rglob("*.py")]
    calls = [call for file in files if "AuditEvent.objects.record" in file for call in ast.walk(ast.parse(file))]
    verbs = {
        str(call.args[1].value)
        for call in calls
        if isinstance(call, ast.Call)
        and ast.unparse(call.func) == "AuditEvent.objects.record"
        and isinstance(call.args[1], ast.Constant)
    }
    assert len(verbs) > 60
    assert verbs - DEEDS.keys() == set()
