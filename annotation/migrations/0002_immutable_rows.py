"""Submissions and audit rows refuse to be changed: by the database, whatever the program does."""

from django.db import migrations

TABLES = ("annotation_submission", "annotation_auditevent")


def protect(apps, schema_editor):
    for table in TABLES:
        if schema_editor.connection.vendor == "postgresql":
            schema_editor.execute(
                f"CREATE FUNCTION {table}_is_immutable() RETURNS trigger LANGUAGE plpgsql AS "
                f"$$ BEGIN RAISE EXCEPTION '{table} rows are immutable' USING ERRCODE = 'integrity_constraint_violation'; END $$"
            )
            schema_editor.execute(
                f"CREATE TRIGGER {table}_immutable BEFORE UPDATE ON {table} "
                f"FOR EACH ROW EXECUTE FUNCTION {table}_is_immutable()"
            )
        else:
            schema_editor.execute(
                f"CREATE TRIGGER {table}_immutable BEFORE UPDATE ON {table} "
                f"BEGIN SELECT RAISE(ABORT, '{table} rows are immutable'); END"
            )


def unprotect(apps, schema_editor):
    for table in TABLES:
        if schema_editor.connection.vendor == "postgresql":
            schema_editor.execute(f"DROP TRIGGER {table}_immutable ON {table}")
            schema_editor.execute(f"DROP FUNCTION {table}_is_immutable()")
        else:
            schema_editor.execute(f"DROP TRIGGER {table}_immutable")


class Migration(migrations.Migration):
    dependencies = [("annotation", "0001_initial")]
    operations = [migrations.RunPython(protect, unprotect)]
