"""How a backend is opened: a command's options, stored as data so that another process can open the same."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from metrics.errors import BadInput
from metrics.likelihood import open_model
from metrics.likelihood.decoding import Decoding
from metrics.likelihood.records import Layout, LogProbs
from metrics.likelihood.server import CompletionsServer


@dataclass(frozen=True, slots=True)
class Opening:
    """model: a folder or hub name; with `server` (a URL), the server's name for it. end: see `CompletionsServer`."""

    model: str
    server: str = ""
    end: str = ""
    revision: str | None = None
    tokenizer: str | None = None
    dtype: str = "float32"
    device: str = "cpu"
    allow_download: bool = False
    decoding: Decoding = field(default_factory=Decoding)
    layout: Layout = field(default_factory=Layout)

    def open(self) -> LogProbs:
        """The backend. A server's key is read from LOGLIK_API_KEY. Raises the errors of `open_model`, BadInput."""
        if not self.server:
            return open_model(
                self.model,
                revision=self.revision,
                tokenizer=self.tokenizer,
                dtype=self.dtype,
                device=self.device,
                allow_download=self.allow_download,
                layout=self.layout,
                decoding=self.decoding,
            )
        if not self.decoding.plain:
            raise BadInput("a server answers for the model's own distribution (temperature 1) only", column="server")
        key = os.environ.get("LOGLIK_API_KEY", "")
        return CompletionsServer(self.server, model=self.model, api_key=key, end=self.end, joiner=self.layout.joiner)

    def values(self) -> dict[str, Any]:
        """Return the options for JSON; folders by their full path, as another process may run elsewhere."""
        values = asdict(self)
        for name in ("model", "tokenizer"):
            if not self.server and values[name] and Path(values[name]).exists():
                values[name] = str(Path(values[name]).resolve())
        return values


def opening_of(values: Mapping[str, Any]) -> Opening:
    """What `values` gave, read back."""
    rest = {name: value for name, value in values.items() if name not in ("decoding", "layout")}
    return Opening(**rest, decoding=Decoding(**values["decoding"]), layout=Layout(**values["layout"]))
