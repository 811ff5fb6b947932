"""Coming in."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth import password_validation
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm
from django.utils.translation import gettext_lazy as _

from annotation.accounts.models import User


class SignIn(AuthenticationForm):
    error_messages = {
        **AuthenticationForm.error_messages,
        "invalid_login": _("Wrong name or password. Both are case-sensitive."),
    }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].label = _("Name")


class FirstPassword(forms.Form):
    """The password that one goes on with after a one-time link; it can be shown, so it is asked for once."""

    password = forms.CharField(
        label=_("Password"),
        strip=False,
        help_text=_("At least 12 characters."),
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user

    def clean_password(self) -> str:
        password: str = self.cleaned_data["password"]
        password_validation.validate_password(password, self.user)
        return password

    def save(self) -> User:
        self.user.set_password(self.cleaned_data["password"])
        self.user.save()
        return self.user


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


class FactorCode(forms.Form):
    """A code of the second factor; whether it is right, its verb says."""

    code = forms.CharField(
        label=_("Code"),
        max_length=40,
        help_text=_("The 6 digits that your app shows now, or a recovery code."),
        widget=forms.TextInput(
            attrs={"autocomplete": "one-time-code", "spellcheck": "false", "autocapitalize": "none"}
        ),
    )


class FirstCode(FactorCode):
    """The code by which an app shows that it has the secret."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["code"].help_text = _("The 6 digits that your app shows now.")
