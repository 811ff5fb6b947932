"""The addresses of the queues."""

from django.urls import path

from annotation.marketplace.queues.views import endpoint

app_name = "sqs"
urlpatterns = [
    path("", endpoint, name="endpoint"),
    path("<str:account>/<slug:name>", endpoint, name="queue"),
]
