"""The addresses of the console. Pages of a study stand below `studies/<uuid>/`."""

from __future__ import annotations

from django.urls import include, path

from annotation.console.views import design, entrance, jobs, keys, publish, results, running, sheets, studies, texts

of_a_study = [
    path("", studies.overview, name="overview"),
    path("texts/", texts.texts, name="texts"),
    path("texts/add/", texts.add, name="texts-add"),
    path("texts/confirm/", texts.confirm, name="texts-confirm"),
    path("texts/select/", texts.select, name="texts-select"),
    path("design/", design.design, name="design"),
    path("design/save/", design.save, name="design-save"),
    path("design/price/", design.price, name="design-price"),
    path("design/precision/", design.precision, name="design-precision"),
    path("design/clear/", design.clear, name="design-clear"),
    path("design/wording/", design.wording, name="design-wording"),
    path("preview/", design.preview, name="preview"),
    path("publish/", publish.publish, name="publish"),
    path("publish/check/", publish.check, name="publish-check"),
    path("publish/confirm/", publish.confirm, name="publish-confirm"),
    path("progress/", publish.progress, name="progress"),
    path("progress/crowd/", publish.crowd, name="progress-crowd"),
    path("progress/approve/", publish.approve_all, name="progress-approve"),
    path("running/", running.running, name="running"),
    path("running/pay/", running.fair_pay, name="running-pay"),
    path("running/compare/", running.compare, name="running-compare"),
    path("running/mend/", running.mend, name="running-mend"),
    path("running/<slug:what>/", running.act, name="running-act"),
    path("results/", results.results, name="results"),
    path("results/reveal/", results.reveal, name="results-reveal"),
    path("results/compute/", results.compute, name="results-compute"),
    path("exports/", results.exports, name="exports"),
    path("people/", studies.people, name="people"),
    path("log/", studies.log, name="log"),
]

app_name = "console"
urlpatterns = [
    path("", studies.listing, name="studies"),
    path("new/", studies.new, name="studies-new"),
    path("import/", studies.import_batch, name="studies-import"),
    path("activity/", studies.activity, name="activity"),
    path("keys/", keys.keys, name="keys"),
    path("keys/<str:key_id>/revoke/", keys.revoke, name="keys-revoke"),
    path("jobs/<uuid:job_id>/", jobs.job, name="job"),
    path("jobs/<uuid:job_id>/<str:name>", jobs.job_file, name="job-file"),
    path("figures.css", sheets.figures_sheet, name="figures-sheet"),
    path("sign-in/", entrance.sign_in, name="sign-in"),
    path("sign-out/", entrance.sign_out, name="sign-out"),
    path("enter/<str:token>/", entrance.enter, name="enter"),
    path("studies/<uuid:study_id>/", include(of_a_study)),
]
