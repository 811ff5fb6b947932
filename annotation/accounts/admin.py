"""Users and access keys, for those who run an installation."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.cache import add_never_cache_headers

from annotation.accounts.models import AccessKey, User

admin.site.register(User, UserAdmin)


@admin.register(AccessKey)
class AccessKeyAdmin(admin.ModelAdmin):
    """Keys are issued for a user, shown once, and revoked; nothing else about them changes."""

    list_display = ("key_id", "user", "created_at", "revoked_at")
    list_select_related = ("user",)
    autocomplete_fields = ("user",)
    actions = ("revoke",)

    def get_fields(self, request: HttpRequest, obj: AccessKey | None = None) -> tuple[str, ...]:
        return ("key_id", "user", "created_at", "revoked_at") if obj else ("user",)

    def has_change_permission(self, request: HttpRequest, obj: AccessKey | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: AccessKey | None = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: AccessKey, form: Any, change: bool) -> None:
        issued, secret = AccessKey.objects.issue(obj.user)
        obj.__dict__.update(issued.__dict__)
        request.issued_secret = secret  # type: ignore[attr-defined]

    def response_add(self, request: HttpRequest, obj: AccessKey, post_url_continue: str | None = None) -> HttpResponse:
        """The secret, this once: it is stored sealed and cannot be looked at again."""
        context = {
            **self.admin_site.each_context(request),
            "title": "Access key issued",
            "key": obj,
            "secret": request.issued_secret,  # type: ignore[attr-defined]
            "opts": self.model._meta,
        }
        shown = TemplateResponse(request, "admin/accounts/issued.html", context)
        add_never_cache_headers(shown)
        return shown

    @admin.action(description="Revoke the chosen keys", permissions=["add"])
    def revoke(self, request: HttpRequest, chosen: QuerySet[AccessKey]) -> None:
        for key in chosen:
            key.revoke(now=timezone.now())
        self.message_user(request, f"{len(chosen)} keys no longer sign anything.")
