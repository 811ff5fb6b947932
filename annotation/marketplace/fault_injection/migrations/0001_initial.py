from django.db import migrations, models


class CreateMissingModel(migrations.CreateModel):
    """Create the table unless the marketplace, whose table this was before the first release, has made it."""

    def database_forwards(self, app_label, schema_editor, from_state, to_state):
        table = to_state.apps.get_model(app_label, self.name)._meta.db_table
        if table not in schema_editor.connection.introspection.table_names():
            super().database_forwards(app_label, schema_editor, from_state, to_state)


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        CreateMissingModel(
            name="FaultPlan",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("throttle_every", models.PositiveIntegerField(default=0)),
                ("fail_every", models.PositiveIntegerField(default=0)),
                ("drop_after_commit_every", models.PositiveIntegerField(default=0)),
                ("lose_notifications_every", models.PositiveIntegerField(default=0)),
                ("double_notifications_every", models.PositiveIntegerField(default=0)),
                ("lag_seconds", models.FloatField(default=0)),
            ],
            options={
                "db_table": "marketplace_faultplan",
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("id", 1)), name="marketplace_one_fault_plan"),
                    models.CheckConstraint(
                        condition=models.Q(("lag_seconds__gte", 0)), name="marketplace_lag_not_negative"
                    ),
                ],
            },
        ),
    ]
