"""Every address: the Requester API, queues, notifications, the worker site, the console, the administration, health."""

from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

from annotation.api.responses import absent
from annotation.api.routes import api
from annotation.endpoints.batch_page import batch_page
from annotation.endpoints.hit_page import (
    hit_page,
    template_answers,
    template_page,
    training_page,
    wording_answers,
    wording_page,
)
from annotation.endpoints.shared_report import shared_report
from annotation.endpoints.sns import posted
from annotation.hits.template_preview import SUBMIT
from annotation.jobs.gauges import RequesterGauges
from annotation.marketplace.monitoring import metrics
from annotation.marketplace.site.question_frame import as_preview

metrics.MORE[:] = [RequesterGauges()]
handler400 = "deploy.failures.answer_bad_request"
handler500 = "deploy.failures.answer_failure"
urlpatterns = [
    path("", RedirectView.as_view(pattern_name="console:studies")),
    path("console/", include("annotation.console.urls")),
    path("api/v1/", api.urls),
    path("api/v1/<path:rest>", absent),
    path("shared/<str:token>/", shared_report, name="shared-report"),
    # One entrance: with the second factor, and the same limits.
    path("admin/login/", RedirectView.as_view(pattern_name="console:sign-in", query_string=True)),
    path("admin/", admin.site.urls),
    path("mturk/", include("annotation.marketplace.aws_protocol.urls")),
    path("sqs/", include("annotation.marketplace.sqs.urls")),
    path("sns/", include("annotation.marketplace.notifications.urls")),
    path("", include("annotation.marketplace.monitoring.urls")),
    path("notices/", posted, name="notices"),
    path("pages/<str:token>/", hit_page, name="hit-page"),
    # How the marketplace draws a task is put in here: the requester side does not import it.
    path("pages/batch/<str:token>/", batch_page, {"show": as_preview}, name="batch-page"),
    path("pages/training/<str:token>/", training_page, name="training-page"),
    path("pages/template/<slug:name>/", template_page, name="template-page"),
    path(f"pages/template/<slug:name>/{SUBMIT}", template_answers, name="template-answers"),
    path("pages/wording/<str:token>/", wording_page, name="wording-page"),
    path(f"pages/wording/<str:token>/{SUBMIT}", wording_answers, name="wording-answers"),
    path("hits/", include("annotation.marketplace.urls")),
]
