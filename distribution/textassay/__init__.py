"""Assay: human evaluation of generated text, from a pile of texts to a table one can publish.

The measures of `textassay.metrics` are here by name:

    >>> import textassay
    >>> textassay.evaluate  # doctest: +ELLIPSIS
    <function evaluate at ...>

`textassay.connect` opens a studio by its web API; it needs `pip install 'textassay[client]'`. `textassay.annotation` is
the studio itself (console, marketplace, worker site); it needs `pip install 'textassay[studio]'`.
"""

from typing import Any

from metrics import __all__ as __all__
from metrics import __version__ as __version__

OF_THE_STUDIO = ("RemoteStudy", "Studio", "StudioError", "connect")


def __getattr__(name: str) -> Any:
    """Load a public name of `metrics`, or of the studio's client, when it is first used."""
    if name in OF_THE_STUDIO:
        import annotation.client as source
    elif name in __all__:
        import metrics as source
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(source, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names, loaded or not."""
    return sorted({*globals(), *__all__, *OF_THE_STUDIO})
