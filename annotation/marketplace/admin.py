"""What an operator sees: everything read-only where money or history is concerned."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from annotation.marketplace.invitations.participants import state_of
from annotation.marketplace.models import (
    Assignment,
    BonusPayment,
    Channel,
    Consent,
    CountryStatement,
    Document,
    Endpoint,
    Hit,
    HitType,
    LedgerEntry,
    Link,
    Participant,
    Payout,
    QualificationGrant,
    QualificationType,
    Refusal,
    Requester,
    WorkerAccount,
)

SEE_IDENTITY = "marketplace.see_identity"


class ReadOnlyAdmin(admin.ModelAdmin):
    """Rows that only the marketplace's own steps may write."""

    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class OfWorkerAdmin(ReadOnlyAdmin):
    """Rows of workers: found by worker id, and by name where the operator may see who workers are."""

    worker_path = "worker"

    def get_search_fields(self, request: HttpRequest) -> tuple[str, ...]:
        fields = (*super().get_search_fields(request), f"{self.worker_path}__worker_id")
        return (*fields, f"{self.worker_path}__name") if request.user.has_perm(SEE_IDENTITY) else fields


@admin.register(Requester)
class RequesterAdmin(ReadOnlyAdmin):
    list_display = ("user", "balance_cents", "created_at")
    list_select_related = ("user",)


@admin.register(HitType)
class HitTypeAdmin(ReadOnlyAdmin):
    list_display = ("type_id", "title", "reward_cents", "currency", "requester", "created_at")
    list_select_related = ("requester__user",)
    search_fields = ("type_id", "title")


@admin.register(Hit)
class HitAdmin(ReadOnlyAdmin):
    list_display = (
        "hit_id", "hit_type", "status", "max_assignments", "pending", "submitted", "completed", "held_cents",
        "expiration",
    )  # fmt: skip
    list_filter = ("status",)
    list_select_related = ("hit_type",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Hit]:
        return super().get_queryset(request).defer("question")

    search_fields = ("hit_id", "annotation")


@admin.register(Assignment)
class AssignmentAdmin(OfWorkerAdmin):
    list_display = ("assignment_id", "state", "worker", "hit", "accepted_at", "submitted_at", "deadline")
    list_filter = ("state",)
    list_select_related = ("worker", "hit")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Assignment]:
        return super().get_queryset(request).defer("hit__question")

    search_fields = ("assignment_id", "hit__hit_id")
    date_hierarchy = "accepted_at"


@admin.register(LedgerEntry)
class LedgerEntryAdmin(OfWorkerAdmin):
    list_display = ("posted_at", "purpose", "account", "requester", "worker", "amount_cents", "currency", "posting")
    list_filter = ("purpose", "account")
    list_select_related = ("requester__user", "worker")
    search_fields = ("assignment__assignment_id", "hit__hit_id")
    date_hierarchy = "posted_at"


@admin.register(Payout)
class PayoutAdmin(OfWorkerAdmin):
    list_display = (
        "payout_id",
        "batch",
        "worker",
        "amount_cents",
        "currency",
        "state",
        "created_at",
        "settled_at",
        "reference",
    )
    list_filter = ("state",)
    list_select_related = ("worker",)
    search_fields = ("payout_id", "batch", "reference")


@admin.register(BonusPayment)
class BonusPaymentAdmin(OfWorkerAdmin):
    worker_path = "assignment__worker"
    list_display = ("granted_at", "requester", "assignment", "amount_cents", "reason")
    list_select_related = ("requester__user", "assignment")
    search_fields = ("assignment__assignment_id",)


@admin.register(WorkerAccount)
class WorkerAccountAdmin(admin.ModelAdmin):
    """Facts that qualifications read may be set; history and money may not, and who somebody is needs a permission."""

    WHO = ("name", "called", "email", "email_confirmed_at", "payee")
    FACTS = ("country", "subdivision", "adult", "masters", "active")
    HISTORY = (
        "worker_id", "submitted_count", "approved_count", "rejected_count", "earned_cents", "owed_cents",
        "terms_version", "terms_accepted_at", "created_at", "closed_at",
    )  # fmt: skip

    show_full_result_count = False
    list_filter = ("active", "country")
    ordering = ("-pk",)

    def get_list_display(self, request: HttpRequest) -> tuple[str, ...]:
        who = ("name", "called", "email") if request.user.has_perm(SEE_IDENTITY) else ()
        return (
            "worker_id", *who, "country", "approved_count", "rejected_count", "earned_cents", "owed_cents", "active",
        )  # fmt: skip

    def get_search_fields(self, request: HttpRequest) -> tuple[str, ...]:
        who = ("name", "called", "email") if request.user.has_perm(SEE_IDENTITY) else ()
        return ("worker_id", *who)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        who = self.WHO if request.user.has_perm(SEE_IDENTITY) else ()
        return (*who, *self.FACTS, *self.HISTORY)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return (*self.WHO, *self.HISTORY)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(CountryStatement)
class CountryStatementAdmin(OfWorkerAdmin):
    list_display = ("worker", "before", "after", "stated_at")
    search_fields = ("worker__worker_id",)


@admin.register(QualificationType)
class QualificationTypeAdmin(ReadOnlyAdmin):
    list_display = ("type_id", "name", "requester", "status", "created_at")
    list_select_related = ("requester__user",)


@admin.register(QualificationGrant)
class QualificationGrantAdmin(OfWorkerAdmin):
    list_display = ("qualification_type", "worker", "value", "status", "granted_at")
    list_select_related = ("qualification_type", "worker")
    search_fields = ("qualification_type__type_id", "qualification_type__name")


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
