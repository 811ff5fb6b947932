"""The tools of a studio for a language model, by the Model Context Protocol over stdin and stdout: `textassay mcp`.

The program of the model starts this server, as the person whose token it is. The model can list studies, read results
that somebody has looked at, price a draft, rehearse it with play money, and publish live studies within what the person
has put on the command line: 0 unless they did. No tool takes an amount that widens this.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import wraps
from threading import Lock
from typing import Any, ParamSpec

import narwhals as nw
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from annotation.client.connection import Record
from annotation.client.errors import StudioError
from annotation.client.studio import ADDRESS, Studio, connect
from annotation.client.study import RemoteStudy
from metrics.version import __version__

ROWS_AT_ONCE = 500
INSTRUCTIONS = (
    "Human evaluations of generated text in a studio of Assay. Money is in minor units (cents). A rehearsal costs play "
    "money and simulated people answer it; what they answer says nothing about the texts. A live study spends money "
    "and people's time: publish it only when the person asked for it."
)
Words = ParamSpec("Words")


class StudioTools:
    """What a model may do in a studio.

    budget_cents: what live studies may cost together until the server ends, in minor units of `currency`.
    """

    def __init__(self, studio: Studio, *, budget_cents: int, currency: str = "USD") -> None:
        self._studio, self.left_cents, self._currency = studio, budget_cents, currency
        self._publishing = Lock()  # calls may come at once

    def list_studies(self) -> list[Record]:
        """List the studies that the person may see: name, mode (rehearsal or live), status, task, currency, role."""
        return _rows(self._studio.studies())

    def read_results(self, study: str, part: str = "", first_row: int = 0) -> Record:
        """Read the results of a study: a row per figure with value, low and high of its interval, level, n, flags.

        study: its name. part: of which part of the report alone (`huse`, `agreement`, ...); empty: all. first_row:
        where to go on, as at most 500 rows come at once. Results that no person has looked at are refused.
        """
        rows = [row for row in _rows(self._studio.study(study).results()) if part in {"", row["part"]}]
        first = max(0, first_row)
        return {"rows": rows[first : first + ROWS_AT_ONCE], "count": len(rows)}

    def plan(self, study: str, raters_per_text: int | None = None, texts_per_hit: int | None = None) -> Record:
        """Say how far a study is and what it costs at most, with fees. A stated number changes the draft first."""
        numbers = {"raters_per_text": raters_per_text, "texts_per_hit": texts_per_hit}
        chosen = self._studio.study(study)
        if changed := {name: number for name, number in numbers.items() if number is not None}:
            chosen.configure(**changed)
        progress = asdict(chosen.progress())
        return {"price": asdict(chosen.price()), "progress": progress, "left_cents": self.left_cents}

    def rehearse(self, study: str) -> Record:
        """Publish a rehearsal, let simulated people do its tasks with play money, and wait until all are submitted."""
        chosen = self._studio.study(study)
        return asdict(chosen.rehearse(budget_cents=chosen.price().total_cents, progress=False))

    def publish(self, study: str) -> Record:
        """Publish a live study to people, for money, if it costs at most what is left of the person's budget.

        Returns its price and what is left. There is no way to take it back: tasks that people have begun are paid.
        """
        with self._publishing:
            return self._publish(self._studio.study(study))

    def _publish(self, chosen: RemoteStudy) -> Record:
        if chosen.mode != "live":
            raise ToolError(f"Nothing was published: {chosen.name} is a rehearsal. Rehearse it.")
        if (status := chosen.progress().status) != "draft":
            raise ToolError(f"Nothing was published: {chosen.name} is {status} already.")
        currency = next(row["currency"] for row in self.list_studies() if row["uuid"] == chosen.uuid)
        cost = chosen.price().total_cents
        if cost > self.left_cents or currency != self._currency:
            raise ToolError(
                f"Nothing was published. {chosen.name} costs up to {cost} cents of {currency}, and {self.left_cents} "
                f"cents of {self._currency} are left of the budget. Only the person can set another one, where this "
                "server is started (--budget-cents)."
            )
        self.left_cents -= cost  # also where the answer gets lost
        try:
            price = chosen.publish(budget_cents=cost, progress=False)
        except StudioError:
            if chosen.progress().status == "draft":
                self.left_cents += cost
            raise
        return {"price": asdict(price), "left_cents": self.left_cents}


def _rows(frame: Any) -> list[Record]:
    return list(nw.from_native(frame, eager_only=True).rows(named=True))


def make_server(tools: StudioTools) -> MCPServer:
    """The server of these tools; a refusal of the studio is its sentence."""
    server = MCPServer("assay", instructions=INSTRUCTIONS, version=__version__, log_level="ERROR")
    for tool in (tools.list_studies, tools.read_results, tools.plan, tools.rehearse, tools.publish):
        server.add_tool(_with_sentences(tool))
    return server


def _with_sentences(tool: Callable[Words, Any]) -> Callable[Words, Any]:
    @wraps(tool)
    def called(*words: Words.args, **named: Words.kwargs) -> Any:
        try:
            return tool(*words, **named)
        except StudioError as error:
            raise ToolError(str(error)) from None

    return called


def main(arguments: Sequence[str]) -> int:
    """Serve the tools on stdin and stdout until stdin ends. Returns the exit code: 2 where there is no studio."""
    parser = argparse.ArgumentParser(prog="textassay mcp", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--address", default=ADDRESS, help="of the console (default: %(default)s)")
    budget_help = "what live studies may cost together until this server ends (default: 0, so that none is published)"
    parser.add_argument("--budget-cents", type=int, default=0, metavar="N", help=budget_help)
    parser.add_argument("--currency", default="USD", help="of the budget (default: %(default)s)")
    chosen = parser.parse_args(arguments)
    try:
        studio = connect(chosen.address, backend="pyarrow")
    except StudioError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    with studio:
        make_server(StudioTools(studio, budget_cents=chosen.budget_cents, currency=chosen.currency)).run("stdio")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
