"""Links for colleagues, and the account that one opens by them."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.forms import BaseUserCreationForm
from django.utils.translation import gettext_lazy as _

from annotation.accounts.models import User
from annotation.models import Role


class InviteMember(forms.Form):
    invited_role = forms.ChoiceField(label=_("Role"), choices=Role.choices, initial=Role.REVIEWER)


class NewAccount(BaseUserCreationForm):
    """A name and a password."""

    class Meta:
        model = User
        fields = ("username",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        name, first, second = (self.fields[field] for field in ("username", "password1", "password2"))
        name.label, first.label, second.label = _("Name"), _("Password"), _("Repeat password")
        name.help_text = _("You sign in with it, and colleagues see it. Letters, digits and @ . + - _ only.")
        first.help_text, second.help_text = _("At least 12 characters."), ""
        name.widget.attrs["autocomplete"] = "username"
        # The page first says what the invitation is to.
        name.widget.attrs.pop("autofocus", None)
        for field in (first, second):
            field.widget = forms.PasswordInput(attrs={"autocomplete": "new-password"})

    def clean_username(self) -> str:
        name: str = self.cleaned_data["username"]
        if User.objects.filter(username__iexact=name).exists():
            raise forms.ValidationError(_("This name is taken. Choose another, or sign in if the account is yours."))
        return name
