
import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0017_comparison'),
    ]

    operations = [
        migrations.AlterField(
            model_name='study',
            name='country',
            field=models.CharField(blank=True, max_length=2, validators=[django.core.validators.RegexValidator('\\A[A-Z]{2}\\Z', 'Two capital letters, such as US.')]),
        ),
        migrations.AlterField(
            model_name='study',
            name='evaluators_per_cell',
            field=models.PositiveIntegerField(blank=True, help_text='People in each cell, one HIT each; empty: raters per text decides.', null=True, validators=[django.core.validators.MinValueValidator(1)]),
        ),
        migrations.AlterField(
            model_name='study',
            name='minimum_percent_approved',
            field=models.PositiveSmallIntegerField(blank=True, null=True, validators=[django.core.validators.MaxValueValidator(100)]),
        ),
        migrations.AlterField(
            model_name='study',
            name='raters_per_text',
            field=models.PositiveIntegerField(default=20, validators=[django.core.validators.MinValueValidator(1)]),
        ),
        migrations.AlterField(
            model_name='study',
            name='texts_per_hit',
            field=models.PositiveIntegerField(default=25, validators=[django.core.validators.MinValueValidator(1)]),
        ),
    ]
