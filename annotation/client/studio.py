"""A studio: its studies, new ones, and people as a function."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from types import TracebackType
from typing import Any, Literal

import narwhals as nw

from annotation.client.connection import ApiConnection, Progress, Record, chosen_progress
from annotation.client.errors import StudioError
from annotation.client.frames import frame_of
from annotation.client.study import RemoteStudy, StudyProgress
from metrics.data.human_judgment import hj_estimates, human_judgments, sum_ratings
from metrics.types import Estimate, Rating

TOKEN = "ASSAY_TOKEN"  # noqa: S105 - the name of a variable
ADDRESS = "http://127.0.0.1:8000"
STUDY_COLUMNS = ("uuid", "name", "mode", "status", "task", "currency", "role", "created_at", "archived_at")
Mode = Literal["rehearsal", "live"]


def connect(address: str = ADDRESS, token: str | None = None, *, backend: str = "pandas") -> Studio:
    """Open a studio.

    Args:
        address: of the console; by default the one that `textassay serve` prints on this machine.
        token: of the web API (Settings in the console); None: that of the variable ASSAY_TOKEN.
        backend: the library of DataFrames: `pandas`, `polars` or `pyarrow`.

    Raises:
        StudioError: there is no token, or the studio does not answer or know it.
    """
    token = token or os.environ.get(TOKEN, "")
    if not token:
        where = "Create one under Settings in the console, and pass it or set ASSAY_TOKEN."
        raise StudioError(f"A token of the web API is missing. {where}", code="sign-in")
    connection = ApiConnection(address, token)
    try:
        return Studio(connection, backend=backend)
    except StudioError:
        connection.close()
        raise


class Studio:
    """A studio of Assay, as the person whose token it is. Every method raises StudioError with a sentence."""

    def __init__(self, connection: ApiConnection, *, backend: str = "pandas") -> None:
        self._connection, self._backend = connection, backend
        self.username = str(connection.get("/me")["username"])

    def __repr__(self) -> str:
        return f"<studio at {self._connection.address}, as {self.username}>"

    def __enter__(self) -> Studio:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def studies(self) -> Any:
        """Return the studies that you may see, as a DataFrame: uuid, name, mode, status, role, times and more."""
        return frame_of(list(self._connection.rows("/studies")), self._backend, STUDY_COLUMNS)

    def presets(self) -> Any:
        """Return the designs of papers that a study can begin with, as a DataFrame: name, source."""
        rows = [{"name": row["name"], "source": row["source"]} for row in self._connection.rows("/presets")]
        return frame_of(rows, self._backend, ("name", "source"))

    def study(self, name: str) -> RemoteStudy:
        """Return a study by its name or its uuid."""
        for row in self._all_rows():
            if name in {row["name"], row["uuid"]}:
                return RemoteStudy(self._connection, row, backend=self._backend)
        raise StudioError(f"There is no study {name!r} that you may see.", code="absent")

    def create_study(
        self, name: str, *, preset: str = "huse-2019", mode: Mode = "rehearsal", **more: str
    ) -> RemoteStudy:
        """Create a draft that you own, with the design of a preset (`presets()`).

        mode: `rehearsal` (simulated people and play money) or `live` (people and money). more: `question`, `noun`,
        `currency`.
        """
        created = self._connection.send("POST", "/studies", {"name": name, "preset": preset, "mode": mode, **more})
        return RemoteStudy(self._connection, created, backend=self._backend)

    def ask(
        self,
        texts: Any,
        *,
        budget_cents: int,
        preset: str = "direct-assessment",
        raters: int = 5,
        reward_cents: int | None = None,
        mode: Mode = "rehearsal",
        name: str = "",
        progress: Progress | bool = True,
        **settings: Any,
    ) -> Answers:
        """Ask people about texts; what they answer is `.scores()`, a DataFrame with an interval per text.

        Args:
            texts: a list of texts, or a DataFrame as `RemoteStudy.add_texts` takes it.
            budget_cents: the most that this may cost, in minor units; nothing is published that costs more.
            preset: what people are asked: `direct-assessment` (0 to 100), `huse-2019` (typicality), ...
            raters: people per text.
            reward_cents: per task; None: the preset's.
            mode: `rehearsal` asks simulated people, for play money, and waits for them; `live` publishes, and people
                answer when they come: `.wait()`.
            name: of the study; empty: one with the time.
            progress: True prints lines, False none; or a function of a line.
            settings: of the design, as `RemoteStudy.configure` takes them: `minimum_approved_hits=0`, `country=""`.

        Raises:
            StudioError: a text breaks a rule, the price is above the budget, or the marketplace failed.
        """
        study = self.create_study(name or f"ask-{datetime.now(UTC):%Y%m%d-%H%M%S-%f}", preset=preset, mode=mode)
        if report := chosen_progress(progress):
            report(f"Study: {study.name}")  # by this name an interrupted wait goes on
        try:
            study.add_texts(texts, generator="texts", progress=progress)
            pay = {} if reward_cents is None else {"reward_cents": reward_cents}
            study.configure(raters_per_text=raters, **pay, **settings)
            if mode == "rehearsal":
                study.rehearse(budget_cents=budget_cents, progress=progress)
            else:
                study.publish(budget_cents=budget_cents, progress=progress)
        except StudioError as error:
            goes_on = f"go on with studio.study({study.name!r}), or archive it in the console."
            sentence = f"{error} The study {study.name} is stored: {goes_on}"
            raise StudioError(sentence, code=error.code, fields=error.fields) from None
        return Answers(study)

    def answers(self, name: str) -> Answers:
        """Return what people have answered in a study, by its name or uuid: after an interrupted `ask` or wait."""
        return Answers(self.study(name))

    def _all_rows(self) -> Iterator[Record]:
        yield from self._connection.rows("/studies")
        yield from self._connection.rows("/studies", state="archived")


@dataclass(frozen=True, slots=True)
class Answers:
    """What people were asked, and what they have answered so far. study: where their tasks and payments are."""

    study: RemoteStudy

    def wait(self, *, timeout_seconds: float | None = None, progress: Progress | bool = True) -> StudyProgress:
        """Wait until all answers are in; return how far it is."""
        return self.study.wait(timeout_seconds=timeout_seconds, progress=progress)

    def scores(self, *, level: float = 0.95) -> Any:
        """Return a row per text and criterion: item, criterion, value (the mean rating), low, high, level, n, flags.

        The interval is that of HJ: mean -+ t x sd / sqrt(n) over the raters of a text, for others like them. With two
        or three ratings it is wide. Texts stand in the order in which they were added. This looks at the results, which
        the log of the study notes.
        """
        ratings = self.study.ratings(unblind=True)
        order = nw.from_native(self.study.texts(), eager_only=True)["key"].to_list()
        return score_table(ratings, level=level, backend=self.study.backend, order=order)


def score_table(ratings: Any, *, level: float, backend: str, order: Sequence[str] = ()) -> Any:
    """Return the mean of each text by each criterion with its interval, of a DataFrame of ratings.

    order: ids of texts; their rows come in this order, those of other texts behind them.
    """
    places = {item: place for place, item in enumerate(order)}
    rows: dict[str, list[tuple[str, str, int | float]]] = {}
    table = nw.from_native(ratings, eager_only=True)
    names = ["item", "rater", "value", *(["criterion"] if "criterion" in table.columns else [])]
    for item, rater, value, *criterion in table.select(names).rows():
        rows.setdefault(criterion[0] if criterion else "", []).append((str(item), str(rater), value))
    scores = [
        {"item": item, "criterion": criterion, **_score(estimate)}
        for criterion, group in rows.items()
        for item, estimate in _estimates(group, level).items()
    ]
    scores.sort(key=lambda score: places.get(score["item"], len(places)))
    return frame_of(scores, backend, ("item", "criterion", "value", "low", "high", "level", "n", "flags"))


def _estimates(group: list[tuple[str, str, int | float]], level: float) -> dict[str, Estimate]:
    ratings = [Rating(item, rater, Fraction(str(value))) for item, rater, value in group]
    return hj_estimates(human_judgments(sum_ratings(ratings), level=level))


def _score(estimate: Estimate) -> Record:
    span = estimate.interval
    ends = (
        {"low": span.low, "high": span.high, "level": span.level}
        if span
        else {"low": None, "high": None, "level": None}
    )
    return {"value": estimate.value, **ends, "n": estimate.n, "flags": " ".join(estimate.flags)}
