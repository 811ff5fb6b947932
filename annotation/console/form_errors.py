"""What a verb refuses, told on the page that asked for it: beside the field, with what was typed kept."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.forms import BaseForm

from annotation.exceptions import AssayError


@contextmanager
def attach_errors(*forms: BaseForm, above: bool = False, **names: str) -> Iterator[None]:
    """Put the error of a verb into that of the valid forms which has the field that the error names.

    names: what the forms call a field that the verb calls otherwise. above: an error that names none of the forms'
    fields stands above the first; else it goes on, to a page of its own.
    """
    try:
        yield
    except AssayError as error:
        field = names.get(error.field, error.field)
        form = next((candidate for candidate in forms if field in candidate.fields), None)
        if form is None and not above:
            raise
        (form or forms[0]).add_error(field if form else None, str(error))
