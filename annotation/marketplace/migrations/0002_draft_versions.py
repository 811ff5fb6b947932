"""Drafts know which showing of a page stored them, and how often."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("marketplace", "0001_initial"),
    ]

    operations = [
        migrations.AddField(
            model_name="draft",
            name="page",
            field=models.CharField(blank=True, max_length=32),
        ),
        migrations.AddField(
            model_name="draft",
            name="version",
            field=models.PositiveIntegerField(default=0),
        ),
    ]
