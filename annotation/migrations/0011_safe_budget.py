from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0010_safe_running_sums")]
    operations = [
        migrations.AddConstraint(
            model_name='study',
            constraint=models.CheckConstraint(condition=models.Q(('budget_cents', None), ('budget_cents__gte', models.F('reserved_cents') + models.F('spent_cents')), _connector='OR'), name='study_stays_within_its_budget'),
        ),
    ]
