"""What the ethics pack needs beyond the study, in the language of the pack."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.reports.papers.pack_facts import MAX_LETTERS
from annotation.reports.papers.pack_texts import OPTIONAL, QUESTIONS

LABELS: dict[str, tuple[Any, Any]] = {
    "purpose": (_("What the study is about"), _("Two or three sentences that everybody understands.")),
    "who": (_("Who may take part"), _("Such as: You are at least 18 years old and speak English.")),
    "benefits": (_("Benefits"), _("For the person or for others; that there are none is an answer, too.")),
    "risks": (_("Risks"), _("That you expect none is an answer, too.")),
    "content": (
        _("Content warnings"),
        _("What the texts may contain that upsets readers, or that you know of none."),
    ),
    "support": (_("Help"), _("What a person can do, or whom they can call, who is upset.")),
    "storage": (
        _("Where it is stored"),
        _("The country of the server and of its backups, and who can read them."),
    ),
    "sharing": (_("Sharing"), _("Whether answers are published, in which form, and where. Empty: they are not.")),
    "controller": (_("Controller"), _("Institution, address, and its data protection officer.")),
    "legal_basis": (
        _("Legal basis"),
        _("Such as: The legal basis is your consent (GDPR, Article 6(1)(a))."),
    ),
    "debrief": (_("Debrief"), _("What you wanted to find out, and what people did not know before.")),
}


class EthicsForm(forms.Form):
    """An answer to each question, in whole sentences as participants read them."""

    @classmethod
    def of(cls, answers: Mapping[str, str], data: Any = None, *, fixed: bool = False) -> EthicsForm:
        """fixed: to be read only."""
        form = cls(data, initial=dict(answers))
        for key, _label, _hint in QUESTIONS:
            label, hint = LABELS[key]
            form.fields[key] = forms.CharField(
                label=label,
                required=False,
                max_length=MAX_LETTERS,
                disabled=fixed,
                help_text=_("%(hint)s Optional.") % {"hint": hint} if key in OPTIONAL else hint,
                widget=forms.Textarea(attrs={"rows": 2}),
            )
        return form

    def answers(self) -> dict[str, str]:
        """What was entered, by key."""
        return {name: text.replace("\r\n", "\n") for name, text in self.cleaned_data.items()}
