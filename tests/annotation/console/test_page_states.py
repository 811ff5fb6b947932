"""What stands on each page of the console while there is nothing yet, while a job runs, when it failed, and at the end.

Each row is a page and every notice on it, in their order; what is not in a row must not stand there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from inspect import getclosurevars
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, reverse
from django.utils import timezone
from lxml import html

from annotation.accounts.models import User
from annotation.console.templatetags import console
from annotation.console.templatetags.console import COUNTED
from annotation.console.urls import urlpatterns
from annotation.models import Job, Likelihood, Role, Study
from annotation.quality.assess import assess
from annotation.quality.rules import Rule
from annotation.review.exclude import apply_rules, fix_rules
from annotation.studies.unblind import unblind
from tests.annotation.console import test_overview as states
from tests.annotation.console.test_browser import names

pytestmark = pytest.mark.django_db

Notices = list[tuple[str, str]]
KINDS = ("error", "warning", "success")
BLIND = ("empty", "Results are blinded")
UNRATED = ("empty", "No submissions yet")
BLINDLY = ("success", "Results are blinded. Rules that you lock now")
UNTENDED = ("warning", "The work loop does not seem to run")
NO_LOG_P = ("notice", "Some texts have no log-probability")

EMPTY: dict[str, Notices] = {
    "overview": [("next step", "Next step The study has no texts yet.")],
    "texts": [("empty", "No texts yet")],
    "texts-select": [("empty", "No texts yet")],
    "texts-log-probs": [("empty", "No generator yet")],
    "recruit": [("empty", "Simulated participants")],
    "preview": [("empty", "No tasks yet")],
    "publish": [("empty", "No tasks yet")],
    "progress": [("empty", "Not published yet")],
    "running-compare": [("empty", "Not published yet")],
    "progress-approve-all": [("empty", "Nothing to approve")],
    "review": [("empty", "No submissions to review")],
    "review-people": [("empty", "No raters to review")],
    "workers": [("empty", "No raters yet")],
    "quality": [("empty", "Nothing to check yet"), BLINDLY],
    "coding": [("empty", "No explanations yet")],
    "results": [UNRATED],
    "results-exclusions": [UNRATED],
    "results-nnd": [UNRATED],
    "results-h": [("empty", "No texts yet")],
    "exports": [("empty", "No files yet")],
    "exports-scores": [("empty", "No file yet")],
    "exports-release": [("warning", "The results are blinded"), ("empty", "No release yet")],
    "workers-payouts": [("empty", "No payouts due")],
    "workers-retention": [UNTENDED],
    "everybody": [("empty", "No workers yet")],
    "findings": [("empty", "No results yet")],
    "compare": [("empty", "Nothing to compare yet")],
    "money-payouts": [("empty", "No payouts due")],
}
# Of somebody without a study.
NEWCOMER: dict[str, Notices] = {
    "studies": [],
    "activity": [("empty", "No activity yet")],
    "money": [("empty", "No money yet")],
    "batches": [("empty", "No batches yet")],
    "everybody": [("empty", "No workers yet")],
    "everybody-retention": [UNTENDED, ("empty", "No study yet")],
}
# The job, its page, and the sentence while it runs.
JOBS: list[tuple[Job.Kind, str, str]] = [
    (Job.Kind.REPORT, "results", "Computing results."),
    (Job.Kind.EXCLUSIONS, "results-exclusions", "Computing."),
    (Job.Kind.NND_RUN, "results-nnd", "Working on near-negative tests."),
    (Job.Kind.H_SCORE, "results-h", "Scoring texts."),
    (Job.Kind.LOG_PROBS, "texts-log-probs", "Computing log-probabilities."),
    (Job.Kind.CHECK_QUALITY, "quality", "Running quality checks."),
]
SUBMITTED: dict[str, Notices] = {
    "overview": [("next step", "Next step 16 submissions are to be reviewed.")],
    "publish": [("notice", "Published.")],
    "progress": [("progress", "")],
    "review": [],
    "workers": [],
    "quality": [("next step", "Next step 16 submissions are not checked yet."), BLINDLY],
    "results": [BLIND],
    "texts-log-probs": [NO_LOG_P],
}
DECIDED: dict[str, Notices] = {
    "review": [("empty", "No submissions to review")],
    "progress-approve-all": [("empty", "Nothing to approve")],
    "quality": [("next step", "Nothing to do Every submission is checked, and the rules strict"), BLINDLY],
}
REPORTED: dict[str, Notices] = {
    "overview": [("next step", "Next step The report is up to date")],
    "results": [],
    "results-exclusions": [("empty", "Nothing computed yet")],
    "exports": [("empty", "No files yet")],
    "findings": [],
    "texts-log-probs": [("success", "Every text has a log-probability")],
}
ENDED: dict[str, Notices] = {
    "overview": [("next step", "Next step The study was closed without a submission.")],
    "quality": [("empty", "Nothing to check yet The study ended without a submission."), BLINDLY],
}
FAILED_TO_PUBLISH: dict[str, Notices] = {
    "overview": [("next step", "Next step 1 marketplace action failed.")],
    "progress": [("progress", ""), ("error", "1 marketplace action failed. Last error"), ("notice", "1 marketplace")],
}
# Pages without a state of their own: forms, which are shown with each of their errors in test_fields.py; lists that
# always have a row; what is shown of one thing that exists; and pages of strangers.
WITHOUT_STATE = {
    "batches-new",
    "batches-batch",
    "batches-hits",
    "everybody-import",
    "everybody-protection",
    "texts-add",
    "texts-columns",
    "design",
    "design-wording",
    "design-wording-upload",
    "design-training",
    "plan",
    "ethics",
    "ethics-language",
    "design-training-add",
    "design-training-edit",
    "design-training-import",
    "design-training-preview",
    "recruit-new",
    "recruit-channel",
    "recruit-edit",
    "recruit-texts",
    "publish-name",
    "publish-prolific",
    "publish-prolific-places",
    "recruit-prolific",
    "recruit-prolific-filters",
    "keys-prolific",
    "running-wages",
    "review-assignment",
    "review-people-card",
    "quality-rules",
    "help",
    "help-page",
    "workers-page",
    "workers-payouts-file",
    "quality-outcome",
    "exports-statements",
    "people",
    "log",
    "manage",
    "keys",
    "keys-colleagues",
    "keys-operation",
    "keys-factor",
    "keys-sessions",
    "keys-accounts",
    "second-factor",
    "provider",
    "provider-return",
    "studies-new",
    "studies-gallery",
    "studies-template",
    "studies-import",
    "studies-ratings",
    "studies-ratings-columns",
    "studies-nnd",
    "studies-h",
    "studies-nnd-job",
    "studies-h-job",
    "job",
    "job-links",
    "sign-in",
    "enter",
    "join",
    "components",
}
# What is no page: parts of pages, files, and addresses that only take what a form sends.
NO_PAGES = {
    "design-precision",
    "design-training-example",
    "design-training-export",
    "design-wording-file",
    "publish-check",
    "recruit-code",
    "recruit-funnel",
    "recruit-needs",
    "figures-sheet",
    "job-file",
    "everybody-processing",
    "workers-processing",
    "plan-file",
    "ethics-file",
    "sign-out",
    "workers-payouts-download",
}


def read_notices(page: str) -> Notices:
    """Everything on a page that says where it stands, by kind, with its words."""
    (main,) = html.fromstring(page).iter("main")
    return [
        (kind, " ".join(" ".join(element.itertext()).split())) for element in main.iter() if (kind := kind_of(element))
    ]


def kind_of(element: Any) -> str:
    classes = str(element.get("class") or "").split()
    if element.tag == "progress":
        return "progress"
    if "notice" in classes:
        return next((kind for kind in KINDS if kind in classes), "notice")
    return next((kind for name, kind in (("empty", "empty"), ("next-step", "next step")) if name in classes), "")


def wrong_pages(client: Client, expected: dict[str, Notices], study: Study | None = None) -> dict[str, Notices]:
    """The pages that say something else, and what they say."""
    wrong = {}
    for name, notices in expected.items():
        parts = [study.uuid] if study and name in STUDY_PAGES else []
        answer = client.get(reverse(f"console:{name}", args=parts))
        shown = read_notices(answer.content.decode())
        same = len(shown) == len(notices) and all(
            kind == shown_kind and words.startswith(start)
            for (kind, start), (shown_kind, words) in zip(notices, shown, strict=True)
        )
        if answer.status_code != 200 or not same:
            wrong[name] = shown
    return wrong


TEMPLATES = Path(str(console.__file__)).parents[1] / "templates"
STUDY_PAGES = {name for name, parts in names(urlpatterns) if set(parts) == {"study_id"}}


@pytest.fixture
def owner(person: Callable[..., Client]) -> Client:
    return person(Role.OWNER)


def latest(study: Study) -> Study:
    """The study that stands for the state: some are made beside the fixture's."""
    return Study.objects.get(name="headlines")


def test_an_empty_study_says_on_each_page_what_will_be_there(study: Study, owner: Client) -> None:
    assert wrong_pages(owner, EMPTY, study) == {}


def test_pages_of_somebody_without_a_study_say_so(client: Client, db: None) -> None:
    client.force_login(User.objects.create_user("newcomer"))
    assert wrong_pages(client, NEWCOMER) == {}


def test_a_page_says_that_its_job_runs_and_why_the_last_one_failed(study: Study, owner: Client) -> None:
    states.add_some_texts(study)
    unblind(study, actor="owner", now=timezone.now())
    unblinded = [("empty", "Nothing to check yet"), ("warning", "Results were unblinded at")]
    always = {"texts-log-probs": [NO_LOG_P], "quality": unblinded}
    for kind, page, running in JOBS:
        job = Job.objects.create(study=study, kind=kind, state="running", created_at=timezone.now())
        expected = {page: [("notice", running), *always.get(page, [])]}
        assert wrong_pages(owner, expected, study) == {}
        Job.objects.filter(pk=job.pk).update(state="failed", problem="Row 3: the text is empty.")
        name = "checks" if kind == Job.Kind.CHECK_QUALITY else "computation"
        failed = ("error", f"The last {name} failed: Row 3: the text is empty.")
        assert wrong_pages(owner, {page: [failed, *always.get(page, [])]}, study) == {}


@pytest.mark.parametrize("page", ["job", "job-links"])
def test_the_pages_of_a_reports_job_stand_among_the_results(study: Study, owner: Client, page: str) -> None:
    job = Job.objects.create(study=study, kind=Job.Kind.REPORT, state="done", created_at=timezone.now())
    html = owner.get(reverse(f"console:{page}", args=[job.uuid])).content.decode()
    assert html.count('aria-current="page">Results</a>') == 2


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        (states.submit, SUBMITTED),
        (states.close_without_a_submission, ENDED),
        (states.fail_to_publish, FAILED_TO_PUBLISH),
    ],
)
def test_exactly_the_notices_of_the_state_are_on_the_pages(
    study: Study, owner: Client, state: Callable[[Study], None], expected: dict[str, Notices]
) -> None:
    state(study)
    assert wrong_pages(owner, expected, latest(study)) == {}


def test_quality_leads_from_checks_to_rules_to_nothing_to_do(study: Study, owner: Client) -> None:
    states.decide(study)
    work = latest(study)
    user = User.objects.get(username="owner")

    def says(sentence: str) -> None:
        assert wrong_pages(owner, {"quality": [("next step", sentence), BLINDLY]}, work) == {}

    assess(work, now=timezone.now())
    says("Next step Every submission is checked. No exclusion rules are locked. Choose exclusion rules")
    rules = fix_rules(work, "strict", [Rule("one_answer")], actor=user, now=timezone.now())
    says(f"Next step The rules {rules} are locked and not applied. Apply rules")
    apply_rules(rules, actor=user, now=timezone.now())
    assert wrong_pages(owner, DECIDED, work) == {}
    work.rule_sets.update(applied_at=states.EARLIER)
    says(f"Next step 16 submissions came after the rules {rules} were applied. Apply rules again")


def test_a_reported_study_has_nothing_left_to_say_but_its_results(study: Study, owner: Client) -> None:
    states.report(study)
    work = latest(study)
    generator = work.generators.get()
    Likelihood.objects.bulk_create(
        Likelihood(text=text, generator=generator, log_prob=-1.0, length=5, length_unit="whitespace")
        for text in work.texts.judged()
    )
    assert wrong_pages(owner, REPORTED, work) == {}


def patterns_of(patterns: Any) -> Iterator[URLPattern]:
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            yield from patterns_of(pattern.url_patterns)
        else:
            yield pattern


def takes_get(pattern: URLPattern) -> bool:
    methods = getclosurevars(pattern.callback).nonlocals.get("request_method_list", ["GET"])
    return "GET" in methods


def test_every_page_is_in_a_table_of_states_or_has_none() -> None:
    tables = (EMPTY, NEWCOMER, SUBMITTED, DECIDED, REPORTED, ENDED, FAILED_TO_PUBLISH)
    covered = {name for table in tables for name in table} | {page for _kind, page, _running in JOBS}
    pages = {str(pattern.name) for pattern in patterns_of(urlpatterns) if takes_get(pattern)}
    assert not covered & WITHOUT_STATE
    assert pages == covered | WITHOUT_STATE | NO_PAGES


def test_every_noun_that_a_page_counts_has_its_plural() -> None:
    pages = "".join(path.read_text(encoding="utf-8") for path in TEMPLATES.rglob("*.html"))
    nouns = set(re.findall(r'counted:"(\w+)"', pages))
    assert len(nouns) > 15
    assert nouns - COUNTED.keys() == set()
