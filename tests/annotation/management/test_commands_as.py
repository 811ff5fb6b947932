"""`--as USER`: every command on a study acts in somebody's name, with the role that the console asks for."""

from __future__ import annotations

import argparse
import contextlib
import io
import pkgutil
import re
from importlib import import_module
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.core.management.base import BaseCommand
from django.utils import timezone

from annotation.accounts.models import ApiToken, User
from annotation.management import commands
from annotation.management.commands._study import StudyCommand
from annotation.models import Decision, Job, Membership, Reply, Role, Study, Submission, Worker
from tests.annotation.review.factories import NOW, make, member

pytestmark = pytest.mark.django_db

# These have no person behind them, or whoever runs the installation: the loop, the server, prices of no study.
NOBODYS = {
    "account_address",
    "work",
    "serve",
    "plan",
    "plan_decision",
    "tokens",
    "backup",
    "restore",
    "doctor",
    "import_workers",
    "person",
    "processing_record",
}
# These are about batches, which are of no study.
OF_BATCHES = {"batches"}
# These make a study of their own: whoever acts will own it.
MAKERS = {"import_batch", "import_ratings", "import_report", "import_texts", "new_study"}
# Former names of commands, which stay for one release, and what each is called now.
RENAMED = {
    "arrange": "set_conditions",
    "compare": "reconcile",
    "expire": "stop_recruitment",
    "read_by_model": "score_by_model",
    "scoring": "scoring_status",
    "state": "set_details",
}
# What else a command cannot do without, and the role that it then asks for.
NEEDED: dict[str, tuple[list[str], Role]] = {
    "approve": (["--yes"], Role.REVIEWER),
    "archive": ([], Role.OWNER),
    "attach_scores": (["x"], Role.EDITOR),
    "audit": ([], Role.VIEWER),
    "block": (["w1", "--lift"], Role.OWNER),
    "close": ([], Role.EDITOR),
    "collect": ([], Role.EDITOR),
    "configure": (["--set", "question=x"], Role.EDITOR),
    "decide": (["A1", "--approve"], Role.REVIEWER),
    "detect": (["--model", "x", "--threshold", "2"], Role.EDITOR),
    "duplicate": (["copied"], Role.VIEWER),
    "exclusions": ([], Role.EDITOR),
    "fair_pay": (["--pay"], Role.OWNER),
    "hold": (["w1", "--lift"], Role.EDITOR),
    "nnd_from_study": (["--out", "x"], Role.VIEWER),
    "notify": (["--everybody", "--subject", "x", "--text", "x"], Role.EDITOR),
    "outbox": (["--retry"], Role.EDITOR),
    "pause": ([], Role.EDITOR),
    "people": (["--give", "x", "viewer"], Role.OWNER),
    "preflight": (["--offline"], Role.VIEWER),
    "release": (["--out", "x"], Role.OWNER),
    "ethics_pack": (["--answer", "risks=None."], Role.EDITOR),
    "preregister": ([], Role.EDITOR),
    "preview": (["--out", "x"], Role.VIEWER),
    "publish": (["--yes"], Role.OWNER),
    "reconcile": (["--adopt"], Role.EDITOR),
    "recruit": (["link"], Role.EDITOR),
    "replicate": (["again"], Role.REVIEWER),
    "rename": (["called-otherwise"], Role.OWNER),
    "reparse": ([], Role.EDITOR),
    "report": (["--out", "x"], Role.VIEWER),
    "resume": ([], Role.EDITOR),
    "retention": (["2099-06-30"], Role.OWNER),
    "retrieve_texts": (["--training", "x"], Role.EDITOR),
    "rules": (["--apply", "1"], Role.EDITOR),
    "sample_texts": (["--model", "x", "--generator", "x"], Role.EDITOR),
    "score_texts": (["--model", "x"], Role.EDITOR),
    "score_by_model": (["--model", "x", "--out", "x"], Role.EDITOR),
    "scoring_status": ([], Role.VIEWER),
    "select_texts": (["--pairs"], Role.EDITOR),
    "set_conditions": (["--clark"], Role.EDITOR),
    "set_details": (["ethics", "x"], Role.EDITOR),
    "share": ([], Role.EDITOR),
    "stop_recruitment": ([], Role.EDITOR),
    "training_items": (["--add", "instructions", "--text", "x"], Role.EDITOR),
    "top_up": ([], Role.EDITOR),
    "unblind": ([], Role.REVIEWER),
    "withdraw": ([], Role.EDITOR),
}


@pytest.fixture
def study(db: None) -> Study:
    return make(workers=2, hits=1, texts=4, straight=0, now=timezone.now())


def told(*words: str) -> str:
    out = io.StringIO()
    call_command(*words, stdout=out, stderr=out)
    return out.getvalue()


def every_command() -> dict[str, BaseCommand]:
    names = [one.name for one in pkgutil.iter_modules(commands.__path__) if not one.name.startswith("_")]
    return {name: import_module(f"{commands.__name__}.{name}").Command() for name in names}


def words(name: str, study: str) -> list[str]:
    """Study and all that is needed, as they stand behind the command's name."""
    more = NEEDED[name][0]
    return ["set", study, *more] if name == "retention" else [study, *more]


@pytest.mark.database
def test_every_command_on_a_study_takes_a_name() -> None:
    found = every_command()
    assert set(found) == NOBODYS | OF_BATCHES | MAKERS | set(NEEDED) | set(RENAMED)
    without = set()
    for name, command in found.items():
        parser: argparse.ArgumentParser = command.create_parser("manage.py", name)
        if "--as" not in parser.format_help() and name not in {*NOBODYS, *OF_BATCHES, "retention"}:
            without.add(name)
    assert without == set()


@pytest.mark.parametrize("name", sorted(NEEDED))
def test_too_small_a_role_is_refused(study: Study, name: str) -> None:
    order = [Role.VIEWER, Role.REVIEWER, Role.EDITOR, Role.OWNER]
    member(study, Role.OWNER, "olga")
    User.objects.create_user("stan")
    before = study.audit.count()
    for role in [None, *order[: order.index(NEEDED[name][1])]]:
        if role is not None:
            Membership.objects.update_or_create(
                study=study, user=User.objects.get(username="stan"), defaults={"role": role}
            )
        with pytest.raises(CommandError, match="There is no study called judged on which stan may do this"):
            told(name, *words(name, "judged"), "--as", "stan")
    with pytest.raises(CommandError, match="no active user named 'nobody'"):
        told(name, *words(name, "judged"), "--as", "nobody")
    assert study.audit.count() == before


@pytest.mark.parametrize(
    ("name", "verb"), [("pause", "pause"), ("unblind", "unblind"), ("set_details", "state"), ("retention", "configure")]
)
def test_the_log_names_who_acted(study: Study, name: str, verb: str) -> None:
    member(study, Role.OWNER, "olga")
    told(name, *words(name, "judged"), "--as", "olga")
    assert study.audit.get(verb=verb).actor == "olga"


@pytest.mark.usefixtures("called_once")
@pytest.mark.parametrize(("former", "name"), RENAMED.items())
def test_a_former_name_runs_the_command_and_names_the_new_one(study: Study, former: str, name: str) -> None:
    command = every_command()[former]
    assert isinstance(command, type(every_command()[name]))
    member(study, Role.OWNER, "olga")
    for called in (former, name):
        out, errors = io.StringIO(), io.StringIO()
        with contextlib.suppress(CommandError):
            call_command(called, *words(name, "judged"), "--as", "olga", stdout=out, stderr=errors)
        notice = f"`manage.py {former}` is now called `manage.py {name}`." if called == former else ""
        assert errors.getvalue().strip() == notice


def test_a_former_name_does_what_the_command_does(study: Study) -> None:
    told("state", "judged", "ethics", "Board 7.")
    assert study.statements.get().body == "Board 7."
    assert told("scoring", "judged").splitlines() == [
        "`manage.py scoring` is now called `manage.py scoring_status`.",
        "No scoring of judged was queued.",
    ]


def test_whoever_makes_a_study_owns_it() -> None:
    User.objects.create_user("ada")
    told("new_study", "mine", "--as", "ada")
    made = Study.objects.get(name="mine")
    assert (made.memberships.get().user.username, made.audit.get().actor) == ("ada", "ada")


def test_work_is_decided_on_by_two_people_from_the_command_line(study: Study) -> None:
    for name in ("rita", "rolf"):
        member(study, Role.REVIEWER, name)
    one, other = Submission.objects.filter(hit__study=study).order_by("pk").values_list("market_id", flat=True)
    reason = "One label was given for all of the texts of this HIT."
    told("decide", "judged", one, "--propose", reason, "--as", "rita")
    with pytest.raises(CommandError, match="second reviewer"):
        told("decide", "judged", one, "--second", "--as", "rita")
    told("decide", "judged", one, "--second", "--as", "rolf")
    told("decide", "judged", other, "--approve", "--as", "rita")
    told("decide", "judged", other, "--leave-out", "Answered in seconds.", "--as", "rita")
    verdicts = set(Decision.objects.values_list("submission__market_id", "verdict", "actor__username"))
    assert verdicts == {(one, "reject", "rolf"), (other, "approve", "rita"), (other, "exclude", "rita")}
    told("decide", "judged", other, "--undo", "--as", "rita")
    assert not Decision.objects.filter(verdict="approve").exists()
    with pytest.raises(CommandError, match="--as USER"):
        told("decide", "judged", other, "--approve")
    told("decide", "judged", one, "--reply", "I read them all.", "--as", "rita")
    told("decide", "judged", one, "--uphold", "--as", "rolf")
    assert Reply.objects.get().heeded_by.username == "rolf"


def test_settings_are_shown_and_changed_while_the_study_is_a_draft(study: Study) -> None:
    told("new_study", "mine")
    assert "texts_per_hit=7" in told("configure", "mine", "--set", "texts_per_hit=7", "--set", "country=")
    with pytest.raises(CommandError, match="is published; its settings are fixed"):
        told("configure", "judged", "--set", "texts_per_hit=7")
    assert '"schema_version"' in told("configure", "mine", "--print-wording")


def test_people_get_roles_and_the_last_owner_stays(study: Study) -> None:
    member(study, Role.OWNER, "olga")
    User.objects.create_user("vera")
    assert "vera  viewer" in told("people", "judged", "--give", "vera", "viewer", "--as", "olga")
    with pytest.raises(CommandError, match="at least one owner"):
        told("people", "judged", "--remove", "olga", "--as", "olga")


def test_approving_all_says_what_and_asks_first(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    member(study, Role.REVIEWER, "rita")
    with pytest.raises(CommandError, match=r"Nothing was approved\. .* add --yes \w{16}$") as asked:
        told("approve", "judged", "--as", "rita")
    code = str(asked.value).rsplit(" ", 1)[1]
    assert not Decision.objects.exists()
    waiting = Submission.objects.filter(hit__study=study)
    told("decide", "judged", waiting[0].market_id, "--approve", "--as", "rita")
    with pytest.raises(CommandError, match="has changed since it was shown"):
        told("approve", "judged", "--as", "rita", "--yes", code)
    assert Decision.objects.count() == 1
    said = told("approve", "judged", "--as", "rita", "--yes")
    n = waiting.count() - 1
    assert f"{n} submissions to decide: ${n}.00 in rewards" in said
    assert Decision.objects.count() == 1 + n


def test_the_papers_rules_are_switched_on_by_their_name(study: Study) -> None:
    assert "short_reasons" not in told("rules", "judged", "--fix", "ours", "--set", "default")
    line = told("rules", "judged", "--fix", "as published", "--set", "papers", "--rule", "pasted=0.7").splitlines()[-1]
    assert line.startswith("2  as published: ")
    assert {"short_reasons", "repeated_reasons", "other_language", "pasted=0.7"} <= set(re.split(r"[ ,]+", line))


def test_rules_are_fixed_and_applied(study: Study) -> None:
    assert "1  strict: incomplete (blind; not applied)" in told(
        "rules", "judged", "--fix", "strict", "--rule", "incomplete"
    )
    assert "0 submissions excluded" in told("rules", "judged", "--apply", "1")
    with pytest.raises(CommandError, match="no quality check called nonsense"):
        told("rules", "judged", "--fix", "x", "--rule", "nonsense")


def test_tokens_are_printed_once(study: Study) -> None:
    User.objects.create_user("ada")
    token = told("tokens", "ada", "--new", "nightly").splitlines()[0]
    assert ApiToken.objects.user_of(token)
    listed = told("tokens", "ada")
    assert token not in listed
    assert "nightly" in listed
    told("tokens", "ada", "--revoke", listed.split()[0])
    assert ApiToken.objects.user_of(token) is None


def test_the_latest_report_is_shared_and_unshared(study: Study, client: Any, settings: Any, tmp_path: Any) -> None:
    settings.VAR = tmp_path
    gone = Submission.objects.get(hit__study=make(workers=1, hits=1, texts=1, name="gone"))
    Decision.objects.create(submission=gone, matter="analysis", verdict="exclude", reason="x", at=NOW)
    with pytest.raises(CommandError, match="none can be created: "):
        told("share", "gone", "--new")
    job = Job.objects.create(
        study=study, kind="report", state="done", created_at=NOW, finished_at=NOW, outcome={"files": ["report.html"]}
    )
    (tmp_path / "jobs" / str(job.uuid)).mkdir(parents=True)
    (tmp_path / "jobs" / str(job.uuid) / "report.html").write_text("<h1>A report</h1>")
    assert not study.audit.filter(verb="unblind").exists()
    link = told("share", "judged", "--new").strip()
    assert study.audit.filter(verb="unblind").exists()
    assert b"A report" in client.get(link.partition("8000")[2]).content
    told("share", "judged", "--revoke", told("share", "judged").split()[0])
    assert client.get(link.partition("8000")[2]).status_code == 404


def test_a_person_is_held_out_of_new_studies(study: Study) -> None:
    member(study, Role.EDITOR, "eve")
    worker = Worker.objects.first()
    told("hold", "judged", worker.pseudonym, "--until", "2099-01-01", "--reason", "Shared a device.", "--as", "eve")
    assert worker.holds.get().actor.username == "eve"
    told("hold", "judged", worker.pseudonym, "--lift", "--as", "eve")
    assert worker.holds.get().lifted_at


def test_commands_share_one_base() -> None:
    plain = {name for name, one in every_command().items() if not isinstance(one, StudyCommand)}
    assert plain == NOBODYS | OF_BATCHES | MAKERS | {"audit", "report", "retention"}
