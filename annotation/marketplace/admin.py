"""What an operator sees: everything read-only where money or history is concerned."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from annotation.marketplace.channels.people import state_of
from annotation.marketplace.models import (
    Assignment,
    BonusPayment,
    Channel,
    Consent,
    Document,
    Endpoint,
    Hit,
    HitType,
    LedgerEntry,
    Link,
    Participant,
    QualificationGrant,
    QualificationType,
    Refusal,
    Requester,
    WorkerAccount,
)


class ReadOnlyAdmin(admin.ModelAdmin):
    """Rows that only the marketplace's own steps may write."""

    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Requester)
class RequesterAdmin(ReadOnlyAdmin):
    list_display = ("user", "balance_cents", "created_at")
    list_select_related = ("user",)


@admin.register(HitType)
class HitTypeAdmin(ReadOnlyAdmin):
    list_display = ("type_id", "title", "reward_cents", "requester", "created_at")
    list_select_related = ("requester__user",)
    search_fields = ("type_id", "title")


@admin.register(Hit)
class HitAdmin(ReadOnlyAdmin):
    list_display = ("hit_id", "status", "max_assignments", "pending", "submitted", "completed", "expiration")
    list_filter = ("status",)
    search_fields = ("hit_id", "annotation")


@admin.register(Assignment)
class AssignmentAdmin(ReadOnlyAdmin):
    list_display = ("assignment_id", "state", "worker", "accepted_at", "submitted_at", "deadline")
    list_filter = ("state",)
    list_select_related = ("worker",)
    search_fields = ("assignment_id", "worker__worker_id", "hit__hit_id")


@admin.register(LedgerEntry)
class LedgerEntryAdmin(ReadOnlyAdmin):
    list_display = ("posted_at", "purpose", "account", "requester", "worker", "amount_cents")
    list_filter = ("purpose", "account")
    list_select_related = ("requester__user", "worker")


@admin.register(BonusPayment)
class BonusPaymentAdmin(ReadOnlyAdmin):
    list_display = ("granted_at", "requester", "assignment", "amount_cents", "reason")
    list_select_related = ("requester__user", "assignment")


@admin.register(WorkerAccount)
class WorkerAccountAdmin(admin.ModelAdmin):
    list_display = ("worker_id", "name", "country", "approved_count", "rejected_count", "earned_cents", "active")
    search_fields = ("worker_id", "name")
    fields = (
        "worker_id", "name", "country", "subdivision", "adult", "masters", "active",
        "submitted_count", "approved_count", "rejected_count", "earned_cents", "created_at",
    )  # fmt: skip
    readonly_fields = (
        "worker_id", "submitted_count", "approved_count", "rejected_count", "earned_cents", "created_at",
    )  # fmt: skip

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(QualificationType)
class QualificationTypeAdmin(ReadOnlyAdmin):
    list_display = ("type_id", "name", "requester", "status", "created_at")
    list_select_related = ("requester__user",)


@admin.register(QualificationGrant)
class QualificationGrantAdmin(ReadOnlyAdmin):
    list_display = ("qualification_type", "worker", "value", "status", "granted_at")
    list_select_related = ("qualification_type", "worker")


@admin.register(Endpoint)
class EndpointAdmin(ReadOnlyAdmin):
    list_display = ("name", "transport", "account", "url", "confirmed_at", "closed_at")
    list_select_related = ("account",)


@admin.register(Document)
class DocumentAdmin(ReadOnlyAdmin):
    list_display = (
        "doc_id", "kind", "transport", "destination", "created_at", "attempts", "delivered_at", "given_up_at",
        "last_error",
    )  # fmt: skip
    list_filter = ("transport", "kind")
    search_fields = ("doc_id", "destination")


@admin.register(Channel)
class ChannelAdmin(ReadOnlyAdmin):
    list_display = ("name", "requester", "kind", "study", "opens_at", "closes_at", "closed_at", "retain_until")
    list_filter = ("kind",)
    list_select_related = ("requester__user",)
    search_fields = ("channel_id", "name", "study")


@admin.register(Link)
class LinkAdmin(ReadOnlyAdmin):
    list_display = ("link_id", "channel", "participant", "created_at", "expires_at", "closed_at")
    list_select_related = ("channel", "participant")
    exclude = ("token_hash",)


@admin.register(Participant)
class ParticipantAdmin(ReadOnlyAdmin):
    """How far each has come. What is known of a person stands in the vault, which is not shown."""

    list_display = ("participant_id", "channel", "worker", "state", "began_at", "finished_at")
    list_filter = ("channel",)
    list_select_related = ("channel", "worker")
    search_fields = ("participant_id", "code")

    @admin.display(description="state")
    def state(self, row: Participant) -> str:
        return state_of(row)


@admin.register(Consent)
class ConsentAdmin(ReadOnlyAdmin):
    list_display = ("worker", "requester", "channel", "wording", "agreed_at")
    list_select_related = ("worker", "requester__user", "channel", "wording")


@admin.register(Refusal)
class RefusalAdmin(ReadOnlyAdmin):
    list_display = ("on", "requester", "channel", "wording")
    list_select_related = ("requester__user", "channel", "wording")
