"""The same answers in other forms: what the public documents leave open, another server may answer otherwise.

With the setting `answers_in_other_forms` lists are short and without links, some are not there at all, words for a
status are joined by underscores, money and errors have other shapes. Who works with both assumes nothing of either.
"""

from __future__ import annotations

from typing import Any

from annotation.rehearsal.prolific_stub.answers import ApiError, Record, StubAnswer

LONGEST_PAGE = 3
ABSENT = frozenset({"list_project_studies", "list_groups", "list_subscriptions"})


def shorten_page(operation: str, query: dict[str, str]) -> dict[str, str]:
    """The query with a smaller page than was asked for. Raises ApiError (404) for a list that is not there."""
    if operation in ABSENT:
        raise ApiError(404, "No such address.")
    sizes = {name: str(LONGEST_PAGE) for name in ("limit", "page_size") if name in query}
    return query | sizes


def in_other_form(operation: str, answer: StubAnswer) -> StubAnswer:
    """The answer of an operation in its other form."""
    body = answer.body
    if isinstance(body, dict):
        if "error" in body:
            body = {"detail": body["error"]["detail"]}
        elif isinstance(body.get("results"), list):
            body = {"results": [_row(operation, row) for row in body["results"]]}
        else:
            body = _row(operation, OTHERS.get(operation, dict)(body))
    return StubAnswer(answer.status, body, answer.headers)


def _row(operation: str, row: Any) -> Any:
    if operation == "list_event_types":
        return row["event_type"]
    changed = dict(row)
    if isinstance(changed.get("status"), str):
        changed["status"] = changed["status"].replace(" ", "_").replace("-", "_")
    if "bonus_payments" in changed:
        changed["bonus_payments"] = [{"amount": cents} for cents in changed["bonus_payments"]]
    if "return_requested" in changed:
        changed["return_requested"] = bool(changed["return_requested"])
    if isinstance(changed.get("choices"), dict):
        changed["choices"] = [{"id": key, "label": label} for key, label in changed["choices"].items()]
    return changed


def _user(body: Record) -> Record:
    return {"id": body["id"], "email": body["email"], "currency": body["currency_code"], "balance": body["balance"]}


OTHERS = {
    "get_user": _user,
    "get_balance": lambda body: {"balance": body["available_balance"]},
    "get_study_cost": lambda body: {"amounts": list(body)},
    "count_eligible": lambda body: {"total": body["count"]},
    "create_secret": lambda body: {"id": body["id"], "secret": body["value"]},
}
