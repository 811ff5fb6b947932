"""The addresses of the console. Pages of a study stand below `studies/<uuid>/`."""

from __future__ import annotations

from django.urls import include, path

from annotation.console.views import entrance, running, studies

of_a_study = [
    path("", studies.overview, name="overview"),
    path("running/", running.running, name="running"),
    path("running/pay/", running.fair_pay, name="running-pay"),
    path("running/compare/", running.compare, name="running-compare"),
    path("running/mend/", running.mend, name="running-mend"),
    path("running/<slug:what>/", running.act, name="running-act"),
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
