"""Celery's doors: they wake the work loop. Without a broker, `manage.py work` is the same loop."""

from __future__ import annotations

from celery import shared_task
from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from annotation import conf
from annotation.crowd.client import Market
from annotation.flows.work import work


@shared_task(name="annotation.work", ignore_result=True)
def work_off(study_pk: int) -> None:
    """Carry out what is due for one study."""
    work(Q(study_id=study_pk), market=Market(conf.endpoint()), clock=timezone.now)


def wake(study_pk: int) -> bool:
    """Ask a Celery worker to look at the study's intents; False where no broker is set."""
    if not settings.CELERY_BROKER_URL:
        return False
    work_off.delay(study_pk)
    return True
