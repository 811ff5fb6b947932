import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0021_active_time")]

    operations = [
        migrations.AddField(
            model_name="study",
            name="margin_points",
            field=models.PositiveSmallIntegerField(
                blank=True,
                help_text="Percentage points around 50 % right that count as chance; for tests of equivalence.",
                null=True,
                validators=[
                    django.core.validators.MinValueValidator(1),
                    django.core.validators.MaxValueValidator(49),
                ],
            ),
        ),
    ]
