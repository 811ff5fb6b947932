"""Scales and the labels chosen on them. A label is what was chosen; its number is a coding."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from django.db import models, transaction

from annotation.models.presentation import Presentation
from annotation.models.text import Text


class ScaleManager(models.Manager["Scale"]):
    def ensure(self, name: str, labels: Iterable[tuple[str, str, str]]) -> Scale:
        """The scale called `name`, made with (label, code, gloss) rows if it is new."""
        with transaction.atomic():
            scale, is_new = self.get_or_create(name=name)
            if is_new:
                ScaleLabel.objects.bulk_create(
                    ScaleLabel(scale=scale, label=label, code=code, gloss=gloss) for label, code, gloss in labels
                )
        return scale

    def matching(self, name: str, labels: Iterable[tuple[str, str, str]]) -> Scale:
        """The scale of that name with exactly these labels and codes; under a name of its own if another has it."""
        rows = list(labels)
        plain, separate = self.names(name, rows)
        scale = self.ensure(plain, rows)
        expected = [(label, code) for label, code, _ in rows]
        if list(scale.labels.order_by("pk").values_list("label", "code")) == expected:
            return scale
        return self.ensure(separate, rows)

    @staticmethod
    def names(name: str, labels: Iterable[tuple[str, str, str]]) -> tuple[str, str]:
        """The two names under which `matching` may have put these labels."""
        pairs = [(label, code) for label, code, _ in labels]
        digest = hashlib.sha256(repr(pairs).encode()).hexdigest()[:8]
        return name, f"{name} ({digest})"


class Scale(models.Model):
    """A set of labels."""

    name = models.CharField(max_length=120, unique=True)

    objects = ScaleManager()

    def __str__(self) -> str:
        return self.name


class ScaleLabel(models.Model):
    """One label of a scale. `code` is the number it is averaged as, written as a decimal."""

    scale = models.ForeignKey(Scale, on_delete=models.CASCADE, related_name="labels")
    label = models.CharField(max_length=100)
    gloss = models.TextField(blank=True)
    code = models.CharField(max_length=40)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["scale", "label"], name="label_unique_in_scale"),
            models.UniqueConstraint(fields=["scale", "code"], name="code_unique_in_scale"),
        ]

    def __str__(self) -> str:
        return self.label


class Judgment(models.Model):
    """The label a worker chose for a text as presented (one per criterion)."""

    presentation = models.ForeignKey(Presentation, on_delete=models.CASCADE, related_name="judgments")
    criterion = models.CharField(max_length=40, default="typicality")
    label = models.ForeignKey(ScaleLabel, on_delete=models.PROTECT, related_name="judgments")
    # The text it counts for, again: aggregates over millions need one index and no join.
    text = models.ForeignKey(
        Text,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        db_index=False,
        related_name="+",
        help_text="Empty for gold and repeats, which do not count.",
    )

    class Meta:
        indexes = [models.Index(fields=["text", "criterion", "label"], name="annotation_judgment_of_text")]
        constraints = [
            # Error labels may be several; elsewhere the reader of answers takes one.
            models.UniqueConstraint(fields=["presentation", "criterion", "label"], name="label_once_per_criterion"),
        ]

    def __str__(self) -> str:
        return f"{self.presentation}: {self.label}"
