"""Every address: the Requester API, its queues and notifications, the worker site, the administration, health."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("admin/", admin.site.urls),
    path("mturk/", include("annotation.marketplace.wire.urls")),
    path("sqs/", include("annotation.marketplace.queues.urls")),
    path("sns/", include("annotation.marketplace.notices.urls")),
    path("", include("annotation.marketplace.watch.urls")),
    path("hits/", include("annotation.marketplace.urls")),
]
