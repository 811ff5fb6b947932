"""What each role on a study may do, in words. A test holds every sentence to what the pages and the web API allow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy as _

from annotation.models import Role
from annotation.studies.access import RANKS


@dataclass(frozen=True, slots=True)
class RoleDeed:
    """Something that `role` and the roles above it may do. pages: names of the console's addresses at which it is done;
    a name that ends with a dash stands for all that begin with it."""

    role: Role
    label: Any
    pages: tuple[str, ...]


ROLE_DEEDS = (
    RoleDeed(
        Role.VIEWER,
        _("See texts, design, progress, quality checks, results, members and the log"),
        (
            "overview",
            "manage",
            "texts",
            "design",
            "design-precision",
            "design-training",
            "design-training-example",
            "design-training-export",
            "design-training-preview",
            "preview",
            "plan",
            "plan-file",
            "ethics",
            "ethics-language",
            "ethics-file",
            "recruit",
            "publish",
            "publish-check",
            "progress",
            "running-wages",
            "running-compare",
            "results",
            "results-exclusions",
            "results-nnd",
            "results-h",
            "exports",
            "exports-statements",
            "exports-scores",
            "people",
            "log",
            "quality",
            "quality-outcome",
            "quality-rules",
        ),
    ),
    RoleDeed(Role.VIEWER, _("Duplicate the study as a new study"), ("manage-copy",)),
    RoleDeed(Role.REVIEWER, _("Repeat the study as a new study"), ("manage-repeat",)),
    RoleDeed(
        Role.REVIEWER,
        _("Approve submissions, which pays the reward, and propose or confirm rejections"),
        ("progress-approve-all", "progress-approve", "progress-undo", "review", "review-"),
    ),
    RoleDeed(
        Role.REVIEWER,
        _("See the pages of workers and exclude submissions from the analysis"),
        ("workers", "workers-page", "workers-look", "workers-retention", "workers-processing", "review-analysis"),
    ),
    RoleDeed(Role.REVIEWER, _("Code explanations"), ("coding", "coding-code", "coding-settle")),
    RoleDeed(
        Role.REVIEWER,
        _("Unblind results and create reports"),
        ("results-reveal", "results-compute", "results-exclusions-compute", "results-nnd-build", "results-h-score"),
    ),
    RoleDeed(
        Role.EDITOR, _("Change texts, design, task text and study details"), ("texts-", "design-", "results-missing")
    ),
    RoleDeed(
        Role.EDITOR,
        _("Answer, seal and amend the plan, and answer the ethics pack"),
        ("plan-save", "plan-seal", "ethics-save"),
    ),
    RoleDeed(
        Role.EDITOR,
        _("Open, change and close channels, invite people and see who was invited"),
        ("recruit-",),
    ),
    RoleDeed(
        Role.EDITOR,
        _("Check the study, and pause, top up and close it once it is published"),
        ("publish-recheck", "progress-crowd", "running-mend", "running-act"),
    ),
    RoleDeed(Role.EDITOR, _("Run quality checks and apply exclusion rules"), ("quality-",)),
    RoleDeed(
        Role.EDITOR,
        _("Write to workers and exclude them from future studies"),
        ("workers-write-all", "workers-write", "workers-hold", "workers-lift"),
    ),
    RoleDeed(Role.EDITOR, _("Edit codebooks and attach files of scores"), ("coding-book", "exports-scores-away")),
    RoleDeed(
        Role.OWNER,
        _("Publish the study, which reserves its budget, and pay bonuses"),
        ("publish-confirm", "publish-name", "publish-prolific", "publish-prolific-", "running-pay"),
    ),
    RoleDeed(Role.OWNER, _("Block workers"), ("workers-block", "workers-unblock")),
    RoleDeed(
        Role.OWNER,
        _("Create payout files, which hold names and addresses of participants"),
        ("workers-payouts", "workers-payouts-"),
    ),
    RoleDeed(
        Role.OWNER,
        _("Change the retention date of a published study, and delete IDs of participants"),
        ("workers-retention-date", "workers-retention-delete"),
    ),
    RoleDeed(
        Role.OWNER,
        _("Create public releases, and store who does not share their answers"),
        ("exports-release", "exports-release-"),
    ),
    RoleDeed(Role.OWNER, _("Invite, change and remove members"), ("people-",)),
    RoleDeed(
        Role.OWNER,
        _("Rename and archive the study"),
        ("manage-rename", "manage-archive", "manage-unarchive"),
    ),
)


def deeds_of(role: Role) -> list[RoleDeed]:
    """Return what this role may do and the roles below it may not."""
    return [deed for deed in ROLE_DEEDS if deed.role == role]


def roles_described() -> list[tuple[Role, list[RoleDeed]]]:
    """Return the roles, the smallest first, each with what it adds to the one before."""
    return [(role, deeds_of(role)) for role in sorted(Role, key=lambda role: RANKS[role])]
