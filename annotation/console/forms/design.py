"""The design: people, texts, money, times and training."""

from __future__ import annotations

from typing import Any, Self

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from annotation import ledger
from annotation.console.forms.durations import DAY, MINUTE, FutureDayField, SpanField
from annotation.console.forms.money import MoneyField, currency_field, use_currency
from annotation.console.task_units import PER_TASK, RATERS_OF
from annotation.design.kinds import asks, unit_of
from annotation.design.presets import ArmPlan, CellPlan
from annotation.models import Arm, Cell, Study
from annotation.pricing.currency import is_currency
from annotation.pricing.fees import Fees
from annotation.texts.pile import Pile
from metrics.data.answer_types import AnswerType
from metrics.report.sections.source_comparisons import REFERENCES


class LaterForm(forms.Form):
    """What may change until the study is published, whether its texts are dealt or not."""

    field_order = (
        "budget_cents", "floor_cents", "country", "minimum_approved_hits", "minimum_percent_approved",
        "assignment_seconds", "lifetime_seconds", "auto_approval_seconds", "retain_until", "margin_points",
        "compare_first", "compare_second", "compare_criterion", "compare_margin", "compare_family",
        "compare_raters",
    )  # fmt: skip
    retain_until = FutureDayField(
        label=_("Worker IDs are deleted on (UTC)"),
        required=False,
        help_text=_(
            "From this date a pseudonym can no longer be linked to a worker ID. Ratings are kept. Use the date that "
            "your consent text promises. Empty: IDs are kept."
        ),
    )
    budget_cents = MoneyField(
        label_with=_("Budget (%(currency)s)"), required=False, help_text=_("Never exceeded. Empty: no limit.")
    )
    floor_cents = MoneyField(
        label_with=_("Minimum hourly pay (%(currency)s)"),
        required=False,
        help_text=_("Pay below it is pointed out. Empty: 15.00 in dollars, none in another currency."),
    )
    assignment_seconds = SpanField(
        label=_("Time allowed per task (minutes)"), unit=MINUTE, min_seconds=30, max_seconds=365 * DAY,
        help_text=_("Allow several times the expected time. Late work cannot be submitted."),
    )  # fmt: skip
    lifetime_seconds = SpanField(
        label=_("Available for (days)"), unit=DAY, min_seconds=30, max_seconds=365 * DAY,
        help_text=_("Counted from publishing. Open places then expire. You can offer them again."),
    )  # fmt: skip
    auto_approval_seconds = SpanField(
        label=_("Auto-approve after (days)"), unit=DAY, min_seconds=0, max_seconds=30 * DAY,
        help_text=_(
            "Submissions without a decision are then approved and paid, and can no longer be rejected. "
            "At most 30 days. 0: at once."
        ),
    )  # fmt: skip
    minimum_approved_hits = forms.IntegerField(
        label=_("Approved HITs above"), required=False, min_value=0,
        help_text=_("0 or empty: no requirement. Applies to accounts, not to invited participants."),
    )  # fmt: skip
    minimum_percent_approved = forms.IntegerField(
        label=_("Approval rate above (%)"), required=False, min_value=0, max_value=100,
        help_text=_("0 or empty: no requirement. Applies to accounts, not to invited participants."),
    )  # fmt: skip
    country = forms.CharField(
        label=_("Country (two letters)"), required=False, max_length=2, min_length=2,
        help_text=_("Empty: no requirement. Applies to accounts, not to invited participants."),
    )  # fmt: skip

    margin_points = forms.IntegerField(
        label=_("Margin around chance (percentage points)"), required=False, min_value=1, max_value=49,
        help_text=_(
            "How far from 50% correct still counts as chance. Set it before data collection to let the report test for "
            "equivalence. A difference that is not significant does not show equivalence."
        ),
    )  # fmt: skip

    compare_first = forms.ChoiceField(
        label=_("Compare"),
        required=False,
        help_text=_("The results lead with this comparison. Set it before data collection."),
    )
    compare_second = forms.ChoiceField(label=_("With"), required=False)
    compare_criterion = forms.CharField(
        label=_("On criterion"), required=False, max_length=40, help_text=_("Empty: the first that was rated.")
    )
    compare_margin = forms.FloatField(
        label=_("Margin of equivalence"),
        required=False,
        min_value=1e-9,
        help_text=_("The difference that still counts as none, in points of the scale. Empty: not tested."),
    )
    compare_family = forms.ChoiceField(
        label=_("Adjusted together"), required=False, choices=[("", _("Not declared")), *Study.Tests.choices]
    )

    compare_raters = forms.ChoiceField(
        label=_("Intervals are for"),
        required=False,
        choices=[("", _("Not declared: new raters")), *Study.Raters.choices],
        help_text=_("Choose these raters only where no other raters matter, such as a fixed panel of experts."),
    )

    draw_seed = forms.CharField(
        label=_("Seed of the draw"),
        required=False,
        max_length=64,
        help_text=_(
            "With two or more conditions, each person is assigned to one at random by this seed. Empty: the "
            "marketplace chooses a seed. The report states it."
        ),
    )

    COMPARED = (
        "compare_first",
        "compare_second",
        "compare_criterion",
        "compare_margin",
        "compare_family",
        "compare_raters",
    )
    TIMES = ("assignment_seconds", "lifetime_seconds", "auto_approval_seconds", "retain_until")

    @classmethod
    def of(cls, study: Study, data: QueryDict | None = None) -> Self:
        form = cls(data, initial={name: getattr(study, name) for name in cls.base_fields})
        use_currency(form, study.currency)
        if not asks(study.task, AnswerType.TWO_SIDED):
            del form.fields["margin_points"]
        names = [*study.generators.order_by("name").values_list("name", flat=True), REFERENCES]
        for field in ("compare_first", "compare_second"):
            # A source that was declared and has no texts any more stays a choice, so that it can be seen and changed.
            known = dict.fromkeys(name for name in (*names, getattr(study, field)) if name)
            form.fields[field].choices = [("", _("Not declared")), *((name, name) for name in known)]  # type: ignore[attr-defined]
        return form

    def compared(self) -> list[Any]:
        return [self[name] for name in self.COMPARED]

    def times(self) -> list[Any]:
        return [self[name] for name in self.TIMES]

    def clean_country(self) -> str:
        return str(self.cleaned_data["country"]).upper()


# Shorter than the model's words, which a select of this form would cut.
MIXES = (
    (Study.Mix.BALANCED, _("as even as possible")),
    (Study.Mix.BERNOULLI, _("drawn for each text")),
    (Study.Mix.FIXED, _("a fixed number each")),
)


class DesignForm(LaterForm):
    """Everything of a study that costs, pays or says how its texts are dealt."""

    raters_per_text = forms.IntegerField(label=RATERS_OF["text"], min_value=1, max_value=10_000)
    evaluators_per_cell = forms.IntegerField(
        label=_("Or raters per condition, one task each"), required=False, min_value=1, max_value=100_000
    )
    texts_per_hit = forms.IntegerField(label=PER_TASK["text"], min_value=1, max_value=500)
    mix = forms.ChoiceField(label=_("Sources in a task"), choices=MIXES)
    references_per_hit = forms.IntegerField(
        label=_("References per task, if fixed"), required=False, min_value=0, max_value=500
    )
    gold_per_hit = forms.IntegerField(label=_("Gold texts per task"), min_value=0, max_value=500, initial=0)
    repeats_per_hit = forms.IntegerField(label=_("Repeated texts per task"), min_value=0, max_value=500, initial=0)
    checks_per_hit = forms.IntegerField(label=_("Attention checks per task"), min_value=0, max_value=500, initial=0)
    once = forms.BooleanField(label=_("Each rater takes part once, in one condition"), required=False)
    in_nines = forms.BooleanField(label=_("Publish in HITs of at most nine places"), required=False)
    currency = currency_field()
    reward_cents = MoneyField(label_with=_("Reward per task (%(currency)s)"))
    seed = forms.IntegerField(label=_("Random seed"), min_value=0, max_value=2**62)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if ledger.endpoint_fees() == Fees.MTURK:
            self.fields["in_nines"].help_text = _("The marketplace's fee is then 20% instead of 40%.")

    @classmethod
    def of(cls, study: Study, data: QueryDict | None = None) -> Self:
        form = super().of(study, data)
        unit = unit_of(study.task)
        form.fields["texts_per_hit"].label, form.fields["raters_per_text"].label = PER_TASK[unit], RATERS_OF[unit]
        return form

    PEOPLE = (
        "raters_per_text",
        "evaluators_per_cell",
        "once",
        "country",
        "minimum_approved_hits",
        "minimum_percent_approved",
    )
    TEXTS = ("texts_per_hit", "mix", "references_per_hit", "gold_per_hit", "repeats_per_hit", "checks_per_hit", "seed")
    MONEY = ("currency", "reward_cents", "budget_cents", "floor_cents", "in_nines")

    def clean_currency(self) -> str:
        return str(self.cleaned_data["currency"] or self.initial["currency"])

    def people(self) -> list[Any]:
        return [self[name] for name in self.PEOPLE]

    def texts(self) -> list[Any]:
        return [self[name] for name in self.TEXTS]

    def money(self) -> list[Any]:
        return [self[name] for name in self.MONEY]


class ArmsForm(forms.Form):
    """Which trainings there are, what a HIT of each pays, and whether domains and generators are cells of their own."""

    same_pay = forms.BooleanField(
        label=_("Pay the same in every training"),
        help_text=_("Every task then pays the reward per task. The amounts next to the trainings are not used."),
        required=False,
    )
    by_domain = forms.BooleanField(label=_("A condition for each domain"), required=False)
    by_generator = forms.BooleanField(label=_("A condition for each generator"), required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for value, label in Arm.Training.choices:
            self.fields[f"arm_{value}"] = forms.BooleanField(label=label, required=False)
            self.fields[f"pays_{value}"] = MoneyField(
                label_with=_("%%(currency)s per task (%(training)s)") % {"training": label}, required=False
            )

    @classmethod
    def posted(cls, study: Study, data: QueryDict) -> ArmsForm:
        """What was sent, its amounts in the currency that was sent with them."""
        form, currency = cls(data), str(data.get("currency", ""))
        use_currency(form, currency if is_currency(currency) else study.currency)
        return form

    @classmethod
    def of(cls, study: Study) -> ArmsForm:
        arms = list(study.arms.filter(cells__isnull=False).distinct())
        cells = Cell.objects.filter(arm__study=study)
        initial: dict[str, Any] = {"by_domain": cells.exclude(domain="").exists()}
        initial["by_generator"] = cells.exclude(generator=None).exists()
        initial["same_pay"] = bool(arms) and {arm.reward_cents for arm in arms} <= {None, study.reward_cents}
        for arm in arms:
            initial |= {f"arm_{arm.training}": True, f"pays_{arm.training}": arm.reward_cents}
        form = cls(initial=initial if arms else {**initial, "arm_none": True})
        use_currency(form, study.currency)
        return form

    def rows(self) -> list[tuple[Any, Any]]:
        return [(self[f"arm_{value}"], self[f"pays_{value}"]) for value in Arm.Training.values]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not any(cleaned.get(f"arm_{value}") for value in Arm.Training.values):
            raise forms.ValidationError(_("Choose at least one training. “None” counts as one."))
        return cleaned

    def arms(self, reward_cents: int) -> list[ArmPlan]:
        fields = self.cleaned_data
        same = fields.get("same_pay")
        pays = {value: None if same else fields.get(f"pays_{value}") for value in Arm.Training.values}
        return [
            ArmPlan(value, reward_cents if (arm_cents := pays[value]) is None else arm_cents)
            for value in Arm.Training.values
            if fields.get(f"arm_{value}")
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
