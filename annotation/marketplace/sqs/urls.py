"""The addresses of the queues."""

from django.urls import path

from annotation.marketplace.sqs.views import endpoint

app_name = "sqs"
urlpatterns = [
    path("", endpoint, name="endpoint"),
    path("<str:account>/<slug:name>", endpoint, name="queue"),
]
