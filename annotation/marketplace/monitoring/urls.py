"""The addresses of health and metrics."""

from __future__ import annotations

from django.urls import path

from annotation.marketplace.monitoring import health, metrics

app_name = "watch"
urlpatterns = [
    path("health/live", health.live, name="live"),
    path("health/ready", health.ready, name="ready"),
    path("metrics", metrics.metrics, name="metrics"),
]
