import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0015_statements'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='studywording',
            name='wording_digest_unique_in_study',
        ),
        migrations.AlterField(
            model_name='job',
            name='kind',
            field=models.CharField(choices=[('check_texts', 'check a file of texts'), ('add_texts', 'add texts'), ('import_batch', 'import a finished batch'), ('preflight', 'check before publishing'), ('report', 'compute a report'), ('crowd', 'let simulated people work')], max_length=20),
        ),
        migrations.AlterField(
            model_name='study',
            name='assignment_seconds',
            field=models.PositiveIntegerField(default=3600, validators=[django.core.validators.MinValueValidator(30, 'A marketplace takes 30 seconds at least.'), django.core.validators.MaxValueValidator(31536000, 'A marketplace takes a year (31,536,000 seconds) at most.')]),
        ),
        migrations.AlterField(
            model_name='study',
            name='auto_approval_seconds',
            field=models.PositiveIntegerField(default=259200, validators=[django.core.validators.MaxValueValidator(2592000, 'A marketplace waits 30 days (2,592,000 seconds) at most.')]),
        ),
        migrations.AlterField(
            model_name='study',
            name='lifetime_seconds',
            field=models.PositiveIntegerField(default=604800, validators=[django.core.validators.MinValueValidator(30, 'A marketplace takes 30 seconds at least.'), django.core.validators.MaxValueValidator(31536000, 'A marketplace takes a year (31,536,000 seconds) at most.')]),
        ),
    ]
