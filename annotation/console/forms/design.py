"""The design: people, texts, money, training and words."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.console.forms.money import DollarField
from annotation.designs.presets import ArmPlan, CellPlan
from annotation.designs.tasks import Criterion
from annotation.designs.wording import Wording, as_json, from_json
from annotation.exceptions import DesignError
from annotation.models import Arm, Cell, Study
from annotation.overviews import Pile

HOUR, DAY = 3600, 86_400


class DesignForm(forms.Form):
    """Everything of a study that costs, pays or says how its texts are dealt."""

    raters_per_text = forms.IntegerField(label=_("Raters for each text"), min_value=1, max_value=10_000)
    evaluators_per_cell = forms.IntegerField(
        label=_("Or people for each cell, one HIT each"), required=False, min_value=1, max_value=100_000
    )
    texts_per_hit = forms.IntegerField(label=_("Texts in a HIT"), min_value=1, max_value=500)
    mix = forms.ChoiceField(label=_("Sources in a HIT"), choices=Study.Mix.choices)
    references_per_hit = forms.IntegerField(label=_("References in a HIT, if fixed"), required=False, min_value=0)
    gold_per_hit = forms.IntegerField(label=_("Gold texts in a HIT"), min_value=0, initial=0)
    repeats_per_hit = forms.IntegerField(label=_("Repeated texts in a HIT"), min_value=0, initial=0)
    checks_per_hit = forms.IntegerField(label=_("Attention checks in a HIT"), min_value=0, initial=0)
    once = forms.BooleanField(label=_("Each person takes part once, in one cell"), required=False)
    in_nines = forms.BooleanField(label=_("Publish in HITs of nine places (fee 20 % instead of 40 %)"), required=False)
    reward_cents = DollarField(label=_("Reward for a HIT ($)"))
    budget_cents = DollarField(label=_("Budget ($)"), required=False, help_text=_("Never exceeded; empty: no limit."))
    minimum_approved_hits = forms.IntegerField(label=_("More approved HITs than"), required=False, min_value=0)
    minimum_percent_approved = forms.IntegerField(
        label=_("Approval rate above (%)"), required=False, min_value=0, max_value=100
    )
    country = forms.CharField(label=_("Country (two letters)"), required=False, max_length=2, min_length=2)
    seed = forms.IntegerField(label=_("Seed of every draw"), min_value=0, max_value=2**62)

    PEOPLE = (
        "raters_per_text",
        "evaluators_per_cell",
        "once",
        "country",
        "minimum_approved_hits",
        "minimum_percent_approved",
    )
    TEXTS = ("texts_per_hit", "mix", "references_per_hit", "gold_per_hit", "repeats_per_hit", "checks_per_hit", "seed")
    MONEY = ("reward_cents", "budget_cents", "in_nines")

    @classmethod
    def of(cls, study: Study) -> DesignForm:
        return cls(initial={name: getattr(study, name) for name in cls.base_fields})

    def clean_country(self) -> str:
        return str(self.cleaned_data["country"]).upper()

    def people(self) -> list[Any]:
        return [self[name] for name in self.PEOPLE]

    def texts(self) -> list[Any]:
        return [self[name] for name in self.TEXTS]

    def money(self) -> list[Any]:
        return [self[name] for name in self.MONEY]


class ArmsForm(forms.Form):
    """Which trainings there are, what a HIT of each pays, and whether domains and generators are cells of their own."""

    by_domain = forms.BooleanField(label=_("A cell for each domain"), required=False)
    by_generator = forms.BooleanField(label=_("A cell for each generator"), required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for value, label in Arm.Training.choices:
            self.fields[f"arm_{value}"] = forms.BooleanField(label=label, required=False)
            self.fields[f"pays_{value}"] = DollarField(label=_("$ a HIT"), required=False)

    @classmethod
    def of(cls, study: Study) -> ArmsForm:
        arms = list(study.arms.filter(cells__isnull=False).distinct())
        cells = Cell.objects.filter(arm__study=study)
        initial: dict[str, Any] = {"by_domain": cells.exclude(domain="").exists()}
        initial["by_generator"] = cells.exclude(generator=None).exists()
        for arm in arms:
            initial |= {f"arm_{arm.training}": True, f"pays_{arm.training}": arm.reward_cents}
        return cls(initial=initial if arms else {**initial, "arm_none": True})

    def rows(self) -> list[tuple[Any, Any]]:
        return [(self[f"arm_{value}"], self[f"pays_{value}"]) for value in Arm.Training.values]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not any(cleaned.get(f"arm_{value}") for value in Arm.Training.values):
            raise forms.ValidationError(_("Choose at least one training; “none” is one."))
        return cleaned

    def arms(self, reward_cents: int) -> list[ArmPlan]:
        given = self.cleaned_data
        pays = {value: given.get(f"pays_{value}") for value in Arm.Training.values}
        return [
            ArmPlan(value, reward_cents if (own := pays[value]) is None else own)
            for value in Arm.Training.values
            if given.get(f"arm_{value}")
        ]

    def cells(self, pile: Pile) -> list[CellPlan]:
        domains = pile.domains if self.cleaned_data["by_domain"] else ()
        generators = tuple(pile.generators) if self.cleaned_data["by_generator"] else ()
        return [
            CellPlan(value, domain, generator)
            for value in Arm.Training.values
            if self.cleaned_data.get(f"arm_{value}")
            for domain in domains or ("",)
            for generator in generators or ("",)
        ]


class WordingForm(forms.Form):
    """The words that are changed most; `everything` holds them all as JSON and wins where it was changed."""

    title = forms.CharField(label=_("Title in the list of tasks"), max_length=128)
    description = forms.CharField(label=_("Description"), max_length=2000, widget=forms.Textarea(attrs={"rows": 2}))
    noun = forms.CharField(label=_("One text is called"), max_length=40)
    nouns = forms.CharField(label=_("Several are called"), max_length=40)
    heading = forms.CharField(label=_("Heading of the page"))
    intro = forms.CharField(
        label=_("Introduction"),
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text=_("{noun} and {nouns} stand for the words above; a blank line begins a paragraph."),
    )
    question = forms.CharField(label=_("Question"))
    labels = forms.CharField(
        label=_("Scale"), widget=forms.Textarea(attrs={"rows": 6}), help_text=_("One a line: label | number | meaning")
    )
    consent = forms.CharField(
        label=_("Consent"), required=False, widget=forms.Textarea(attrs={"rows": 4}),
        help_text=_("Paragraphs of a first page; empty: the invitation or the marketplace asks."),
    )  # fmt: skip
    measure = forms.BooleanField(label=_("Note time, pastes and keystrokes (said aloud on the page)"), required=False)
    everything = forms.CharField(
        label=_("All wordings, as JSON"), required=False, widget=forms.Textarea(attrs={"rows": 12, "class": "code"})
    )

    @classmethod
    def of(cls, wording: Wording) -> WordingForm:
        first = wording.criteria[0]
        return cls(
            initial={
                **{
                    name: getattr(wording, name)
                    for name in ("title", "description", "noun", "nouns", "heading", "measure")
                },
                "intro": "\n\n".join(wording.intro),
                "consent": "\n\n".join(wording.consent),
                "question": first.question,
                "labels": "\n".join(" | ".join(row) for row in first.labels),
                "everything": as_told(wording),
            }
        )

    def wording(self, before: Wording) -> Wording:
        """The wording as edited. Raises DesignError naming what cannot be."""
        given = self.cleaned_data
        told = given["everything"].replace("\r\n", "\n").strip()
        if told and told != as_told(before).strip():
            try:
                return from_json(json.loads(told))
            except (json.JSONDecodeError, AttributeError) as error:
                raise DesignError(f"The wordings cannot be read as JSON: {error}.") from None
        first, *more = before.criteria
        edited = Criterion(first.name, given["question"], first.scale, _labels(given["labels"]), first.many)
        plain = {name: given[name] for name in ("title", "description", "noun", "nouns", "heading", "measure")}
        changed = replace(
            before, **plain, intro=_paragraphs(given["intro"]), consent=_paragraphs(given["consent"]),
            criteria=(edited, *more),
        )  # fmt: skip
        return from_json(as_json(changed))


def as_told(wording: Wording) -> str:
    return json.dumps(as_json(wording), indent=1, ensure_ascii=False)


def _paragraphs(told: str) -> tuple[str, ...]:
    parts = told.replace("\r\n", "\n").split("\n\n")
    return tuple(" ".join(part.split()) for part in parts if part.strip())


def _labels(told: str) -> tuple[tuple[str, str, str], ...]:
    rows = []
    for line in told.splitlines():
        if not line.strip():
            continue
        parts = [part.strip() for part in line.split("|", 2)]
        if len(parts) < 2:
            raise DesignError(f"“{line.strip()}” is not of the form label | number | meaning.")
        rows.append((parts[0], parts[1], parts[2] if len(parts) > 2 else ""))
    return tuple(rows)
