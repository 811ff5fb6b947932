from django.db import migrations, models


def keep_the_fees_of_published_hits(apps, schema_editor):
    """HITs that were published before bore Mechanical Turk's fees."""
    ordered = apps.get_model("annotation", "Intent").objects.filter(kind="create_hit")
    apps.get_model("annotation", "Hit").objects.filter(pk__in=ordered.values("subject")).update(fees="mturk")


class Migration(migrations.Migration):
    dependencies = [("annotation", "0029_pseudonyms")]

    operations = [
        migrations.AddField(
            model_name="hit", name="fees", field=models.CharField(blank=True, default="", max_length=10)
        ),
        migrations.AlterField(
            model_name="study",
            name="in_nines",
            field=models.BooleanField(default=False, help_text="Publish HITs of nine places at most."),
        ),
        migrations.RunPython(keep_the_fees_of_published_hits, migrations.RunPython.noop),
    ]
