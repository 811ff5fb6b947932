"""The active time of a submission is summed once, when it is read; of those that are read already, now."""

from django.db import migrations, models
from django.db.models import Count, F, OuterRef, Subquery, Sum


def fill(apps, schema_editor):
    Parse, Presentation = (apps.get_model("annotation", name) for name in ("Parse", "Presentation"))
    shown = Presentation.objects.filter(submission=OuterRef("submission")).order_by().values("submission")
    timed = shown.annotate(shown=Count("pk"), timed=Count("active_ms"), active=Sum("active_ms"))
    Parse.objects.update(active_ms=Subquery(timed.filter(timed=F("shown")).values("active")))


class Migration(migrations.Migration):
    dependencies = [("annotation", "0020_judging_more")]
    operations = [
        migrations.AddField(
            model_name="parse",
            name="active_ms",
            field=models.PositiveIntegerField(
                blank=True,
                help_text="Sum over what was shown, by the page; empty unless every text was timed.",
                null=True,
            ),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
