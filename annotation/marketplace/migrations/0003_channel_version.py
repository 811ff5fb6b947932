"""The settings of a channel have a version, by which an editor's older copy is recognised."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("marketplace", "0002_draft_versions"),
    ]

    operations = [
        migrations.AddField(
            model_name="channel",
            name="version",
            field=models.PositiveIntegerField(default=1),
        ),
    ]
