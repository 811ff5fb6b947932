"""How the console writes money, times and links, and what stands around a page."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from django import template
from django.forms import BoundField, CheckboxInput, CheckboxSelectMultiple, RadioSelect
from django.http import HttpRequest
from django.template import Context
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html, format_html_join, strip_tags
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from annotation.console import navigation
from annotation.console.task_units import PER_TASK, RATERS_OF
from annotation.design import kinds
from annotation.exceptions import DesignError
from annotation.jobs.installation_state import describe_duration
from annotation.models import AuditEvent, Decision, Job, Study
from annotation.overview.stages import NextStep
from annotation.pricing.currency import DEFAULT_CURRENCY, format_money
from annotation.quality.filters import title_of
from annotation.studies import access
from annotation.studies.rows import has_rows

register = template.Library()
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d) UTC")


@register.filter
def money(minor: int | None, currency: str) -> str:
    """Minor units of a study's currency as $1,234.50, €1.25 or ¥150; a dash where there are none to show."""
    return format_money(minor, currency)


WAYS_OF_PAY = {
    "voucher": _("voucher"),
    "credit": _("course credit"),
    "elsewhere": _("paid elsewhere"),
    "volunteer": _("unpaid"),
    "ledger": _("this site"),
    "here": _("this site"),
}


@register.filter
def paid_by(pays: str) -> Any:
    """How people of a channel are paid, in words."""
    return WAYS_OF_PAY.get(pays, pays)


FILE_STATES = {"open": _("not marked as sent"), "sent": _("sent"), "discarded": _("discarded")}


@register.filter
def file_state(state: str) -> Any:
    """The state of a payout file, in words."""
    return FILE_STATES.get(state, state)


@register.filter
def commas(number: int | None) -> str:
    """12345 as 12,345; a dash for nothing."""
    return "–" if number is None else f"{number:,}"


COUNTED = {
    "assignment": ngettext_lazy("%(shown)s assignment", "%(shown)s assignments", "number"),
    "block": ngettext_lazy("%(shown)s block", "%(shown)s blocks", "number"),
    "condition": ngettext_lazy("%(shown)s condition", "%(shown)s conditions", "number"),
    "context": ngettext_lazy("%(shown)s context", "%(shown)s contexts", "number"),
    "evaluator": ngettext_lazy("%(shown)s evaluator", "%(shown)s evaluators", "number"),
    "explanation": ngettext_lazy("%(shown)s explanation", "%(shown)s explanations", "number"),
    "flag": ngettext_lazy("%(shown)s flag", "%(shown)s flags", "number"),
    "HIT": ngettext_lazy("%(shown)s HIT", "%(shown)s HITs", "number"),
    "judgment": ngettext_lazy("%(shown)s judgment", "%(shown)s judgments", "number"),
    "document": ngettext_lazy("%(shown)s document", "%(shown)s documents", "number"),
    "measure": ngettext_lazy("%(shown)s measure", "%(shown)s measures", "number"),
    "pair": ngettext_lazy("%(shown)s pair", "%(shown)s pairs", "number"),
    "place": ngettext_lazy("%(shown)s place", "%(shown)s places", "number"),
    "rater": ngettext_lazy("%(shown)s rater", "%(shown)s raters", "number"),
    "row": ngettext_lazy("%(shown)s row", "%(shown)s rows", "number"),
    "score": ngettext_lazy("%(shown)s score", "%(shown)s scores", "number"),
    "submission": ngettext_lazy("%(shown)s submission", "%(shown)s submissions", "number"),
    "task": ngettext_lazy("%(shown)s task", "%(shown)s tasks", "number"),
    "test": ngettext_lazy("%(shown)s test", "%(shown)s tests", "number"),
    "text": ngettext_lazy("%(shown)s text", "%(shown)s texts", "number"),
    "version": ngettext_lazy("%(shown)s version", "%(shown)s versions", "number"),
    "worker": ngettext_lazy("%(shown)s worker", "%(shown)s workers", "number"),
}


@register.filter
def counted(number: int | None, noun: str) -> str:
    """A number with its noun, a key of COUNTED: 1 text, 12,345 texts; a dash for nothing."""
    return "–" if number is None else str(COUNTED[noun] % {"number": number, "shown": commas(number)})


@register.filter
def moment(at: datetime | str | None) -> SafeString | str:
    """A time (or its ISO 8601 text) in UTC, which it names; the page's script rewrites it in the reader's zone. "–" for
    None."""
    if at is None:
        return "–"
    if isinstance(at, str):
        at = datetime.fromisoformat(at)
    in_utc = at.astimezone(UTC)
    words = in_utc.strftime("%Y-%m-%d %H:%M")
    return format_html('<time datetime="{}" data-moment="short">{} UTC</time>', in_utc.isoformat(), words)


@register.filter
def with_moments(sentence: str) -> SafeString:
    """A sentence in which each time in UTC that it names is rewritten in the reader's zone, as `moment` has it."""
    parts = _MOMENT.split(sentence)
    shown = [moment(datetime.fromisoformat(part).replace(tzinfo=UTC)) for part in parts[1::2]]
    return format_html_join("", "{}{}", zip(parts[::2], [*shown, ""], strict=True))


@register.filter
def past(at: datetime, seconds: int) -> bool:
    """Whether so many seconds went by since."""
    return timezone.now() - at >= timedelta(seconds=seconds)


@register.filter
def span(seconds: int) -> str:
    """A span of time in its largest whole unit, up to days: 90 minutes, 36 hours, 7 days."""
    for unit, singular, many in (
        (86_400, _("day"), _("days")),
        (3600, _("hour"), _("hours")),
        (60, _("minute"), _("minutes")),
    ):
        if seconds and seconds % unit == 0:
            return f"{seconds // unit:,} {singular if seconds == unit else many}"
    return f"{seconds:,} {_('seconds')}"


@register.filter
def duration(seconds: float) -> str:
    """A measured span of time, as the doctor writes it: 40 s, 12 min, 3 h."""
    return describe_duration(seconds)


@register.filter
def in_code(sentence: str) -> SafeString:
    """A sentence in which what stands between backticks is code."""
    parts = sentence.split("`")
    tags = ["{}" if at % 2 == 0 else "<code>{}</code>" for at in range(len(parts))]
    return format_html("".join(tags), *parts)


@register.filter
def named(names: Iterable[str]) -> str:
    """Names of fields as a list of words; a dash for none."""
    return ", ".join(name.replace("_", " ") for name in names) or "–"


@register.filter
def flag_title(kind: str) -> str:
    """A flag's name for a reader."""
    return title_of(kind)


@register.filter
def may(study: Study, min_role: str) -> bool:
    """Whether the visitor's role on the study is at least `least`."""
    return access.may(study, min_role)


@register.filter
def ticked(field: BoundField) -> bool:
    """Whether a form's field is a box to tick: its label stands behind it."""
    return isinstance(field.field.widget, CheckboxInput)


@register.simple_block_tag(name="table")
def scrolling_table(content: str, label: str, *, kind: str = "", tall: bool = False, stack: bool = False) -> SafeString:
    """A table that scrolls inside its own region, which `label` names.

    tall: within a part of the window's height. stack: on a phone its rows are blocks, whose cells name their columns.
    """
    kinds = " ".join(name for name in (kind, "stack" if stack else "") if name)
    return format_html(
        '<div class="scroll{}" tabindex="0" role="region" aria-label="{}"><table{}>{}</table></div>',
        " tall" if tall else "",
        label,
        format_html(' class="{}"', kinds) if kinds else "",
        _label_cells(content) if stack else content,
    )


def _label_cells(content: str) -> SafeString:
    """Rows of a table whose cells carry the heading of their column, for the style sheet; a button names itself."""
    head, _tbody, body = content.partition("<tbody>")
    labels = ["" if heading.startswith(UNSEEN) else strip_tags(heading) for heading in HEADING.findall(head)]

    def label_row(row: re.Match[str]) -> str:
        columns = iter(labels)
        return CELL.sub(lambda cell: _label_cell(cell[1], next(columns, "")), row[0])

    return mark_safe(f"{head}<tbody>{ROW.sub(label_row, body)}")  # noqa: S308 - escaped by the template


def _label_cell(opened: str, label: str) -> str:
    # What a template translates comes unescaped, and an attribute ends at a quotation mark.
    quoted = label.replace('"', "&quot;")
    return f'<td data-label="{quoted}"' if opened == "<td" else opened


UNSEEN = '<span class="unseen">'
HEADING = re.compile(r"<th\b[^>]*>(.*?)</th>", re.DOTALL)
ROW = re.compile(r"<tr\b.*?</tr>", re.DOTALL)
CELL = re.compile(r"(<t[dh])\b")


@register.simple_block_tag
def empty_state(content: str, title: str, *, level: int = 2) -> SafeString:
    """Says that there is nothing yet, and in its content what to do about it. level: of the heading."""
    return format_html('<div class="empty"><h{0}>{1}</h{0}>{2}</div>', level, title, content)


@register.inclusion_tag("console/links.html", takes_context=True)
def rail(context: Context) -> dict[str, Any]:
    """The links on the left; a study's pages and an import belong to Studies, a comparison's to Compare."""
    job = context.get("job")
    of_job = job and ("compare" if job.kind == Job.Kind.COMPARISON else "studies")
    name = "studies" if context.get("study") else of_job or _url_name(context)
    return {"links": _links(navigation.RAIL, name)}


@register.simple_tag(takes_context=True)
def help_address(context: Context) -> str:
    """Where the help opens for the page that is shown."""
    return reverse("console:help-page", args=[navigation.help_page(_url_name(context))])


@register.inclusion_tag("console/tabs.html", takes_context=True)
def tabs(context: Context, study: Study) -> dict[str, Any]:
    """The parts of the work, and the pages of the part that is open, as far as the visitor's role sees them."""
    name, groups, pages, part = _place_name(context), [], [], ""
    rows = has_rows(study)
    for group in navigation.GROUPS:
        seen = [place for place in group.places if access.may(study, place.min_role) and (rows or place.of_report)]
        if not seen:
            continue
        is_open = any(place.holds(name) for place in seen)
        groups.append((reverse(f"console:{seen[0].key}", args=[study.uuid]), group.label, is_open))
        if is_open and len(seen) > 1:
            pages, part = _links(seen, name, study.uuid), group.label
    return {"groups": groups, "pages": pages, "part": part}


# Pages of jobs of a study's measures, which belong to its results like the job of its report.
JOB_PAGES = ("studies-nnd-", "studies-h-")


def _place_name(context: Context) -> str:
    name, job = _url_name(context), context.get("job")
    if job and job.kind == Job.Kind.REPORT and name.split("-")[0] == "job":
        return "results"
    return "results" if name.startswith(JOB_PAGES) else name


def _links(places: Iterable[navigation.Place], url_name: str, *parts: object) -> list[tuple[str, Any, bool]]:
    return [(reverse(f"console:{place.key}", args=parts), place.label, place.holds(url_name)) for place in places]


def _url_name(context: Context) -> str:
    request: HttpRequest | None = context.get("request")
    match = request.resolver_match if request else None
    return (match.url_name or "") if match else ""


@register.simple_tag
def step_address(study: Study, step: NextStep) -> str:
    """Where the next step of a study is done."""
    return reverse(f"console:{step.place}", args=[step.job or study.uuid])


@register.filter
def grouped(field: BoundField) -> bool:
    """Whether a field is a group of choices, which a legend names."""
    return isinstance(field.field.widget, RadioSelect | CheckboxSelectMultiple)


@register.filter
def summed(counts: dict[str, int]) -> str:
    """The sum of a mapping's numbers."""
    return commas(sum(counts.values()))


@register.filter
def number(value: float | None) -> str:
    """Three decimals; a dash for nothing."""
    return "–" if value is None else f"{value:.3f}".replace("-", "−")


@register.filter
def signed(value: float) -> str:
    """Three decimals with the sign; no sign for 0."""
    shown = number(value)
    return f"+{shown}" if value >= 0.0005 else "0.000" if value > -0.0005 else shown


@register.simple_tag
def measured(value: float | None, *, share: bool) -> str:
    """A measure: a share in per cent with one decimal, else three decimals."""
    return f"{100 * value:.1f}%" if share and value is not None else number(value)


@register.simple_tag
def moved(change: float, *, share: bool) -> str:
    """A change of a measure with its sign: of a share in percentage points, else three decimals."""
    if not share:
        return signed(change)
    points = f"{100 * abs(change):.1f}"
    sign = "" if points == "0.0" else "+" if change > 0 else "−"
    return f"{sign}{points} pp"


@register.filter
def percent(share: float | None) -> str:
    """A share as whole per cent; a dash for nothing."""
    return "–" if share is None else f"{100 * share:.0f}%"


@register.filter
def chance(probability: float | None) -> str:
    """A chance as whole per cent that is never said to be sure; a dash for nothing."""
    if probability is None:
        return "–"
    return "<1%" if probability < 0.01 else ">99%" if probability > 0.99 else f"{100 * probability:.0f}%"


@register.filter
def drawn(svg: str) -> SafeString:
    """A figure that `metrics.figures.static` drew: its texts are escaped there."""
    return mark_safe(svg)  # noqa: S308 - made by us, from escaped texts


DEEDS = {
    "create_batch": _("created the batch"),
    "publish_batch": _("published the batch"),
    "cancel_batch": _("canceled the batch"),
    "delete_draft": _("deleted the draft"),
    "gather_results": _("gathered results"),
    "review_batch": _("applied a reviewed file"),
    "create": _("created the study"),
    "duplicate": _("created the study as a copy"),
    "replicate": _("created the study as a repetition"),
    "rename": _("renamed the study"),
    "archive": _("archived the study"),
    "unarchive": _("unarchived the study"),
    "configure": _("changed settings"),
    "reword": _("changed the task text"),
    "time_preview": _("stored the time that answering the preview took"),
    "change_training": _("changed training items"),
    "add_texts": _("added texts"),
    "select_texts": _("selected texts"),
    "score_texts": _("scored texts"),
    "build_nnd_tests": _("built near-negative tests"),
    "run_nnd": _("ran near-negative tests"),
    "score_h": _("scored human-likelihood"),
    "read_by_model": _("scored texts with a model"),
    "state": _("updated study details"),
    "attach": _("attached a file of scores"),
    "detach": _("removed a file of scores"),
    "arrange": _("set trainings and conditions"),
    "design": _("created tasks"),
    "clear_design": _("discarded the tasks"),
    "publish": _("published"),
    "approve": _("approved submissions"),
    "pay": _("paid a worker"),
    "edit_codebook": _("changed a codebook"),
    "unblind": _("unblinded results"),
    "detect": _("scored explanations with a detector"),
    "fix_rules": _("locked exclusion rules"),
    "apply_rules": _("applied exclusion rules"),
    "leave_out": _("excluded submissions"),
    "take_back_in": _("included submissions again"),
    "undo": _("undid a decision"),
    "propose_rejection": _("proposed a rejection"),
    "drop_proposal": _("withdrew a proposal"),
    "reject": _("rejected a submission"),
    "overturn": _("reversed a rejection"),
    "record_reply": _("recorded a worker's reply"),
    "hear_reply": _("received a worker's reply to a rejection"),
    "uphold": _("upheld a rejection"),
    "notify": _("sent a message to workers"),
    "block": _("blocked a worker"),
    "hold": _("excluded a worker from future studies"),
    "look_up_worker_id": _("looked at a worker ID"),
    "lift_hold": _("ended a worker's exclusion from future studies"),
    "unblock": _("ended a block"),
    "export": _("created a report"),
    "export_comparison": _("compared it with other studies"),
    "share": _("shared a report by a link"),
    "revoke_share": _("revoked a link"),
    "enrol": _("changed members"),
    "create_payout_file": _("created a payout file"),
    "mark_payout_sent": _("marked payouts as sent"),
    "undo_payout_sent": _("undid the mark of a payout file"),
    "discard_payout_file": _("discarded a payout file"),
    "forget": _("deleted worker IDs on the retention date"),
    "delete_ids": _("deleted IDs before the retention date"),
    "release": _("created a public release"),
    "ethics_answers": _("changed the ethics pack"),
    "plan_answers": _("changed the plan"),
    "seal_plan": _("sealed the plan"),
    "amend_plan": _("amended the plan"),
    "set_objections": _("stored who does not share answers"),
    "erase_person": _("erased a person"),
    "forget_draws": _("renamed the people of the draw at random on the retention date"),
    "invite_member": _("created an invitation link for a colleague"),
    "revoke_invitation": _("revoked a colleague's invitation link"),
    "join": _("joined by an invitation link"),
    "invite": _("created the invitation link"),
    "name_requester": _("set the name that participants see"),
    "open_channel": _("opened a channel"),
    "change_channel": _("changed a channel"),
    "close_channel": _("closed a channel"),
    "reopen_channel": _("reopened a channel"),
    "renew_link": _("created a new link for a person"),
    "invite_people": _("invited people"),
    "mail_people": _("mailed links to people"),
    "set_prolific_draft": _("changed the draft on Prolific"),
    "publish_on_prolific": _("published on Prolific"),
    "add_prolific_places": _("added places on Prolific"),
    "recruit": _("began recruitment on Prolific"),
    "pause_prolific": _("paused recruitment on Prolific"),
    "start_prolific": _("started recruitment on Prolific"),
    "stop_prolific": _("stopped recruitment on Prolific"),
    "retry_prolific": _("retried failed actions on Prolific"),
    "settle_prolific": _("settled the cost on Prolific"),
    "settle_prolific_batch": _("stated whether a payment on Prolific was made"),
    "ask_to_return": _("asked a person to return their submission on Prolific"),
    "approve_unpaid": _("approved a returned submission without payment"),
    "refuse": _("carried out a rejection"),
    "follow": _("followed a decision of the marketplace"),
    "adopt": _("linked HITs of the marketplace to this study"),
    "write_off": _("marked HITs as deleted"),
    "close_ghost": _("closed an unknown HIT"),
    "pause": _("paused the study"),
    "resume": _("resumed the study"),
    "expire": _("stopped recruitment"),
    "close": _("closed the study"),
    "declare_rule": _("declared a stopping rule"),
    "top_up": _("topped up missing ratings"),
    "keep_topped_up": _("changed automatic top-ups"),
    "raise_pay": _("paid the difference to the minimum hourly pay"),
    "retry": _("retried failed marketplace actions"),
    "drop": _("discarded failed marketplace actions"),
    "reparse": _("read stored answers again"),
    "withdraw": _("deleted withdrawn answers"),
    "plan_scoring": _("started to compute log-probabilities"),
    "sample_texts": _("generated texts"),
    "retrieve_texts": _("added texts of the retrieval baseline"),
    "import_work": _("imported a finished batch"),
    "import_report": _("imported a report"),
}


VERDICTS = {
    "approve": _("approved"),
    "reject": _("rejected"),
    "include": _("included"),
    "exclude": _("excluded"),
}


@register.filter
def verdict(decision: Decision) -> Any:
    """What was decided, in the words of the tables."""
    return VERDICTS[decision.verdict]


@register.filter
def done(deed: AuditEvent) -> Any:
    """What was done, in words; the verb itself where there are none."""
    return DEEDS.get(deed.verb, deed.verb.replace("_", " "))


@register.filter
def facts(details: dict[str, Any], currency: str = DEFAULT_CURRENCY) -> str:
    """The numbers and names of a deed, short: of a plan only that it is there, keys that programs use left out.

    currency: of the deed's study."""
    short = {name: _fact(name, value, currency) for name, value in sorted(details.items()) if name not in KEYS}
    parts = [f"{FACT_NAMES.get(name) or _spell_out(name)}: {value}" for name, value in short.items() if value]
    return "; ".join(parts)[:300]


KEYS = {"intent", "job", "of_uuid", "invitation"}
FACT_NAMES = {"arms": _("trainings"), "cells": _("conditions"), "hits": _("tasks"), "total_minor": _("total")}
CHANNEL_KINDS = {
    "accounts": _("accounts"),
    "link": _("open link"),
    "list": _("list of people"),
    "prolific": "Prolific",
    "team": _("team"),
}
CODE_NAME = re.compile(r"[A-Z][a-z]+(?:[A-Z][a-z]+)+")


def _spell_out(name: str) -> str:
    """A name that programs use, in words: `total_cents` and `HighestRewardMinor` without their units."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower().removesuffix("_cents").removesuffix("_minor")
    return words.replace("_", " ")


MONEY = {"reward", "bonus", "fee"}


def _fact(name: str, value: Any, currency: str) -> str:
    if name == "plan":
        return "stored"
    if (name in MONEY or name.endswith("_cents")) and isinstance(value, int):
        return format_money(value, currency)
    if name == "total_minor" and isinstance(value, int):
        return format_money(value, currency)
    if name == "kind":
        return str(CHANNEL_KINDS.get(value, _short(value)))
    if name == "rules":
        return ", ".join(title_of(rule[0]) + (f" ({rule[1]})" if rule[1] is not None else "") for rule in value)
    return _short(value)


def _short(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{name.replace('_', ' ')} {_short(part)}" for name, part in sorted(value.items()))
    if isinstance(value, list):
        more = [f"… ({len(value)})"] if len(value) > 3 else []
        return ", ".join([*filter(None, map(_short, value[:3])), *more])
    text = _spell_out(value) if isinstance(value, str) and CODE_NAME.fullmatch(value) else str(value)
    return f"{text[:12]}…" if len(text) > 60 else text


@register.filter
def without_code(problem: str) -> str:
    """What a marketplace answered, without the code of the error that stands before its sentence."""
    code, _separator, sentence = problem.partition(": ")
    return sentence if sentence and CODE_NAME.fullmatch(code) else problem


BRACKETS = re.compile(r"(\[[^\[\]]*\])")


@register.filter
def unbroken_intervals(cell: str) -> SafeString:
    """A cell of a table whose intervals stay on a line."""
    pieces = (("whole" if at % 2 else "", part) for at, part in enumerate(BRACKETS.split(cell)))
    return format_html_join("", '<span class="{}">{}</span>', pieces)


@register.filter
def task_title(name: str) -> str:
    """What a kind of task is called."""
    return kinds.title_of(name)


@register.filter
def per_task(name: str) -> str:
    """The label of how many texts, pairs, contexts or documents a task of a kind holds."""
    return str(PER_TASK[kinds.unit_of(name)])


@register.filter
def raters_of(name: str) -> str:
    """The label of how many raters each of them has."""
    return str(RATERS_OF[kinds.unit_of(name)])


@register.filter
def task_help(name: str) -> str:
    """Where the help describes a kind of task; "" where it is not installed."""
    kind = kinds.find_kind(name)
    return reverse("console:help-page", args=[kind.help_page]) if kind else ""


@register.filter
def missing_kind(name: str) -> str:
    """Why a kind of task is not available; "" where it is installed."""
    try:
        kinds.kind_called(name)
    except DesignError as error:
        return str(error)
    return ""
