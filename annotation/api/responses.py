"""What every operation shares: errors as problem documents (RFC 9457), and lists in pages."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, Generic, TypeVar, cast

from django.db.models import QuerySet
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse
from ninja import Field, NinjaAPI, Schema
from ninja.errors import HttpError, ValidationError
from ninja.operation import Operation

from annotation.exceptions import AssayError, BudgetError, DesignError, MarketError

Item = TypeVar("Item")
MAX_LIMIT = 200
MAX_OFFSET = 2**53  # what JSON's readers hold, and every database counts to
MEDIA_TYPE = "application/problem+json"


class Fault(Schema):
    """An invalid field, and the rule that it breaks. field "": the request as a whole."""

    field: str
    rule: str


class Problem(Schema):
    """Why something was not done (RFC 9457, `application/problem+json`). Nothing was changed.

    code: `input`, `design`, `budget`, `market`, `state`, `role`, `sign-in`, `absent` or `limit`; where the server
    failed, `unavailable` (503: its database or disk, try again) or `internal` (500).
    """

    title: str
    status: int
    detail: str
    code: str
    errors: list[Fault]


class RefusedError(HttpError):
    """An operation that fails, with the rule that each invalid field breaks. headers: of the answer."""

    def __init__(
        self,
        status: int,
        detail: str,
        *,
        code: str,
        errors: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(status, detail)
        self.code, self.errors, self.headers = code, errors or {}, headers or {}


def clean_form(form: Form) -> dict[str, Any]:
    """Return the cleaned fields of a form. Raises RefusedError (422) naming each invalid field and its rule."""
    if form.is_valid():
        return form.cleaned_data
    errors = {
        name if name != "__all__" else "": " ".join(map(str, sentences)) for name, sentences in form.errors.items()
    }
    raise RefusedError(422, next(iter(errors.values())), code="input", errors=errors)


REFUSED = frozenset({400, 401, 403, 404, 409, 422, 429})


def gives(what: Any, status: int = 200) -> dict[Any, Any]:
    """The answers of an operation: what it gives, or a problem."""
    return {status: what, REFUSED: Problem}


class Page(Schema):
    """Which part of a list: at most `limit` of it, from number `offset` (0: the first) on."""

    limit: int = Field(50, ge=1, le=MAX_LIMIT)
    offset: int = Field(0, ge=0, le=MAX_OFFSET)


class Paged(Schema, Generic[Item]):
    """A part of a list, and how many there are in all."""

    items: list[Item]
    count: int


def paged(rows: QuerySet[Any] | Sequence[Any], page: Page) -> dict[str, Any]:
    """That part of the rows."""
    count = rows.count() if isinstance(rows, QuerySet) else len(rows)
    return {"items": list(rows[page.offset : page.offset + page.limit]), "count": count}


class Api(NinjaAPI):
    """An API whose document says by which media type problems come."""

    def get_openapi_schema(self, **how: Any) -> Any:
        schema = super().get_openapi_schema(**how)
        deeds = (deed for path in schema["paths"].values() for deed in path.values())
        for status, answer in (response for deed in deeds for response in deed["responses"].items()):
            if int(status) in REFUSED:
                answer["content"] = {MEDIA_TYPE: answer["content"]["application/json"]}
        return schema


def absent(request: HttpRequest, rest: str) -> HttpResponse:
    """The answer at an address that no operation has."""
    return problem(404, "There is no such operation; openapi.json lists all.", code="absent")


def register_problem_handlers(api: NinjaAPI) -> None:
    """Answer errors of the requester side, and of requests, by problem documents."""
    api.add_exception_handler(AssayError, lambda request, error: _of_assay_error(cast(AssayError, error)))
    api.add_exception_handler(ValidationError, lambda request, error: _of_input(cast(ValidationError, error)))
    api.add_exception_handler(HttpError, lambda request, error: _of_http(cast(HttpError, error)))
    api.add_exception_handler(Http404, lambda request, error: problem(404, "Not found.", code="absent"))


def problem(status: int, detail: str, *, code: str, errors: Mapping[str, str] | None = None) -> HttpResponse:
    """A problem document. errors: rule by field."""
    faults = [{"field": field, "rule": rule} for field, rule in (errors or {}).items()]
    document = {"title": HTTPStatus(status).phrase, "status": status, "detail": detail, "code": code, "errors": faults}
    return HttpResponse(json.dumps(document), status=status, content_type=MEDIA_TYPE)


def _of_assay_error(error: AssayError) -> HttpResponse:
    kinds: dict[type[AssayError], str] = {BudgetError: "budget", DesignError: "design", MarketError: "market"}
    code = next((word for kind, word in kinds.items() if isinstance(error, kind)), "state")
    return problem(409, str(error), code=code, errors={error.field: str(error)} if error.field else None)


def _of_input(error: ValidationError) -> HttpResponse:
    errors = {_field(fault.get("loc", ())): str(fault.get("msg", fault)) for fault in error.errors}
    first = next(iter(errors.items()), ("", "The request cannot be read."))
    return problem(422, ": ".join(part for part in first if part), code="input", errors=errors)


def _field(place: tuple[Any, ...]) -> str:
    """Return the field's name: a place begins with where it was sent, in a JSON body also with the parameter."""
    return ".".join(str(part) for part in place[2 if place[:1] == ("body",) else 1 :])


def _of_http(error: HttpError) -> HttpResponse:
    codes = {401: "sign-in", 403: "role", 404: "absent"}
    code = getattr(error, "code", codes.get(error.status_code, "input"))
    detail = "Send `Authorization: Bearer TOKEN`." if error.status_code == 401 else error.message
    answer = problem(error.status_code, detail, code=code, errors=getattr(error, "errors", None))
    for name, value in getattr(error, "headers", {}).items():
        answer[name] = value
    return answer


# Each status of each operation has a model of its own in django-ninja, and nearly all of them are of the same problem.
_build_model = Operation._create_response_model
_models: dict[Any, type[Schema] | None] = {}


def _shared_model(operation: Operation, response_param: Any) -> type[Schema] | None:
    """The model of a response, built once for all operations that answer with it."""
    if response_param not in _models:
        _models[response_param] = _build_model(operation, response_param)
    return _models[response_param]


Operation._create_response_model = _shared_model  # type: ignore[assignment, method-assign]
