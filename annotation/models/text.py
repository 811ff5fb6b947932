"""Texts to be judged, where they come from, and how probable each model finds them."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from annotation.models.study import Study


class Context(models.Model):
    """What a text answers or continues (an article, a prompt). Texts of one context form a pair."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="contexts")
    key = models.CharField(max_length=200)
    body = models.TextField(blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "key"], name="context_key_unique_in_study")]

    def __str__(self) -> str:
        return self.key


class Generator(models.Model):
    """A model at a decoding setting: what is being evaluated."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="generators")
    name = models.CharField(max_length=100)
    decoding = models.CharField(max_length=200, blank=True, help_text="How its texts were decoded, e.g. sample t=0.7")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "name"], name="generator_name_unique_in_study")]

    def __str__(self) -> str:
        return self.name


class TextQuerySet(models.QuerySet["Text"]):
    def judged(self) -> TextQuerySet:
        """The texts that raters see: those that no selection excluded."""
        return self.filter(left_out="")


class Text(models.Model):
    """A text to be judged: written by a person (reference) or made by a generator (model).

    `body` is what raters see. A selection may cut it (`original` then holds the whole, `cut_at` how many of its
    characters are left), or exclude the text, which says why. The latest `Selection` of the study did both.
    """

    class Source(models.TextChoices):
        REFERENCE = "reference", "reference"
        MODEL = "model", "model"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="texts")
    key = models.CharField(max_length=200, help_text="The id the researcher gave it.")
    source = models.CharField(max_length=10, choices=Source.choices)
    generator = models.ForeignKey(Generator, on_delete=models.PROTECT, null=True, blank=True, related_name="texts")
    context = models.ForeignKey(Context, on_delete=models.PROTECT, null=True, blank=True, related_name="texts")
    domain = models.CharField(max_length=60, blank=True)
    body = models.TextField()
    generation = models.JSONField(
        default=dict, blank=True, help_text="Every setting that made it, where Assay sampled or retrieved it."
    )
    known_label = models.CharField(
        max_length=100, blank=True, help_text="Of a gold text: the right answer. Gold texts are not evaluated."
    )
    corpus_count = models.PositiveBigIntegerField(null=True, blank=True)
    corpus_name = models.CharField(max_length=200, blank=True)
    corpus_size = models.PositiveBigIntegerField(null=True, blank=True)
    original = models.TextField(blank=True, help_text="The whole text, where the body is cut.")
    cut_at = models.PositiveIntegerField(null=True, blank=True)
    left_out = models.CharField(max_length=300, blank=True, help_text="Why it is not judged; empty where it is.")
    split = models.CharField(max_length=60, blank=True, help_text="The draw it belongs to.")

    objects = TextQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "key"], name="text_key_unique_in_study"),
            models.CheckConstraint(
                condition=Q(source="reference", generator=None) | Q(source="model", generator__isnull=False),
                name="model_texts_name_their_generator",
            ),
            models.CheckConstraint(condition=~Q(body=""), name="text_is_not_empty"),
            models.CheckConstraint(
                condition=Q(corpus_count=None) | Q(corpus_size=None) | Q(corpus_count__lte=models.F("corpus_size")),
                name="corpus_count_within_corpus",
            ),
        ]

    def __str__(self) -> str:
        return self.key


class Scoring(models.Model):
    """Everything that the log-probabilities of a local model depend on."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="scorings")
    generator = models.ForeignKey(Generator, on_delete=models.CASCADE, related_name="scorings")
    signature = models.CharField(max_length=700, help_text="Scores of equal signature may be exchanged.")
    model = models.CharField(max_length=200)
    revision = models.CharField(max_length=100)
    tokenizer = models.CharField(max_length=200)
    dtype = models.CharField(max_length=20)
    decoding = models.CharField(max_length=200)
    include_eos = models.BooleanField()
    created_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["generator", "signature"], name="one_scoring_per_signature")]

    def __str__(self) -> str:
        return self.signature


class Likelihood(models.Model):
    """log p of one text under one generator, with what it was made of.

    A reference shared by several generators has one row for each. `log_prob` is natural, total,
    -infinity where the model gives no probability. `decoding` says which sampling distribution it
    stands for; where it differs from the generator's the report warns.
    """

    class Unit(models.TextChoices):
        WHITESPACE = "whitespace", "whitespace tokens"
        MODEL_TOKEN = "model_token", "model tokens"
        CHAR = "char", "characters"

    text = models.ForeignKey(Text, on_delete=models.CASCADE, related_name="likelihoods")
    generator = models.ForeignKey(Generator, on_delete=models.CASCADE, related_name="likelihoods")
    log_prob = models.FloatField()
    log_prob_text = models.CharField(max_length=60, blank=True, help_text="The decimal as it was written.")
    length = models.PositiveIntegerField()
    length_unit = models.CharField(max_length=12, choices=Unit.choices)
    decoding = models.CharField(max_length=200, blank=True)
    scoring = models.ForeignKey(
        Scoring,
        on_delete=models.RESTRICT,
        null=True,
        blank=True,
        related_name="likelihoods",
        help_text="What made it; empty for one that came with a file.",
    )
    content_hash = models.CharField(
        max_length=64,
        blank=True,
        db_index=True,
        help_text="Of signature, context and text: equal content, equal score.",
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["text", "generator"], name="one_likelihood_per_text_and_generator"),
            models.CheckConstraint(condition=Q(log_prob__lte=1e-6), name="log_prob_is_at_most_zero"),
            models.CheckConstraint(condition=Q(length__gte=1), name="length_is_at_least_one"),
            models.CheckConstraint(
                condition=Q(length_unit__in=["whitespace", "model_token", "char"]), name="length_unit_is_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.text} under {self.generator}: {self.log_prob}"
