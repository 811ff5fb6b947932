"""Near-negative tests, human-likelihood and log-probabilities: what they are made of, and which model is used."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from annotation.common.upload_limits import SCORES_MIB
from annotation.console.forms.several_files import SeveralFilesField
from annotation.console.forms.upload_field import UploadField
from annotation.importing import texts_upload
from annotation.models import Study
from annotation.reports import scores_upload
from annotation.texts.scoring_models import model_choices, offered_models, reader_names
from metrics.errors import BadInput
from metrics.likelihood import TINY
from metrics.text_scores.h_findings import parse_thresholds

MAX_FILES = 20
ABOUT_MODELS = _(
    "assay-tiny comes with Assay, for trying out: its numbers say nothing about texts. The setting SCORING_MODELS of "
    "this server adds models."
)
NND_FORMATS = (
    ("tests", _("Tests, as Assay writes them (JSON)")),
    ("quiz-design", _("Quiz Design: questions that teachers accepted or rejected (JSON Lines)")),
    ("frank", _("FRANK: summaries with their errors (JSON), and the file of texts")),
    ("mqm", _("MQM: translations with marked errors (TSV)")),
    ("summeval", _("SummEval: rated summaries (JSON Lines)")),
    ("challenge300", _("Challenge 300: answers with credits (JSON)")),
)
H_FORMATS = (
    ("lines", _("One text per line")),
    ("csv", _("CSV with the columns id and text")),
    ("gltr", _("GLTR's JSON, one file per text")),
)


class NndUpload(forms.Form):
    """Annotations of which tests are built, or tests built before."""

    format = forms.ChoiceField(label=_("Format"), choices=NND_FORMATS)
    file = UploadField(
        max_mib=SCORES_MIB,
        label=_("File of annotations or tests"),
        validators=[scores_upload.check_size],
        max_length=200,
    )
    texts = UploadField(
        max_mib=SCORES_MIB,
        label=_("File of texts"),
        required=False,
        max_length=200,
        help_text=_("FRANK only: its annotations hold no texts, and a model needs them."),
        validators=[scores_upload.check_size],
    )

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or {}
        if values.get("texts") and values.get("format") not in ("frank", None):
            self.add_error("texts", _("Only FRANK has its texts in a file of their own. Remove this file."))
        return values


class NndRule(forms.Form):
    """What makes one text of a context better than another."""

    kind = forms.ChoiceField(
        label=_("A text is better than another of the same context if"),
        choices=(
            ("mean", _("its mean rating is higher")),
            ("majority", _("more than half of its raters chose the label below, and not so for the other")),
            ("labels", _("its most frequent label is better")),
        ),
        widget=forms.RadioSelect,
        initial="mean",
    )
    best = forms.ChoiceField(
        label=_("Label"),
        required=False,
        help_text=_("Majority: the label that counts. Labels: the label of a text without error."),
    )
    better = forms.CharField(
        label=_("Order of labels"),
        required=False,
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_("Labels only, instead of one label: one chain per line, the better first, such as A > B > C."),
    )
    minimum_gap = forms.DecimalField(
        label=_("Smallest gap of two means"), min_value=0, max_value=1000, decimal_places=6, required=False, initial=0
    )
    minimum_ratings = forms.IntegerField(
        label=_("Fewest ratings per text"), min_value=1, max_value=1000, initial=1, required=False
    )
    shared_context = forms.BooleanField(
        label=_("Texts without a context were written for the same one"), required=False
    )

    def __init__(self, *args: Any, study: Study, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.labels = list(study.scale.labels.order_by("-code").values_list("label", flat=True))
        choices = [("", _("None")), *((label, label) for label in self.labels)]
        self.fields["best"] = forms.ChoiceField(
            label=self.fields["best"].label, required=False, choices=choices, help_text=self.fields["best"].help_text
        )

    def clean_better(self) -> list[tuple[str, str]]:
        chains = [[part.strip() for part in line.split(">")] for line in self.cleaned_data["better"].splitlines()]
        for chain in (chain for chain in chains if chain != [""]):
            if len(chain) < 2:
                raise ValidationError(_("Write each chain as A > B, the better label first."))
            if strange := [label for label in chain if label not in self.labels]:
                raise ValidationError(_("The scale has no label %(label)s.") % {"label": strange[0][:60]})
        return [pair for chain in chains for pair in pairwise(chain)]

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or {}
        if values.get("kind") == "labels" and not (values.get("best") or values.get("better")) and not self.errors:
            self.add_error("best", _("Choose the label of a text without error, or write the order of labels."))
        return values

    def rule(self) -> dict[str, Any]:
        """The rule as a job stores it."""
        values = self.cleaned_data
        return {
            "kind": values["kind"],
            "best": values["best"],
            "better": [list(pair) for pair in values["better"]],
            "minimum_gap": str(values["minimum_gap"] or 0),
            "minimum_ratings": values["minimum_ratings"] or 1,
            "shared_context": values["shared_context"],
        }


class NndModels(forms.Form):
    """Who takes the tests, and how."""

    models = forms.MultipleChoiceField(
        label=_("Models"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=ABOUT_MODELS,
    )
    scores = SeveralFilesField(
        label=_("Files of log-probabilities"),
        required=False,
        max_length=200,
        help_text=_(
            "One file per model, named after it: CSV or JSON Lines with log_prob, tokens and id, or the output of "
            "python -m metrics loglik."
        ),
        validators=[scores_upload.check_size],
    )
    start = forms.ChoiceField(
        label=_("Between document and candidate"),
        choices=(("auto", _("No token")), ("always", _("Start token, as the original code has it"))),
        initial="auto",
    )
    ties = forms.ChoiceField(
        label=_("Equal likelihoods"),
        choices=(
            ("fail", _("The test is failed")),
            ("second", _("The candidate listed second is chosen, as in the original code")),
        ),
        initial="fail",
    )
    reproduce = forms.BooleanField(
        label=_("Reproduce the paper: both as in the original code"),
        required=False,
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        names = list(offered_models())
        self.fields["models"] = forms.MultipleChoiceField(
            label=self.fields["models"].label,
            required=False,
            widget=forms.CheckboxSelectMultiple,
            choices=model_choices(),
            initial=names[:-1] or [TINY],
            help_text=self.fields["models"].help_text,
        )

    def clean_scores(self) -> list[Any]:
        files: list[Any] = self.cleaned_data["scores"]
        if len(files) > MAX_FILES:
            raise ValidationError(_("At most %d files at once.") % MAX_FILES)
        return files

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or {}
        if not self.errors and not values.get("models") and not values.get("scores"):
            self.add_error("models", _("Choose a model, or a file of log-probabilities."))
        return values

    def chosen(self) -> dict[str, Any]:
        """Models and rules as a job stores them."""
        values = self.cleaned_data
        original = values["reproduce"]
        return {
            "models": values["models"],
            "start": "always" if original else values["start"],
            "ties": "second" if original else values["ties"],
        }


def _check_threshold(text: str) -> None:
    if not re.fullmatch(r"[0-9.]{1,20}(:[0-9.]{1,20})?", text):
        raise ValidationError(_("Write one number from 0 to 1, or two with a colon between, such as 0.35:0.45."))
    try:
        parse_thresholds(text)
    except BadInput as error:
        raise ValidationError(str(error)) from None


class StudyTexts(forms.Form):
    """Which model reads the texts of a study."""

    model = forms.ChoiceField(label=_("Model"), help_text=ABOUT_MODELS)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["model"] = forms.ChoiceField(
            label=self.fields["model"].label, choices=model_choices(reader_names())
        )


class HUpload(StudyTexts):
    """Texts of files, the model that reads them, and the threshold."""

    field_order = ("format", "texts", "model", "backend", "origins", "threshold")
    format = forms.ChoiceField(label=_("Format"), choices=H_FORMATS)
    texts = SeveralFilesField(
        label=_("Texts"),
        max_length=200,
        help_text=_("One file; of GLTR's JSON several."),
        validators=[texts_upload.check_size],
    )
    backend = forms.CharField(
        label=_("Model behind GLTR's files"),
        required=False,
        max_length=200,
        help_text=_("GLTR only: the files hold predictions already and do not name their model."),
    )
    origins = UploadField(
        max_mib=SCORES_MIB,
        label=_("Known origins"),
        required=False,
        max_length=200,
        help_text=_("CSV with the columns text and truth (human or machine): the threshold is calibrated on them."),
        validators=[scores_upload.check_size],
    )
    threshold = forms.CharField(
        label=_("Threshold without known origins"),
        required=False,
        max_length=41,
        help_text=_("Human-like below it. Two with a colon leave texts between undecided. Empty: 0.40, uncalibrated."),
        validators=[_check_threshold],
    )

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or {}
        files = values.get("texts") or []
        if values.get("format") in ("lines", "csv") and len(files) > 1:
            self.add_error("texts", _("Texts of this format come in one file."))
        if len(files) > MAX_FILES * 10:
            self.add_error("texts", _("At most %d files at once.") % (MAX_FILES * 10))
        return values


class LogProbsForm(forms.Form):
    """Which model computes log-probabilities for which generator."""

    generator = forms.ChoiceField(
        label=_("Generator"), help_text=_("The model should be the one that wrote these texts.")
    )
    model = forms.ChoiceField(label=_("Model"), help_text=ABOUT_MODELS)
    replace = forms.BooleanField(label=_("Replace log-probabilities made otherwise"), required=False)

    def __init__(self, *args: Any, study: Study, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        names = study.generators.order_by("name").values_list("name", flat=True)
        generator, model = self.fields["generator"], self.fields["model"]
        self.fields["generator"] = forms.ChoiceField(
            label=generator.label, help_text=generator.help_text, choices=[(name, name) for name in names]
        )
        self.fields["model"] = forms.ChoiceField(label=model.label, choices=model_choices(), help_text=ABOUT_MODELS)
