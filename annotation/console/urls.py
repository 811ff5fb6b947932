"""The addresses of the console. Pages of a study stand below `studies/<uuid>/`."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, include, path

from annotation.console.views import (
    coding,
    design,
    desk,
    entrance,
    jobs,
    keys,
    publish,
    quality,
    results,
    running,
    sheets,
    studies,
    texts,
    workers,
)

of_an_assignment = [
    path("", desk.assignment, name="review-assignment"),
    path("approve/", desk.approve, name="review-approve"),
    path("undo/", desk.undo, name="review-undo"),
    path("propose/", desk.propose, name="review-propose"),
    path("second/", desk.second, name="review-second"),
    path("drop/", desk.drop, name="review-drop"),
    path("overturn/", desk.overturn, name="review-overturn"),
    path("reply/", desk.reply, name="review-reply"),
    path("analysis/", desk.analysis, name="review-analysis"),
]

of_judging: list[URLPattern | URLResolver] = [
    path("review/", desk.queue, name="review"),
    path("review/bulk/", desk.bulk, name="review-bulk"),
    path("review/<str:assignment>/", include(of_an_assignment)),
    path("quality/", quality.overview, name="quality"),
    path("quality/left-out/", quality.outcome, name="quality-outcome"),
    path("quality/measure/", quality.measure, name="quality-measure"),
    path("quality/fix/", quality.fix, name="quality-fix"),
    path("quality/<int:number>/apply/", quality.apply, name="quality-apply"),
    path("workers/", workers.listing, name="workers"),
    path("workers/<str:pseudonym>/", workers.page, name="workers-page"),
    path("workers/<str:pseudonym>/hold/", workers.hold, name="workers-hold"),
    path("workers/<str:pseudonym>/lift/", workers.lift, name="workers-lift"),
    path("workers/<str:pseudonym>/look/", workers.look, name="workers-look"),
    path("coding/", coding.overview, name="coding"),
    path("coding/<slug:purpose>/book/", coding.book, name="coding-book"),
    path("coding/<slug:purpose>/<int:remark>/", coding.code, name="coding-code"),
    path("coding/<slug:purpose>/<int:remark>/settle/", coding.settle, name="coding-settle"),
]

of_a_study: list[URLPattern | URLResolver] = [
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
    path("results/exclusions/", results.exclusions, name="results-exclusions"),
    path("results/exclusions/compute/", results.compute_exclusions, name="results-exclusions-compute"),
    path("exports/", results.exports, name="exports"),
    path("people/", studies.people, name="people"),
    path("log/", studies.log, name="log"),
    *of_judging,
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
