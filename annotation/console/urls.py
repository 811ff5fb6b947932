"""The addresses of the console. Pages of a study stand below `studies/<uuid>/`."""

from __future__ import annotations

from django.urls import include, path

from annotation.console.views import entrance, studies

of_a_study = [
    path("", studies.overview, name="overview"),
    path("log/", studies.log, name="log"),
]

app_name = "console"
urlpatterns = [
    path("", studies.listing, name="studies"),
    path("sign-in/", entrance.sign_in, name="sign-in"),
    path("sign-out/", entrance.sign_out, name="sign-out"),
    path("enter/<str:token>/", entrance.enter, name="enter"),
    path("studies/<uuid:study_id>/", include(of_a_study)),
]
