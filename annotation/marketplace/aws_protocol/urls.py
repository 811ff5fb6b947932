"""The address of the Requester API."""

from django.urls import path

from annotation.marketplace.aws_protocol.views import endpoint

app_name = "wire"
urlpatterns = [path("", endpoint, name="endpoint")]
