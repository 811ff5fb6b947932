"""Coming in."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm, SetPasswordForm
from django.utils.translation import gettext_lazy as _


class SignIn(AuthenticationForm):
    error_messages = {
        **AuthenticationForm.error_messages,
        "invalid_login": _("Wrong name or password. Both are case-sensitive."),
    }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].label = _("Name")


class FirstPassword(SetPasswordForm):
    """The password that one goes on with after a one-time link."""

    field_order = ("new_password1", "new_password2")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        first, second = (self.fields[name] for name in self.field_order)
        first.label, second.label = _("Password"), _("Repeat password")
        first.help_text = _("At least 12 characters.")
        second.help_text = ""
        for field in (first, second):
            field.widget = forms.PasswordInput(attrs={"autocomplete": "new-password"})


class NewPassword(PasswordChangeForm):
    """Another password, by whoever knows the present one."""

    field_order = ("old_password", "new_password1", "new_password2")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        labels = (_("Current password"), _("New password"), _("Repeat new password"))
        for name, label in zip(self.field_order, labels, strict=True):
            self.fields[name].label, self.fields[name].help_text = label, ""
        self.fields["new_password1"].help_text = _("At least 12 characters.")
        del self.fields["old_password"].widget.attrs["autofocus"]


class NewToken(forms.Form):
    name = forms.CharField(label=_("Purpose of the token"), max_length=60)
