"""Every address: the Requester API, the worker site, the administration."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("admin/", admin.site.urls),
    path("mturk/", include("annotation.marketplace.wire.urls")),
    path("hits/", include("annotation.marketplace.urls")),
]
