"""Each person of a team may have a maximum of tasks."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("marketplace", "0006_prolific_places")]

    operations = [
        migrations.AddField("channel", "max_tasks", models.PositiveIntegerField(blank=True, null=True)),
    ]
