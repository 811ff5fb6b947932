"""What the plan of a study must say beyond its design, and why it is amended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.studies.plan_document import MAX_LETTERS, PlanQuestion

LABELS: dict[str, tuple[Any, Any]] = {
    "description": (_("Description"), _("What the study is about and why, in a few sentences.")),
    "hypotheses": (_("Hypotheses"), _("Each with its direction.")),
    "primary": (
        _("Primary measure"),
        _("The one measure that answers the question. The main comparison of the design is added."),
    ),
    "analyses": (_("Analyses"), _("Test or interval, level, and what result would support each hypothesis.")),
    "exclusions": (
        _("Exclusions"),
        _("Who and what is excluded from the analysis. Locked exclusion rules are added."),
    ),
    "missing_data": (_("Missing data"), _("What happens with incomplete answers.")),
    "sample_size": (_("Reason for the sample size"), _("Power or precision, and how it was calculated.")),
    "randomization": (_("Assignment to conditions"), _("How people come to their condition.")),
    "existing_data": (_("Existing data"), _("Data that you know already, such as pilots or older ratings.")),
    "blinding": (_("Blinding"), _("Who does not know conditions or results, and until when.")),
    "transformations": (_("Transformations and indices"), _("Scores that are computed from the answers.")),
    "exploratory": (_("Exploratory analyses"), _("What else you may look at, without a hypothesis.")),
    "other": (_("Other"), ""),
}


class PlanForm(forms.Form):
    """An answer to each question; an empty one answers nothing. reason: of an amendment."""

    reason = forms.CharField(
        label=_("Reason for the amendment"), max_length=2000, widget=forms.Textarea(attrs={"rows": 2})
    )

    @classmethod
    def of(
        cls, questions: list[PlanQuestion], answers: Mapping[str, str], data: Any = None, *, sealed: bool, fixed: bool
    ) -> PlanForm:
        """sealed: an answer changes by an amendment. fixed: to be read only."""
        form = cls(data, initial=dict(answers))
        if not sealed or fixed:
            del form.fields["reason"]
        for question in questions:
            label, hint = LABELS[question.key]
            form.fields[question.key] = forms.CharField(
                label=label,
                required=False,
                max_length=MAX_LETTERS,
                disabled=fixed,
                help_text=hint if question.needed or not hint else _("%(hint)s Optional.") % {"hint": hint},
                widget=forms.Textarea(attrs={"rows": 2}),
            )
        if "reason" in form.fields:
            form.order_fields([*(question.key for question in questions), "reason"])
        return form

    def answers(self) -> dict[str, str]:
        """What was entered, by key."""
        return {name: text.replace("\r\n", "\n") for name, text in self.cleaned_data.items() if name != "reason"}
