"""Every component of the console once, by the templates and the style sheet of its pages: for who writes a page."""

from __future__ import annotations

from django import forms
from django.conf import settings
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from annotation.common.upload_limits import FILE_MIB
from annotation.console.forms.studies import StudyNameField
from annotation.console.forms.study_names import NAME_RULE
from annotation.console.permission import console_page, visitor
from annotation.models import Job

LONG_NAME = "a-generator-with-a-long-name-of-the-kind-that-model-hubs-give-their-checkpoints-7b-instruct-v0.3"
ROWS = [("small", 40, 0.531), (LONG_NAME, 12_345, 0.97), ("未来-mini", 0, None)]
# As a person filled it in: the name is too long and the number too small.
SENT = {"name": "Typicality of headlines", "raters": "0", "task": "huse", "pay": "voucher", "about": "Read twice."}


class SampleForm(forms.Form):
    """One field of each kind."""

    name = StudyNameField(label="Name", help_text=NAME_RULE)
    raters = forms.IntegerField(label="Raters per text", min_value=1)
    task = forms.ChoiceField(label="Task", choices=[("huse", "Typicality"), ("clark", "Human or machine")])
    pay = forms.ChoiceField(
        label="Payment", choices=[("voucher", "A voucher"), ("volunteer", "Nothing")], widget=forms.RadioSelect
    )
    about = forms.CharField(label="Instructions", widget=forms.Textarea(attrs={"rows": 3}))
    file = forms.FileField(label="File of texts", required=False, help_text=f"CSV, at most {FILE_MIB} MB.")
    mixed = forms.BooleanField(label="Mix the sources in each task", required=False)


@console_page
def components(request: HttpRequest) -> HttpResponse:
    """For administrators, and for everybody on a development server."""
    if not (settings.DEBUG or visitor(request).is_superuser):
        raise Http404
    now = timezone.now()
    about = {"kind": Job.Kind.REPORT, "created_at": now, "beat_at": now}
    context = {
        "form": SampleForm(SENT),
        "rows": ROWS,
        "page": Paginator(range(60), 20).get_page(2),
        "running_job": Job(state=Job.State.RUNNING, step="Reading texts", done=120, of=400, **about),
        "failed_job": Job(state=Job.State.FAILED, problem="Row 3, column text: the text is empty.", **about),
    }
    return render(request, "console/components.html", context)
