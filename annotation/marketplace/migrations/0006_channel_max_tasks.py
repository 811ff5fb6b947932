"""Each person of a team may have a maximum of tasks."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("marketplace", "0005_prolific")]

    operations = [
        migrations.AddField("channel", "max_tasks", models.PositiveIntegerField(blank=True, null=True)),
    ]
