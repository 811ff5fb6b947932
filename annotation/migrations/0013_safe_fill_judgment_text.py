"""Judgments that are there already say which text they count for."""

from django.db import migrations
from django.db.models import OuterRef, Subquery


def fill(apps, schema_editor):
    Judgment, Presentation = (apps.get_model("annotation", name) for name in ("Judgment", "Presentation"))
    counted = Presentation.objects.filter(pk=OuterRef("presentation"), role="item").values("text")[:1]
    Judgment.objects.filter(text=None).update(text=Subquery(counted))


class Migration(migrations.Migration):
    dependencies = [("annotation", "0012_safe_judgment_text")]
    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
