from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.http import HttpRequest

from annotation.accounts.models import AccessKey, User

admin.site.register(User, UserAdmin)


@admin.register(AccessKey)
class AccessKeyAdmin(admin.ModelAdmin):
    list_display = ("key_id", "user", "created_at", "revoked_at")
    list_select_related = ("user",)
    exclude = ("sealed_secret",)
    readonly_fields = ("key_id", "user", "created_at", "revoked_at")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False
