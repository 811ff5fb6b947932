"""The account, its workspaces and projects, filters and test participants."""

from __future__ import annotations

from annotation.rehearsal.prolific_stub import filters, money
from annotation.rehearsal.prolific_stub.account_state import FIRST_WORKSPACE, RESEARCHER
from annotation.rehearsal.prolific_stub.answers import ApiError, Record, StubAnswer, listing
from annotation.rehearsal.prolific_stub.request_shapes import EligibilityCount, Shape
from annotation.rehearsal.prolific_stub.routing import ApiCall, operation


def body_of(shape: Shape) -> Record:
    """Return the fields that were sent, as they were sent."""
    return shape.model_dump(exclude_unset=True)


@operation("get_user")
def get_user(call: ApiCall) -> StubAnswer:
    """The account of the token."""
    settings = call.world.settings
    balance = money.available_cents(FIRST_WORKSPACE, call.world)
    user = {"id": RESEARCHER, "email": "lab@example.org", "name": "Language lab"}
    return StubAnswer(200, user | {"currency_code": settings.currency, "balance": balance})


@operation("list_workspaces")
def list_workspaces(call: ApiCall) -> StubAnswer:
    """Every workspace of the account."""
    return listing(list(call.world.workspaces.values()), call.query, call.path)


@operation("get_workspace")
def get_workspace(call: ApiCall) -> StubAnswer:
    """A workspace."""
    return StubAnswer(200, call.world.get("workspaces", call.names["workspace"]))


@operation("get_balance")
def get_balance(call: ApiCall) -> StubAnswer:
    """What a workspace has and can spend."""
    workspace = call.world.get("workspaces", call.names["workspace"])["id"]
    total, available = money.total_cents(workspace, call.world), money.available_cents(workspace, call.world)
    return StubAnswer(
        200,
        {
            "currency_code": call.world.settings.currency,
            "total_balance": total,
            "balance_breakdown": _breakdown(call, total),
            "available_balance": available,
            "available_balance_breakdown": _breakdown(call, available),
        },
    )


def _breakdown(call: ApiCall, cents: int) -> Record:
    settings = call.world.settings
    thousandths = 1_000_000 + settings.fee_per_mille * (1000 + settings.vat_per_mille)
    rewards = cents * 1_000_000 // thousandths
    fees = cents * settings.fee_per_mille * 1000 // thousandths
    return {"rewards": rewards, "fees": fees, "vat": cents - rewards - fees}


@operation("list_projects")
def list_projects(call: ApiCall) -> StubAnswer:
    """The projects of a workspace."""
    workspace = call.world.get("workspaces", call.names["workspace"])["id"]
    projects = [project for project in call.world.projects.values() if project["workspace"] == workspace]
    return listing(projects, call.query, call.path)


@operation("create_project")
def create_project(call: ApiCall) -> StubAnswer:
    """A further project."""
    workspace = call.world.get("workspaces", call.names["workspace"])["id"]
    project = {"id": call.world.new_id(), "workspace": workspace, **body_of(call.body)}
    call.world.projects[project["id"]] = project
    return StubAnswer(201, project)


@operation("get_project")
def get_project(call: ApiCall) -> StubAnswer:
    """A project."""
    return StubAnswer(200, call.world.get("projects", call.names["project"]))


@operation("list_filters")
def list_filters(call: ApiCall) -> StubAnswer:
    """Every filter, and a kind that is not known yet where the settings ask for it."""
    unknown = [filters.UNKNOWN] if call.world.settings.has_unknown_filters else []
    offered = [row for row in filters.FILTERS if row["filter_id"] not in call.world.settings.missing_filters]
    return listing([*unknown, *offered], call.query, call.path)


@operation("get_distribution")
def get_distribution(call: ApiCall) -> StubAnswer:
    """How the panel is spread over the choices of a filter."""
    known = filters.BY_ID.get(call.names["filter"])
    if known is None:
        raise ApiError(404, f"No filter with the id {call.names['filter']}.")
    share = filters.PANEL // max(1, len(known.get("choices", ())))
    return StubAnswer(
        200, {"filter_id": known["filter_id"], "distribution": dict.fromkeys(known.get("choices", ()), share)}
    )


@operation("count_eligible")
def count_eligible(call: ApiCall) -> StubAnswer:
    """How many people pass every filter."""
    chosen = body_of(call.body_as(EligibilityCount))["filters"]
    filters.check_filters(chosen)
    return StubAnswer(200, {"count": filters.count_people(chosen)})


@operation("create_test_participant")
def create_test_participant(call: ApiCall) -> StubAnswer:
    """A person for tests, whom nobody pays."""
    if not call.world.settings.test_participants_enabled:
        raise ApiError(403, "Test participants are not enabled for this workspace.")
    email = body_of(call.body)["email"]
    if any(person.get("email") == email for person in call.world.participants.values()):
        raise ApiError(400, {"email": ["is registered already"]})
    person = {"id": call.world.new_id(), "email": email, "is_test": True}
    call.world.participants[person["id"]] = person
    return StubAnswer(201, {"participant_id": person["id"]})
