"""Running sums of studies that are there already: money spent and set aside, submissions and judgments of a HIT."""

from decimal import ROUND_HALF_UP, Decimal

from django.db import migrations
from django.db.models import Count, Sum


def fee(reward, places):
    """The fee of one assignment as it was charged when this was written."""
    rate = Decimal("0.40") if places >= 10 else Decimal("0.20")
    return max(1, int((reward * rate).quantize(Decimal(1), rounding=ROUND_HALF_UP)))


def count(apps, schema_editor):
    Study, Hit, Intent, Entry, Submission, Judgment = (
        apps.get_model("annotation", name)
        for name in ("Study", "Hit", "Intent", "LedgerEntry", "Submission", "Judgment")
    )
    for pk, n in Submission.objects.order_by().values_list("hit").annotate(n=Count("pk")):
        Hit.objects.filter(pk=pk).update(collected=n)
    for pk, n in Judgment.objects.order_by().values_list("presentation__submission__hit").annotate(n=Count("pk")):
        Hit.objects.filter(pk=pk).update(judged=n)
    for intent in Intent.objects.filter(kind="create_hit").exclude(ledger__kind="hold"):
        hit = Hit.objects.filter(pk=intent.subject).select_related("cell__arm__study").first()
        if hit is None:
            continue
        own = hit.cell.arm.reward_cents
        reward = hit.cell.arm.study.reward_cents if own is None else own
        each = reward + fee(reward, hit.max_assignments)
        Entry.objects.create(
            study_id=intent.study_id,
            intent=intent,
            kind="hold",
            cents=each * hit.max_assignments,
            at=hit.study.created_at,
        )
    for intent in Intent.objects.filter(kind="approve", state="done").exclude(ledger__kind="release"):
        rows = list(Entry.objects.filter(intent=intent))
        paid = sum(row.cents for row in rows)
        if rows:
            Entry.objects.create(
                study_id=intent.study_id, intent=intent, kind="release", cents=-paid, at=rows[0].at
            )
    for study in Study.objects.filter(ledger__isnull=False).distinct():
        rows = Entry.objects.filter(study=study)
        spent = rows.filter(kind__in=["reward", "fee", "bonus"]).aggregate(sum=Sum("cents", default=0))["sum"]
        reserved = rows.filter(kind__in=["hold", "release"]).aggregate(sum=Sum("cents", default=0))["sum"]
        study.spent_cents, study.reserved_cents = spent, max(0, reserved)
        if study.budget_cents is not None:
            # What was promised before budgets were held is promised.
            study.budget_cents = max(study.budget_cents, spent + study.reserved_cents)
        study.save(update_fields=["spent_cents", "reserved_cents", "budget_cents"])


def forget(apps, schema_editor):
    apps.get_model("annotation", "LedgerEntry").objects.filter(kind__in=["hold", "release"]).delete()


class Migration(migrations.Migration):
    dependencies = [("annotation", "0009_safe_money_and_outbox")]
    operations = [migrations.RunPython(count, forget)]
