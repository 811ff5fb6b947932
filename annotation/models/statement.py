"""What only a person can say of a study, and links by which a report is shared."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models.job import Job
from annotation.models.study import Study


class Statement(models.Model):
    """One sentence or two on a study, printed in its report: the latest of its key holds."""

    LONGEST = 4000

    class Key(models.TextChoices):
        ETHICS = "ethics", "ethics approval"
        CONSENT = "consent", "how consent was asked"
        LANGUAGE = "language", "language of the texts"
        LICENCE = "licence", "licence of the texts"
        REFERENCE = "reference", "where the experiment is described"
        CONTACT = "contact", "who answers questions"
        INPUT = "input", "kind of input of the systems"
        SYSTEM_TASK = "system_task", "task that the systems perform"
        CHANNEL = "channel", "how the raters were recruited"
        PAYMENT = "payment", "how the raters were paid"
        PEOPLE = "people", "what is known of the raters"
        DEMOGRAPHICS = "demographics", "demographics of the raters, where they were asked"
        REGISTERED = "registered", "where the plan was registered"
        PLAN = "plan", "what was planned before the data"
        POWER = "power", "planned power"
        DEVIATIONS = "deviations", "deviations from the plan"
        CRITERION = "criterion", "what kind of criterion was judged"
        IMPACT = "impact", "impact assessment"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="statements")
    key = models.CharField(max_length=20, choices=Key.choices)
    body = models.TextField(max_length=LONGEST)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "key"], name="one_statement_of_a_key"),
            models.CheckConstraint(condition=~Q(body=""), name="statement_says_something"),
        ]

    def __str__(self) -> str:
        return f"{self.study}: {self.key}"


class ShareLink(models.Model):
    """A link by which anybody who has it may read one finished report, until it ends or is revoked.

    Of the link's token only the SHA-256 is kept.
    """

    job = models.ForeignKey(Job, on_delete=models.CASCADE, related_name="links")
    digest = models.CharField(max_length=64, unique=True)
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="share_links"
    )
    made_at = models.DateTimeField()
    ends_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"link to {self.job}"
