"""Read-only windows on studies, work and money. Changes go through the verbs."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from annotation import models


class ReadOnlyAdmin(admin.ModelAdmin):
    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(models.Study)
class StudyAdmin(ReadOnlyAdmin):
    list_display = ("name", "mode", "status", "created_at")
    list_filter = ("mode", "status")


@admin.register(models.Membership)
class MembershipAdmin(admin.ModelAdmin):
    list_display = ("study", "user", "role")
    list_select_related = ("study", "user")


@admin.register(models.Intent)
class IntentAdmin(ReadOnlyAdmin):
    list_display = ("study", "kind", "state", "attempts", "outcome")
    list_filter = ("state", "kind")
    list_select_related = ("study",)


@admin.register(models.Submission)
class SubmissionAdmin(ReadOnlyAdmin):
    list_display = ("market_id", "hit", "worker", "submitted_at")
    list_select_related = ("hit__study", "worker")


@admin.register(models.LedgerEntry)
class LedgerEntryAdmin(ReadOnlyAdmin):
    list_display = ("study", "kind", "cents", "at")
    list_filter = ("kind",)
    list_select_related = ("study",)


@admin.register(models.AuditEvent)
class AuditEventAdmin(ReadOnlyAdmin):
    list_display = ("study", "number", "verb", "actor", "at")
    list_select_related = ("study",)


@admin.register(models.Flag)
class FlagAdmin(ReadOnlyAdmin):
    list_display = ("submission", "kind", "sentence")
    list_select_related = ("submission",)


@admin.register(models.Decision)
class DecisionAdmin(ReadOnlyAdmin):
    list_display = ("submission", "matter", "verdict", "at")
    list_select_related = ("submission",)


@admin.register(models.ScoringJob)
class ScoringJobAdmin(ReadOnlyAdmin):
    list_display = ("study", "generator", "actor", "created_at", "signature")
    list_select_related = ("study", "generator")


@admin.register(models.ScoringChunk)
class ScoringChunkAdmin(ReadOnlyAdmin):
    list_display = ("job", "number", "state", "attempts", "scored", "reused", "kept", "outcome")
    list_filter = ("state",)
    list_select_related = ("job__study", "job__generator")
