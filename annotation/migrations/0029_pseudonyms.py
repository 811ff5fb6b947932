"""Workers are looked up by a keyed hash of their id; their pseudonyms stay as they are."""

import hashlib
import hmac

from django.conf import settings
from django.db import migrations, models

BATCH = 500


def hash_ids(apps, schema_editor):
    identities = apps.get_model("annotation", "WorkerIdentity").objects
    key = settings.PSEUDONYM_KEY.encode()
    batch = []
    for row in identities.order_by("pk").iterator(chunk_size=BATCH):
        row.look_up = hmac.new(key, f"{row.provider}\0{row.external_id}".encode(), hashlib.sha256).hexdigest()
        batch.append(row)
        if len(batch) == BATCH:
            identities.bulk_update(batch, ["look_up"])
            batch = []
    identities.bulk_update(batch, ["look_up"])


class Migration(migrations.Migration):
    dependencies = [("annotation", "0028_lifted_by")]

    operations = [
        migrations.AddField("workeridentity", "look_up", models.CharField(max_length=64, null=True)),
        migrations.RunPython(hash_ids, migrations.RunPython.noop),
        migrations.AlterField("workeridentity", "look_up", models.CharField(max_length=64, unique=True)),
    ]
