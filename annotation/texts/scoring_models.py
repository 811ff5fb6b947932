"""The language models that a page may offer for scoring: assay-tiny, and those that the settings name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from annotation import settings
from annotation.exceptions import DesignError, StateError
from metrics.likelihood import TINY, LogProbs, Reader
from metrics.likelihood.opening import Opening

FOR_TRYING = "for trying out only"


def offered_models() -> dict[str, Opening]:
    """How each is opened, by name; assay-tiny last. Raises StateError for a setting that cannot be read."""
    models: dict[str, Opening] = {}
    for entry in filter(None, (part.strip() for part in settings.scoring_models().split(","))):
        name, equals, place = (part.strip() for part in entry.partition("="))
        if not (equals and name and place) or name in (*models, TINY):
            raise StateError(
                f"SCORING_MODELS cannot be read at {entry!r}: write NAME=FOLDER or NAME=URL#MODEL, each name once."
            )
        models[name] = _opening(entry, place)
    return {**models, TINY: Opening(TINY)}


def _opening(entry: str, place: str) -> Opening:
    if not place.startswith(("http://", "https://")):
        return Opening(place)
    server, hash_sign, model = place.partition("#")
    if not (hash_sign and model):
        raise StateError(f"SCORING_MODELS names no model of the server at {entry!r}: write NAME=URL#MODEL.")
    return Opening(model, server=server)


def model_choices(names: Iterable[str] | None = None) -> list[tuple[str, str]]:
    """Name and label of each for a form; names: these only."""
    shown = offered_models() if names is None else names
    return [(name, f"{name} ({FOR_TRYING})" if name == TINY else name) for name in shown]


def reader_names() -> list[str]:
    """Those that also show their distribution at each token: a server does not."""
    return [name for name, opening in offered_models().items() if not opening.server]


def opening_of_model(name: str) -> Opening:
    """How the model of that name is opened. Raises DesignError for a name that is not offered."""
    opening = offered_models().get(name)
    if opening is None:
        raise DesignError(f"This server offers no model called {name!r}; the setting SCORING_MODELS names them.")
    return opening


def open_reader(name: str, opening: Opening) -> Reader:
    """The model, opened, with its distributions. Raises DesignError for a server, the errors of `open_model`."""
    backend: LogProbs = opening.open()
    if opening.server or not isinstance(backend, Reader):
        raise DesignError(f"{name} is on a server, which gives no ranks and entropies: choose another model.")
    return backend


def with_start_token(name: str, opening: Opening, start: str) -> Opening:
    """The same with a start token before every candidate (`always`), or as it is (`auto`).

    Raises DesignError for a server, which puts none.
    """
    if start == "always" and opening.server:
        raise DesignError(f"{name} is on a server, which puts no start token before the candidate: choose none.")
    return opening if opening.server else replace(opening, layout=replace(opening.layout, start=start))  # type: ignore[arg-type]
