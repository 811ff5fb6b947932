from django.db import migrations, models

KINDS = [
    ("check_texts", "check a file of texts"),
    ("add_texts", "add texts"),
    ("import_batch", "import a finished batch"),
    ("preflight", "check before publishing"),
    ("report", "compute a report"),
    ("exclusions", "show what exclusions do"),
    ("comparison", "compare studies"),
    ("detect", "score explanations by a detector"),
    ("lay_out", "create tasks"),
    ("crowd", "let simulated people work"),
]


class Migration(migrations.Migration):
    dependencies = [("annotation", "0029_arm_assignment_ways_in")]
    operations = [migrations.AlterField("job", "kind", models.CharField(max_length=20, choices=KINDS))]
