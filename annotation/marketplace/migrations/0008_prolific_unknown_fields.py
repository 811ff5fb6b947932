"""Fields of Prolific's answers that are not known here are kept."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("marketplace", "0007_channel_max_tasks")]

    operations = [
        migrations.AddField("prolificstudy", "unknown_fields", models.JSONField(default=dict)),
    ]
