"""Assay: human evaluation of generated text, from a pile of texts to a table one can publish.

The measures of `textassay.metrics` are here by name:

    >>> import textassay
    >>> textassay.evaluate  # doctest: +ELLIPSIS
    <function evaluate at ...>

`textassay.annotation` is the studio (console, marketplace, worker site); it needs `pip install 'textassay[studio]'`.
"""

from typing import Any

from metrics import __all__ as __all__
from metrics import __version__ as __version__


def __getattr__(name: str) -> Any:
    """Load a public name of `metrics` when it is first used."""
    import metrics

    if name not in metrics.__all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(metrics, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names, loaded or not."""
    return sorted({*globals(), *__all__})
