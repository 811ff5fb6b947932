import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Count, Q


def say_what_is_known(apps, schema_editor):
    """Until now tasks stood in a list and raters chose; where HITs went out in several steps, it is not known how."""
    studies = apps.get_model("annotation", "Study").objects.exclude(mode="imported")
    steps = studies.annotate(steps=Count("audit", filter=Q(audit__verb="publish"))).filter(steps__lte=1)
    studies.filter(pk__in=list(steps.values_list("pk", flat=True))).update(arm_assignment="chosen")


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0029_hit_fees'),
    ]

    operations = [
        migrations.AddField(
            model_name='study',
            name='arm_assignment',
            field=models.CharField(blank=True, choices=[('chosen', 'raters choose tasks from a list'), ('waves', 'one arm is open after another'), ('drawn', 'drawn at random')], editable=False, max_length=6),
        ),
        migrations.AlterField(
            model_name='statement',
            name='key',
            field=models.CharField(choices=[('ethics', 'ethics approval'), ('consent', 'how consent was asked'), ('language', 'language of the texts'), ('licence', 'licence of the texts'), ('reference', 'where the experiment is described'), ('contact', 'who answers questions'), ('input', 'kind of input of the systems'), ('channel', 'how the raters were recruited'), ('payment', 'how the raters were paid'), ('people', 'what is known of the raters'), ('demographics', 'demographics of the raters, where they were asked'), ('registered', 'where the plan was registered'), ('plan', 'what was planned before the data'), ('power', 'planned power'), ('deviations', 'deviations from the plan'), ('criterion', 'what kind of criterion was judged'), ('impact', 'impact assessment')], max_length=20),
        ),
        migrations.CreateModel(
            name='WayIn',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=20)),
                ('pays', models.CharField(max_length=9)),
                ('pay_words', models.CharField(blank=True, max_length=300)),
                ('consent', models.BooleanField()),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='ways_in', to='annotation.study')),
            ],
            options={
                'verbose_name_plural': 'ways in',
                'constraints': [models.UniqueConstraint(fields=('study', 'kind', 'pays', 'pay_words', 'consent'), name='way_in_once')],
            },
        ),
        migrations.RunPython(say_what_is_known, migrations.RunPython.noop, elidable=True),
    ]
