"""The filters that the stub offers, and how many people pass them: a share of an imaginary panel for each."""

from __future__ import annotations

from fractions import Fraction

from annotation.rehearsal.prolific_stub.answers import ApiError, Record

PANEL = 120_000
# Below this many people no number is given.
MIN_COUNT = 25

COUNTRIES = {"0": "United Kingdom", "1": "United States", "2": "Ireland", "3": "Germany", "4": "South Africa"}
LANGUAGES = {"4": "English", "5": "German", "19": "Spanish"}
FILTERS: tuple[Record, ...] = (
    {
        "filter_id": "current-country-of-residence",
        "title": "Current country of residence",
        "type": "select",
        "data_type": "ChoiceID",
        "description": "Where people live.",
        "choices": COUNTRIES,
    },
    {
        "filter_id": "first-language_old",
        "title": "First language",
        "type": "select",
        "data_type": "ChoiceID",
        "description": "The language people spoke first.",
        "choices": LANGUAGES,
    },
    {
        "filter_id": "handedness",
        "title": "Handedness",
        "type": "select",
        "data_type": "ChoiceID",
        "description": "The hand people write with.",
        "choices": {"1": "Left", "2": "Right", "3": "Ambidextrous"},
    },
    {
        "filter_id": "age",
        "title": "Age",
        "type": "range",
        "data_type": "integer",
        "description": "In years.",
        "min": 18,
        "max": 100,
    },
    {
        "filter_id": "approval_rate",
        "title": "Approval rate",
        "type": "range",
        "data_type": "integer",
        "description": "Percent of submissions approved.",
        "min": 0,
        "max": 100,
    },
    {
        "filter_id": "approval_numbers",
        "title": "Number of previous submissions",
        "type": "range",
        "data_type": "integer",
        "description": "Submissions approved so far.",
        "min": 0,
        "max": 100000,
    },
    {
        "filter_id": "custom_allowlist",
        "title": "Custom allowlist",
        "type": "select",
        "data_type": "ParticipantID",
        "description": "Only these people.",
        "choices": {},
    },
    {
        "filter_id": "custom_blocklist",
        "title": "Custom blocklist",
        "type": "select",
        "data_type": "ParticipantID",
        "description": "Not these people.",
        "choices": {},
    },
    {
        "filter_id": "previous_studies_blocklist",
        "title": "Exclude participants from previous studies",
        "type": "select",
        "data_type": "StudyID",
        "description": "No participants of these studies.",
        "choices": {},
    },
    {
        "filter_id": "participant_group_allowlist",
        "title": "Participant group allowlist",
        "type": "select",
        "data_type": "ParticipantGroupID",
        "description": "Only members of these groups.",
        "choices": {},
    },
    {
        "filter_id": "participant_group_blocklist",
        "title": "Participant group blocklist",
        "type": "select",
        "data_type": "ParticipantGroupID",
        "description": "No members of these groups.",
        "choices": {},
    },
)
UNKNOWN: Record = {
    "filter_id": "favourite-constellation",
    "title": "Favourite constellation",
    "type": "constellation",
    "data_type": "StarID",
    "stars": {"a": "Vega"},
}
BY_ID = {filter_["filter_id"]: filter_ for filter_ in FILTERS}


def check_filters(filters: list[Record]) -> None:
    """Raises ApiError (400) for an unknown filter, a choice that it has not, or bounds outside its range."""
    for filter_ in filters:
        known = BY_ID.get(filter_["filter_id"])
        if known is None:
            raise ApiError(400, {"filters": [f"{filter_['filter_id']} is not a filter"]})
        problem = _problem(filter_, known)
        if problem:
            raise ApiError(400, {"filters": [f"{filter_['filter_id']}: {problem}"]})


def _problem(filter_: Record, known: Record) -> str:
    if known["type"] == "select":
        if "selected_values" not in filter_:
            return "selected_values are required"
        unknown = set(filter_["selected_values"]) - set(known["choices"]) if known["choices"] else set()
        return f"unknown choices {sorted(unknown)}" if unknown else ""
    if "selected_range" not in filter_:
        return "selected_range is required"
    lower, upper = bounds(filter_, known)
    return "" if known["min"] <= lower <= upper <= known["max"] else f"must lie in {known['min']} to {known['max']}"


def bounds(filter_: Record, known: Record) -> tuple[float, float]:
    """Return the lowest and the highest value that a range filter allows."""
    selected = filter_["selected_range"]
    lower, upper = selected.get("lower"), selected.get("upper")
    return float(known["min"] if lower is None else lower), float(known["max"] if upper is None else upper)


def count_people(filters: list[Record]) -> int:
    """Return how many of the panel pass every filter; 0 where they are fewer than the panel names."""
    share = Fraction(1)
    for filter_ in filters:
        known = BY_ID[filter_["filter_id"]]
        if known["type"] == "range":
            lower, upper = bounds(filter_, known)
            share *= Fraction(int(upper - lower + 1), int(known["max"] - known["min"] + 1))
        elif known["choices"]:
            share *= Fraction(len(set(filter_["selected_values"])), len(known["choices"]))
        elif known["filter_id"].endswith("allowlist"):
            share *= Fraction(len(filter_["selected_values"]), PANEL)
    count = int(PANEL * share)
    return count if count >= MIN_COUNT else 0


def is_eligible(filters: list[Record], person: Record, groups: dict[str, Record], studies_done: set[str]) -> bool:
    """Whether a person passes the filters that name people, studies and groups."""
    lists = {filter_["filter_id"]: set(filter_.get("selected_values", ())) for filter_ in filters}
    memberships = {key for key, group in groups.items() if person["id"] in group["participant_ids"]}
    blocked = (
        person["id"] in lists.get("custom_blocklist", set())
        or studies_done & lists.get("previous_studies_blocklist", set())
        or memberships & lists.get("participant_group_blocklist", set())
    )
    allowed = all(
        held & lists[name]
        for name, held in (("custom_allowlist", {person["id"]}), ("participant_group_allowlist", memberships))
        if name in lists
    )
    return allowed and not blocked
