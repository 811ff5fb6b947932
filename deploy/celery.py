"""The Celery application: it wakes the work loop; the rows are the truth."""

import os

from celery import Celery

from annotation import jobs
from deploy.settings.environment import read_installation

read_installation()
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "deploy.settings.development")

app = Celery("assay")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks([jobs.__name__], related_name="celery_tasks")
app.autodiscover_tasks([jobs.__name__], related_name="run")
