import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0021_sharing_answers")]

    operations = [
        migrations.AddField(
            model_name="intent",
            name="created_at",
            field=models.DateTimeField(
                default=django.utils.timezone.now,
                editable=False,
                help_text="Of rows of earlier versions: when the tables were brought up to date.",
                null=True,
            ),
        ),
    ]
