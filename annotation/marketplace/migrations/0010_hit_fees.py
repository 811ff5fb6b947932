from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("marketplace", "0010_ways_in")]

    operations = [
        # HITs that were published before bear Mechanical Turk's fees until they are over.
        migrations.AddField(model_name="hit", name="fees", field=models.CharField(default="mturk", max_length=10)),
        migrations.AlterField(model_name="hit", name="fees", field=models.CharField(default="none", max_length=10)),
    ]
