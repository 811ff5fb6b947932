"""The name that participants read as who asks."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from annotation import settings
from annotation.console.form_errors import attach_errors
from annotation.console.forms.publish import ShownName
from annotation.console.permission import study_page, visitor
from annotation.models import Role, Study
from annotation.mturk.client import Market
from annotation.publishing.name_requester import name_requester


@require_http_methods(["GET", "HEAD", "POST"])
@study_page(Role.OWNER)
def name(request: HttpRequest, study: Study) -> HttpResponse:
    """The name that participants see; where there is none, the visitor's own full name is proposed, not set."""
    market, user = Market(settings.endpoint()), visitor(request)
    known = market.requester() if market.ours else None
    proposed = (known.shown if known else "") or user.get_full_name()
    form = ShownName(request.POST or None, initial={"shown_name": proposed})
    if request.method == "POST" and form.is_valid():
        with attach_errors(form):
            shown = form.cleaned_data["shown_name"]
            name_requester(study, shown, market=market, actor=user.get_username(), now=timezone.now())
            messages.success(request, _("Participants now see “%(name)s”.") % {"name": shown})
            return redirect("console:recruit" if study.channel_tag else "console:publish", study.uuid)
    context = {"study": study, "form": form, "name": known, "address": market.url}
    return render(request, "console/shown_name.html", context, status=422 if form.errors else 200)
