"""What workers fill in about themselves."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.password_validation import password_validators_help_texts, validate_password
from django.utils.functional import lazy
from django.utils.translation import gettext_lazy as _

from annotation.accounts.models import User
from annotation.marketplace.assignments import rejection_replies
from annotation.marketplace.models import WorkerAccount
from annotation.marketplace.workers import countries

LONGEST_PASSWORD = 256


def person(name: str, email: str) -> User:
    """Whose password is chosen, in the form in which Django's validators look for likenesses."""
    return User(first_name=name, email=email)


def _rules() -> str:
    return " ".join(password_validators_help_texts())


class NewPassword(forms.CharField):
    """A password to be chosen; the rules are the site's (AUTH_PASSWORD_VALIDATORS)."""

    def __init__(self, **options: Any) -> None:
        widget = forms.PasswordInput(attrs={"autocomplete": "new-password"})
        rules = lazy(_rules, str)()
        super().__init__(widget=widget, strip=False, max_length=LONGEST_PASSWORD, help_text=rules, **options)


class OldPassword(forms.CharField):
    """A password that exists."""

    def __init__(self, **options: Any) -> None:
        widget = forms.PasswordInput(attrs={"autocomplete": "current-password"})
        super().__init__(widget=widget, strip=False, max_length=LONGEST_PASSWORD, **options)


def _email(**options: Any) -> forms.EmailField:
    widget = forms.EmailInput(attrs={"autocomplete": "email", "spellcheck": "false"})
    return forms.EmailField(widget=widget, max_length=254, **options)


class SignInForm(forms.Form):
    who = forms.CharField(
        label=_("Email address or worker ID"),
        max_length=254,
        widget=forms.TextInput(attrs={"autocomplete": "username", "autocapitalize": "none", "spellcheck": "false"}),
    )
    password = OldPassword(label=_("Password"))


class AddressForm(forms.Form):
    email = _email(label=_("Email address"))


class PasswordForm(forms.Form):
    """A new password for `owner`."""

    password = NewPassword(label=_("New password"))

    def __init__(self, *args: Any, owner: WorkerAccount, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.owner = owner

    def clean_password(self) -> str:
        chosen = str(self.cleaned_data["password"])
        validate_password(chosen, user=person(self.owner.called, self.owner.email))
        return chosen


class RegistrationForm(forms.Form):
    called = forms.CharField(
        label=_("Your name"),
        max_length=150,
        help_text=_("Any name you like. Only you and the people who run this site see it; requesters do not."),
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
    email = _email(label=_("Email address"), help_text=_("We send one mail there to finish your registration."))
    password = NewPassword(label=_("Choose a password"))
    terms = forms.BooleanField(
        label=_("I have read the terms and agree to them"),
        error_messages={"required": _("You can only register if you agree to the terms.")},
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if password := cleaned.get("password"):
            try:
                validate_password(password, user=person(cleaned.get("called", ""), cleaned.get("email", "")))
            except forms.ValidationError as error:
                self.add_error("password", error)
        return cleaned


class ChangePasswordForm(PasswordForm):
    old = OldPassword(label=_("Your password now"))
    field_order = ("old", "password")


class ChangeAddressForm(forms.Form):
    email = _email(label=_("New email address"), help_text=_("We send a mail there to confirm it."))
    old = OldPassword(label=_("Your password"))


class PreferencesForm(forms.Form):
    called = forms.CharField(
        label=_("Your name"), max_length=150, required=False, widget=forms.TextInput(attrs={"autocomplete": "name"})
    )
    payee = forms.CharField(
        label=_("Payment details"),
        max_length=200,
        required=False,
        help_text=_("An account or address for your pay, of the kind that the people who run this site use."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    country = forms.CharField(
        label=_("Country"),
        max_length=40,
        required=False,
        help_text=_(
            "The two-letter code of the country where you live, such as DE. In the United States with the state, such "
            "as US-CA. Some tasks are only for certain countries. You can change it once in six months, and changes "
            "are recorded."
        ),
        widget=forms.TextInput(attrs={"autocomplete": "country", "autocapitalize": "characters", "size": "6"}),
    )
    auto_accept = forms.BooleanField(
        label=_("After I submit a task, start the next one of the same kind automatically"), required=False
    )

    def clean_country(self) -> tuple[str, str] | None:
        text = str(self.cleaned_data["country"]).strip()
        place = countries.place_of(text)
        if text and place is None:
            raise forms.ValidationError(_("Enter a two-letter country code, such as DE."))
        return place

    def clean_payee(self) -> str:
        text = str(self.cleaned_data["payee"])
        if not text.isprintable():
            raise forms.ValidationError(_("Use letters, digits and signs only, on one line."))
        return text


class Words(forms.CharField):
    """What somebody writes. Lines end with one character however the browser sends them, so that all count alike."""

    def to_python(self, value: Any) -> Any:
        return super().to_python(value.replace("\r\n", "\n") if isinstance(value, str) else value)

    def validate(self, value: Any) -> None:
        super().validate(value)
        if not any(character.isprintable() and not character.isspace() for character in str(value)):
            raise forms.ValidationError(self.error_messages["required"], code="required")


class ReplyForm(forms.Form):
    text = Words(
        label=_("Your answer to the requester"),
        max_length=rejection_replies.LONGEST,
        help_text=_(
            "At most 1,000 characters. You can answer once and cannot change it afterwards. The requester sees it "
            "with your worker ID. Do not write who you are unless you want them to know."
        ),
        widget=forms.Textarea(attrs={"rows": "6", "dir": "auto"}),
    )


class CloseForm(forms.Form):
    sure = forms.BooleanField(
        label=_("Yes, delete my account. I know that this cannot be undone."),
        error_messages={"required": _("Tick the box if you want to delete your account.")},
    )
    old = OldPassword(label=_("Your password"))


def without_password(form: forms.Form, has_password: bool) -> None:
    """Who comes by links only has no password to be asked for."""
    if not has_password:
        del form.fields["old"]
