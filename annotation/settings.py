"""Settings as the requester side reads them."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings

from annotation.accounts.models import AccessKey
from annotation.mturk.records import Endpoint

# The requester account that `manage.py serve` opens in development, with play money.
DEVELOPMENT_ACCOUNT = "console-requester"


def endpoint() -> Endpoint:
    """The marketplace that the settings name, with the one key of console, work loop and commands."""
    url: str = settings.MTURK_ENDPOINT_URL
    is_local = url.startswith(f"{settings.WORKER_ORIGIN}/")
    access_key, secret_key = settings.MTURK_ACCESS_KEY, settings.MTURK_SECRET_KEY
    if is_local and settings.MARKETPLACE_DEVELOPMENT and not access_key:
        access_key, secret_key = _development_key()
    return Endpoint(
        url=url,
        access_key=access_key,
        secret_key=secret_key,
        region=settings.MTURK_REGION,
        provider="assay" if is_local else (urlsplit(url).hostname or url),
        calls_a_second=settings.MTURK_CALLS_A_SECOND,
    )


def _development_key() -> tuple[str, str]:
    """The key of the development account; "" and "" before `serve` has opened it."""
    key = AccessKey.objects.active().filter(user__username=DEVELOPMENT_ACCOUNT).order_by("pk").first()
    return (key.key_id, key.secret()) if key else ("", "")


def chromium() -> Path | None:
    """The browser that prints, or None where the settings name none."""
    return Path(settings.CHROMIUM) if settings.CHROMIUM else None


def sandbox() -> bool:
    """Whether it runs in its sandbox."""
    return not settings.CHROMIUM_NO_SANDBOX


def queue() -> str:
    """Where the marketplace tells what happens; empty where studies are polled only."""
    url: str = settings.MTURK_QUEUE_URL
    return url


def device_days() -> int:
    """How long it is kept which work came from one device."""
    days: int = settings.DEVICE_DAYS
    return days


def detector_model() -> str:
    """The folder of the model that looks for machine-written explanations; empty for none."""
    folder: str = settings.DETECTOR_MODEL
    return folder


def scoring_models() -> str:
    """The models that pages offer for scoring, as the settings name them; empty for assay-tiny alone."""
    names: str = settings.SCORING_MODELS
    return names


def uploads() -> Path:
    """Where files lie that came by a form, until the job that reads them has run."""
    return Path(settings.VAR) / "uploads"


def uploads_retention() -> timedelta:
    """How long such a file is kept that nobody goes on with."""
    return timedelta(days=settings.UPLOADS_DAYS)


def topic() -> str:
    """The topic whose signed messages are believed; empty for none."""
    arn: str = settings.MTURK_TOPIC_ARN
    return arn


def destination() -> str:
    """Where the marketplace is asked to tell what happens: the queue, or the topic."""
    return queue() or topic()


def certificate_host() -> str:
    """The host (and port) at which the marketplace's signing certificates are."""
    return urlsplit(settings.MTURK_ENDPOINT_URL).netloc


def lease() -> timedelta:
    """After so long an effect in other hands comes back."""
    return timedelta(seconds=settings.INTENT_LEASE_SECONDS)
