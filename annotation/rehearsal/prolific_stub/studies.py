"""Studies: drafts, prices, transitions, places."""

from __future__ import annotations

from annotation.rehearsal.prolific_stub import events, filters, money
from annotation.rehearsal.prolific_stub.account_state import AccountState
from annotation.rehearsal.prolific_stub.accounts import body_of
from annotation.rehearsal.prolific_stub.answers import ApiError, Record, StubAnswer, listing
from annotation.rehearsal.prolific_stub.request_shapes import CreateStudy, StudyTransition, min_allowed_minutes
from annotation.rehearsal.prolific_stub.routing import ApiCall, operation

# From a status by an action to the next.
TRANSITIONS = {
    ("UNPUBLISHED", "PUBLISH"): "PUBLISHING",
    ("UNPUBLISHED", "SCHEDULE_PUBLISH"): "SCHEDULED",
    ("SCHEDULED", "CANCEL_PUBLISH"): "UNPUBLISHED",
    ("ACTIVE", "PAUSE"): "PAUSED",
    ("ACTIVE", "STOP"): "COMPLETED",
    ("PAUSED", "START"): "ACTIVE",
    ("PAUSED", "STOP"): "COMPLETED",
    ("AWAITING REVIEW", "STOP"): "COMPLETED",
}
CHANGEABLE_WHEN_PUBLISHED = {"internal_name", "total_available_places", "submissions_config", "access_details"}
DONE_STATUSES = ("AWAITING REVIEW", "APPROVED", "PARTIALLY APPROVED", "SCREENED OUT")
SHORT_FIELDS = (
    "id",
    "name",
    "internal_name",
    "status",
    "date_created",
    "published_at",
    "total_available_places",
    "places_taken",
    "number_of_submissions",
    "reward",
    "currency_code",
    "study_type",
    "project",
)
DEFAULTS: Record = {
    "internal_name": "",
    "filters": [],
    "device_compatibility": [],
    "peripheral_requirements": [],
    "metadata": None,
    "study_labels": [],
    "content_warnings": [],
    "content_warning_details": "",
    "naivety_distribution_rate": None,
    "external_study_url": None,
    "publish_at": None,
    "submissions_config": {"max_submissions_per_participant": 1, "max_concurrent_submissions": -1},
}


def shown(study: Record, world: AccountState) -> Record:
    """Return a study with what is computed: places taken, submissions, cost."""
    rows = world.submissions_of(study)
    holding = [row for row in rows if row["status"] not in money.FREE_STATUSES]
    return study | {
        "places_taken": len(holding),
        "number_of_submissions": len(rows),
        "total_cost": money.price_places(study, world.settings).total_amount,
        "currency_code": world.settings.currency,
        "study_type": "SINGLE",
    }


def settle_status(study: Record, world: AccountState) -> None:
    """Move a running study on: all places done is AWAITING REVIEW, all reviewed COMPLETED, a freed place ACTIVE."""
    if study["status"] not in ("ACTIVE", "AWAITING REVIEW"):
        return
    statuses = [row["status"] for row in world.submissions_of(study)]
    done = sum(status in DONE_STATUSES for status in statuses)
    status = "ACTIVE"
    if done >= study["total_available_places"]:
        status = "AWAITING REVIEW" if "AWAITING REVIEW" in statuses else "COMPLETED"
    set_status(study, status, world)


def set_status(study: Record, status: str, world: AccountState) -> None:
    """Give a study its status; a change is an event."""
    if study["status"] != status:
        study["status"] = status
        body = {"event_type": "study.status.change", "resource_id": study["id"], "status": status, "metadata": {}}
        events.notify(world, world.workspace_of(study), body)


@operation("list_studies")
def list_studies(call: ApiCall) -> StubAnswer:
    """The account's studies in short."""
    states = {state.strip(" ()").upper() for state in call.query.get("state", "").split("|") if state}
    studies = [study for study in call.world.studies.values() if not states or study["status"] in states]
    return listing([_short(study, call.world) for study in studies], call.query, call.path)


@operation("list_project_studies")
def list_project_studies(call: ApiCall) -> StubAnswer:
    """A project's studies in short."""
    project = call.world.get("projects", call.names["project"])["id"]
    studies = [study for study in call.world.studies.values() if study["project"] == project]
    return listing([_short(study, call.world) for study in studies], call.query, call.path)


def _short(study: Record, world: AccountState) -> Record:
    names = (*SHORT_FIELDS, "metadata") if world.settings.lists_have_metadata else SHORT_FIELDS
    full = shown(study, world)
    return {name: full.get(name) for name in names}


@operation("create_study")
def create_study(call: ApiCall) -> StubAnswer:
    """A draft; without a project in the first of the account. Sent twice, it makes two."""
    sent = body_of(call.body_as(CreateStudy))
    _check_references(sent, call.world)
    study = DEFAULTS | sent
    study.setdefault("project", next(iter(call.world.projects)))
    study.setdefault("maximum_allowed_time", min_allowed_minutes(study["estimated_completion_time"]))
    study |= {
        "id": call.world.new_id(),
        "status": "UNPUBLISHED",
        "date_created": call.world.now(),
        "published_at": None,
    }
    call.world.studies[study["id"]] = study
    return StubAnswer(201, shown(study, call.world))


def _check_references(sent: Record, world: AccountState) -> None:
    """Raises ApiError (400) for a project, filter or participant group that there is not."""
    if "project" in sent and sent["project"] not in world.projects:
        raise ApiError(400, {"project": ["no such project"]})
    filters.check_filters(sent.get("filters") or [])
    for code in sent.get("completion_codes") or []:
        for action in code["actions"]:
            if "participant_group" in action and action["participant_group"] not in world.groups:
                raise ApiError(400, {"completion_codes": [f"no participant group {action['participant_group']}"]})


@operation("get_study")
def get_study(call: ApiCall) -> StubAnswer:
    """A study; the first look after publishing finds it active."""
    study = call.world.get("studies", call.names["study"])
    if study["status"] == "PUBLISHING":
        set_status(study, "ACTIVE", call.world)
    return StubAnswer(200, shown(study, call.world))


@operation("update_study")
def update_study(call: ApiCall) -> StubAnswer:
    """Any field of a draft; of a published study some, and places only upwards."""
    study, sent = call.world.get("studies", call.names["study"]), body_of(call.body)
    _check_references(sent, call.world)
    if study["status"] not in money.DRAFT_STATUSES:
        _check_published_change(study, sent, call.world)
    study |= sent
    if study["status"] == "COMPLETED" and "total_available_places" in sent:
        set_status(study, "ACTIVE", call.world)
    return StubAnswer(200, shown(study, call.world))


def _check_published_change(study: Record, sent: Record, world: AccountState) -> None:
    fixed = sorted(set(sent) - CHANGEABLE_WHEN_PUBLISHED)
    if fixed:
        raise ApiError(400, {name: ["cannot be changed after publishing"] for name in fixed})
    places = sent.get("total_available_places")
    if places is None:
        return
    if places < study["total_available_places"]:
        raise ApiError(400, {"total_available_places": ["may only grow after publishing"]})
    added = money.price_places(study | {"total_available_places": places}, world.settings).total_amount
    held = money.committed(study, world).total_amount
    if added - held > money.available_cents(world.workspace_of(study), world):
        raise ApiError(400, "The balance is too low for these places.")


@operation("delete_study")
def delete_study(call: ApiCall) -> StubAnswer:
    """Only a draft."""
    study = call.world.get("studies", call.names["study"])
    if study["status"] != "UNPUBLISHED":
        raise ApiError(409, "A published study cannot be deleted.")
    del call.world.studies[study["id"]]
    return StubAnswer(200, {})


@operation("transition_study")
def transition_study(call: ApiCall) -> StubAnswer:
    """The next status. Publishing checks and locks the money."""
    study, action = call.world.get("studies", call.names["study"]), call.body_as(StudyTransition).action
    status = TRANSITIONS.get((study["status"], action))
    if status is None:
        raise ApiError(409, f"{action} is not possible: the study is {study['status']}.")
    if action in ("PUBLISH", "SCHEDULE_PUBLISH"):
        _check_publishable(study, call.world)
    if action == "SCHEDULE_PUBLISH":
        study["publish_at"] = call.body_as(StudyTransition).publish_at or study["publish_at"]
        if not study["publish_at"]:
            raise ApiError(400, {"publish_at": ["required to schedule"]})
    if action == "PUBLISH":
        study["published_at"] = call.world.now()
    set_status(study, status, call.world)
    return StubAnswer(200, shown(study, call.world))


def _check_publishable(study: Record, world: AccountState) -> None:
    cost = money.price_places(study, world.settings).total_amount
    if cost > money.available_cents(world.workspace_of(study), world):
        raise ApiError(400, f"The balance is too low: the study costs {cost}.")
    hourly = study["reward"] * 60 / study["estimated_completion_time"]
    if hourly < world.settings.minimum_hourly_cents:
        raise ApiError(400, {"reward": [f"at least {world.settings.minimum_hourly_cents} an hour"]})


@operation("clone_study")
def clone_study(call: ApiCall) -> StubAnswer:
    """A draft with the same fields; its filters exclude who took part, unless told otherwise."""
    study = call.world.get("studies", call.names["study"])
    copy = study | {"id": call.world.new_id(), "status": "UNPUBLISHED", "published_at": None}
    copy["date_created"] = call.world.now()
    if body_of(call.body).get("block_previous_participants", True):
        blocked = {"filter_id": "previous_studies_blocklist", "selected_values": [study["id"]]}
        copy["filters"] = [*study["filters"], blocked]
    call.world.studies[copy["id"]] = copy
    return StubAnswer(200, shown(copy, call.world))


@operation("get_study_cost")
def get_study_cost(call: ApiCall) -> StubAnswer:
    """What was paid so far with fees and tax; what all places cost where the projected cost is asked for."""
    study = call.world.get("studies", call.names["study"])
    rewards = money.paid_rewards(study, call.world)
    if call.query.get("is_projected", "").lower() == "true":
        rewards = money.price_places(study, call.world.settings)
    bonuses = money.paid_bonuses(study, call.world)
    return StubAnswer(200, {"rewards": rewards.to_json(), "bonuses": bonuses.to_json()})


@operation("calculate_cost")
def calculate_cost(call: ApiCall) -> StubAnswer:
    """What a study of these figures costs."""
    sent = body_of(call.body)
    return StubAnswer(200, {"total_cost": money.price_places(sent, call.world.settings).total_amount})


@operation("count_submissions")
def count_submissions(call: ApiCall) -> StubAnswer:
    """How many submissions have each status."""
    statuses = [row["status"] for row in call.world.submissions_of(call.world.get("studies", call.names["study"]))]
    known = (
        "ACTIVE",
        "APPROVED",
        "AWAITING REVIEW",
        "REJECTED",
        "RESERVED",
        "RETURNED",
        "TIMED-OUT",
        "PARTIALLY APPROVED",
        "SCREENED OUT",
    )
    counts = {status: statuses.count(status) for status in (*known, *sorted(set(statuses) - set(known)))}
    return StubAnswer(200, counts | {"TOTAL": len(statuses)})


@operation("create_test_study")
def create_test_study(call: ApiCall) -> StubAnswer:
    """A copy of a draft, published to test participants; nobody is paid."""
    draft = call.world.get("studies", call.names["study"])
    if draft["status"] != "UNPUBLISHED":
        raise ApiError(409, "Only a draft can be tested.")
    if not any(person.get("is_test") for person in call.world.participants.values()):
        raise ApiError(400, "Create a test participant first.")
    study = draft | {"id": call.world.new_id(), "status": "ACTIVE", "is_test": True, "reward": 0}
    call.world.studies[study["id"]] = study
    return StubAnswer(200, {"study_id": study["id"], "study_url": f"https://app.prolific.com/studies/{study['id']}"})
