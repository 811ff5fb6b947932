"""Studies compared by the command, the console and the API; a comparison shared by a link that can be revoked."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from annotation.accounts.models import User
from annotation.jobs.run import run_due
from annotation.models import Job, Membership, Scale, ScaleLabel, ShareLink, Study, WorkerIdentity
from annotation.studies.create import Plan, create
from tests.annotation.importing import batches

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 21, tzinfo=UTC)


@pytest.fixture
def studies(tmp_path: Path, settings) -> list[Study]:
    settings.VAR, settings.CHROMIUM = tmp_path / "var", ""
    for name, workers in (("small", 6), ("large", 7)):
        rows = batches.rows(workers=workers)
        path = batches.written(tmp_path / f"{name}.csv", rows)
        call_command("import_batch", path, study=name)
    return list(Study.objects.order_by("pk"))


@pytest.fixture
def member(studies: list[Study]) -> Callable[..., Client]:
    def signed_in(*roles: str, name: str = "ada") -> Client:
        user = User.objects.create_user(name)
        for study, role in zip(studies, roles, strict=False):
            Membership.objects.create(study=study, user=user, role=role)
        client = Client()
        client.force_login(user)
        return client

    return signed_in


def ask(client: Client, studies: list[Study]) -> Job:
    answer = client.post("/console/compare/", {"studies": [str(one.uuid) for one in studies]})
    assert answer.status_code == 302, answer.content.decode()
    run_due()
    job = Job.objects.get(kind="comparison")
    assert job.state == "done", job.problem
    return job


def test_the_command_compares_the_studies_it_is_given(studies: list[Study], tmp_path: Path) -> None:
    call_command("report", "small", "large", out=tmp_path / "out", format="html,json,csv")
    told = json.loads((tmp_path / "out" / "comparison.json").read_text(encoding="utf-8"))
    assert [one["study"]["name"] for one in told["studies"]] == ["small", "large"]
    assert told["reproducibility"]["command"] == "manage.py report small large --out DIR --seed 0 --level 0.95"
    for study in studies:
        facts = study.audit.get(verb="export_comparison").facts
        given = next(one for one in told["studies"] if one["study"]["name"] == study.name)
        assert facts == {"studies": 2, "data_sha256": given["data_sha256"]}


def test_nobodys_worker_id_is_in_a_comparison(studies: list[Study], tmp_path: Path) -> None:
    call_command("report", "small", "large", out=tmp_path / "out", format="html,json,csv,latex,zip")
    secrets = list(WorkerIdentity.objects.values_list("external_id", flat=True))
    assert secrets
    for path in (tmp_path / "out").iterdir():
        content = path.read_bytes()
        assert not any(secret.encode() in content for secret in secrets), path.name


def test_a_stranger_to_one_of_them_compares_nothing(studies: list[Study], member, tmp_path: Path) -> None:
    client = member("owner")
    with pytest.raises(CommandError, match="large on which ada may do this"):
        call_command("report", "small", "large", out=tmp_path / "out", as_user="ada")
    answer = client.post("/console/compare/", {"studies": [str(one.uuid) for one in studies]})
    assert answer.status_code == 422
    assert not Job.objects.exists()


def test_results_that_nobody_looked_at_are_not_offered(studies: list[Study], member) -> None:
    client = member("owner", "owner")
    hidden = create("hidden", mode="rehearsal", plan=Plan(), actor="ada", now=NOW)
    Membership.objects.create(study=hidden, user=User.objects.get(), role="owner")
    page = client.get("/console/compare/").content.decode()
    assert str(hidden.uuid) in page  # as a link to its results, where a warning comes first
    assert f'value="{hidden.uuid}"' not in page
    assert f'value="{studies[0].uuid}"' in page


def test_a_job_reads_no_study_that_who_asked_may_no_longer_see(studies: list[Study], member) -> None:
    client = member("reviewer", "reviewer")
    client.post("/console/compare/", {"studies": [str(one.uuid) for one in studies]})
    Membership.objects.filter(study=studies[1]).delete()
    run_due()
    job = Job.objects.get()
    assert job.state == "failed"
    assert "may not look at the results of every one" in job.problem


def test_a_comparison_is_for_who_asked_for_it_while_all_its_studies_are_seen(studies: list[Study], member) -> None:
    client, other = member("reviewer", "reviewer"), member("owner", "owner", name="bea")
    job = ask(client, studies)
    address = reverse("console:job-file", args=[job.uuid, "comparison.html"])
    assert client.get(reverse("console:job", args=[job.uuid])).status_code == 200
    page = client.get(f"{address}?look")
    assert page.status_code == 200
    assert b"small and large" in b"".join(page)
    assert other.get(address).status_code == 404
    Membership.objects.filter(study=studies[1], user__username="ada").delete()
    assert client.get(address).status_code == 404


def test_a_report_and_a_comparison_are_shared_by_links_of_the_console(studies: list[Study], member) -> None:
    client = member("editor", "editor")
    job = ask(client, studies)
    page = client.post(reverse("console:job-links", args=[job.uuid]), {"days": 7}).content.decode()
    path = re.search(r"/shared/[^/<]+/", page)
    assert path
    shared = Client().get(path[0])
    assert shared.status_code == 200
    assert b"small and large" in shared.content
    assert [one.audit.filter(verb="share").count() for one in studies] == [1, 1]
    link = ShareLink.objects.get()
    assert path[0].split("/")[2] not in (link.digest, str(link.pk))
    client.post(reverse("console:job-unlink", args=[job.uuid, link.pk]))
    assert Client().get(path[0]).status_code == 404


def test_a_comparison_is_computed_and_shared_from_the_command_line_alone(studies: list[Study], capsys) -> None:
    call_command("share", "small", "large", new=True)
    path = "/shared/" + capsys.readouterr().out.strip().partition("/shared/")[2]
    assert b"small and large" in Client().get(path).content
    call_command("share", "large", "small", new=True)  # the same two: nothing is computed again
    assert Job.objects.count() == 1
    capsys.readouterr()
    call_command("share", "small", "large")
    first, second = (int(line.split()[0]) for line in capsys.readouterr().out.splitlines())
    call_command("share", "small", "large", revoke=first)
    assert Client().get(path).status_code == 404
    assert ShareLink.objects.get(pk=second).revoked_at is None


def test_a_report_is_computed_and_shared_from_the_command_line_alone(studies: list[Study], capsys) -> None:
    call_command("share", "small", new=True)
    path = "/shared/" + capsys.readouterr().out.strip().partition("/shared/")[2]
    assert b"small" in Client().get(path).content


def test_who_edits_one_of_two_studies_shares_no_comparison_of_them(studies: list[Study], member) -> None:
    member("editor", "reviewer")
    with pytest.raises(CommandError, match="large on which ada may do this"):
        call_command("share", "small", "large", new=True, as_user="ada")
    assert not Job.objects.exists()


def test_a_comparison_tells_where_it_is_read_how_scales_differ(studies: list[Study], member) -> None:
    label = studies[1].scale.labels.order_by("pk").first()
    copy = Scale.objects.create(name="another")
    for one in studies[1].scale.labels.order_by("pk"):
        ScaleLabel.objects.create(scale=copy, label=f"{one.label}!" if one == label else one.label, code=one.code)
    Study.objects.filter(pk=studies[1].pk).update(scale=copy)
    client = member("reviewer", "reviewer")
    job = ask(client, studies)
    told = client.get(reverse("console:job", args=[job.uuid])).content.decode()
    assert "The scales of “large” and “small” have different labels" in told
    assert any("have different labels" in sentence for sentence in job.outcome["warnings"])


def test_a_reviewer_of_one_of_them_shares_nothing(studies: list[Study], member) -> None:
    client = member("editor", "reviewer")
    job = ask(client, studies)
    assert client.post(reverse("console:job-links", args=[job.uuid])).status_code == 403
    assert not ShareLink.objects.exists()


def test_the_first_look_by_command_is_warned_of_and_noted(studies: list[Study], tmp_path: Path) -> None:
    Study.objects.filter(pk=studies[0].pk).update(mode="rehearsal")
    Membership.objects.create(study=studies[0], user=User.objects.create_user("vera"), role="viewer")
    with pytest.raises(CommandError, match="vera may do this"):
        call_command("report", "small", out=tmp_path / "out", format="json", as_user="vera")
    assert not studies[0].audit.filter(verb="unblind").exists()
    first, second = io.StringIO(), io.StringIO()
    call_command("report", "small", out=tmp_path / "out", format="json", stderr=first)
    assert "the results of small are no longer blinded" in first.getvalue()
    assert studies[0].audit.get(verb="unblind").actor == "command line"
    call_command("report", "small", out=tmp_path / "out", format="json", stderr=second)
    assert "no longer blinded" not in second.getvalue()
    call_command("report", "small", out=tmp_path / "out", format="json", as_user="vera")
