"""A team may share the HITs of a study: each is done by so many of its people."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("marketplace", "0003_channel_version"),
    ]

    operations = [
        migrations.AddField(
            model_name="channel",
            name="overlap",
            field=models.PositiveIntegerField(blank=True, null=True),
        ),
    ]
