"""One study of a studio: what it holds as DataFrames, and what can be done with it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, TypeVar

from annotation.client.connection import POLL_SECONDS, ApiConnection, Progress, Record, chosen_progress
from annotation.client.errors import StudioError
from annotation.client.frames import csv_of_texts, frame_of, frame_of_csv

FILES = ("csv", "json")
MAX_PROBLEMS = 5  # named in an error


@dataclass(frozen=True, slots=True)
class StudyPrice:
    """The highest cost of a study in minor units of its currency (cents), with the fees of the marketplace."""

    hits: int
    assignments: int
    reward_cents: int
    fee_cents: int
    total_cents: int


@dataclass(frozen=True, slots=True)
class StudyProgress:
    """How far a study is. places: assignments that can be taken; inside: in progress; collected: of them submitted.

    unread: submissions whose answers have not been read yet.
    waiting_effects, failed_effects: actions of the marketplace; problem: why the last one failed.
    """

    status: str
    hits: int
    published: int
    places: int
    inside: int
    free: int
    collected: int
    submitted: int
    approved: int
    rejected: int
    to_review: int
    unread: int
    workers: int
    judged: int
    waiting_effects: int
    failed_effects: int
    problem: str
    spent_cents: int
    reserved_cents: int
    budget_cents: int | None

    def __str__(self) -> str:
        return f"{self.status}: {self.collected} of {self.places} submitted, {self.inside} in progress"


Kind = TypeVar("Kind", StudyPrice, StudyProgress)


@dataclass(frozen=True, slots=True)
class RemoteSnapshot:
    """The data of a study at one moment: its document, and its tables as DataFrames.

    sha256: of the content, which two looks at the same data share. tables: by the names of a report's files without
    their ending (`ratings`, `items`, `assignments`, `results`, ...).
    """

    sha256: str
    document: Mapping[str, Any]
    tables: Mapping[str, Any]


class RemoteStudy:
    """A study of a studio. Every method raises StudioError with a sentence; money is in minor units (cents)."""

    def __init__(self, connection: ApiConnection, record: Record, *, backend: str) -> None:
        self._connection, self.backend = connection, backend
        self.uuid, self.name, self.mode = str(record["uuid"]), str(record["name"]), str(record["mode"])
        self._at = f"/studies/{self.uuid}"

    def __repr__(self) -> str:
        return f"<study {self.name!r} ({self.mode}) at {self._connection.address}>"

    # What it holds.

    def texts(self) -> Any:
        """Return its texts: key, source, generator, context, domain, body, left_out, known_label."""
        return frame_of(list(self._connection.rows(f"{self._at}/texts")), self.backend, ("key", "body"))

    def progress(self) -> StudyProgress:
        """Return how far it is."""
        return _record(StudyProgress, self._connection.get(f"{self._at}/progress"))

    def snapshot(self, *, unblind: bool = False, progress: Progress | bool = False) -> RemoteSnapshot:
        """Return its data now. The studio writes a report for it.

        unblind: look at the results although they are blinded; the studio's log says who did, and when.
        """
        files = self._report_files(unblind=unblind, progress=chosen_progress(progress))
        document = json.loads(files["snapshot.json"])
        tables = {
            name.removesuffix(".csv"): frame_of_csv(content, self.backend)
            for name, content in files.items()
            if name.endswith(".csv")
        }
        return RemoteSnapshot(str(document["header"]["content_sha256"]), document, tables)

    def ratings(self, *, unblind: bool = False) -> Any:
        """Return a row per rating: item, rater (a pseudonym), value, and what else the study has."""
        return self.snapshot(unblind=unblind).tables["ratings"]

    def evidence(self, *, unblind: bool = False) -> Any:
        """Return a row per assignment: rater, task, time, payment, whether it counts, and why not."""
        return self.snapshot(unblind=unblind).tables["assignments"]

    def results(self, *, unblind: bool = False) -> Any:
        """Return a row per figure: part, table, row, column, value, low, high, level, n, method, flags, and more."""
        return self.snapshot(unblind=unblind).tables["results"]

    # What can be done with it.

    def add_texts(self, texts: Any, *, generator: str = "", progress: Progress | bool = False) -> int:
        """Check texts, then add them; return how many texts it has now. All are added or none.

        texts: a DataFrame with the columns `text` and `source` (`reference` or `model`; optional `id`, `generator`,
        `context`, `domain`), or a list of texts, which are those of the generator.
        """
        content = csv_of_texts(texts)
        fields = {"generator": generator} if generator else {}
        report = chosen_progress(progress)
        job = self._connection.upload(f"{self._at}/texts", {"file": ("texts.csv", content)}, fields)
        checked = self._connection.finish(job, progress=report)
        if checked["outcome"].get("total_problems"):
            raise _faulty(checked["outcome"])
        self._connection.finish(self._connection.send("POST", f"/jobs/{checked['uuid']}/confirm"), progress=report)
        return int(self._connection.get(f"{self._at}/texts", limit=1)["count"])

    def configure(self, **settings: Any) -> Mapping[str, Any]:
        """Change settings of a draft (`raters_per_text=5`, `reward_cents=60`, ...); return all of them."""
        changed: dict[str, Any] = self._connection.send("PATCH", f"{self._at}/design", settings)["settings"]
        return changed

    def price(self) -> StudyPrice:
        """Return what the stored design costs at most."""
        return _record(StudyPrice, self._connection.get(f"{self._at}/price"))

    def publish(self, *, budget_cents: int, progress: Progress | bool = True) -> StudyPrice:
        """Create its tasks, check them, and publish where they cost at most `budget_cents`; return their price.

        The budget is stored in the study, too: the studio never spends more. In a live study this spends money.
        Raises StudioError, and publishes nothing, where the check finds an error or the price is above the budget.
        """
        report = chosen_progress(progress)
        at = self._at
        if not self._connection.get(f"{at}/layout", limit=1)["count"]:
            self.configure(budget_cents=budget_cents)
            created = self._connection.send("POST", f"{at}/layout")
            if "state" in created:
                self._connection.finish(created, progress=report)
        self._connection.finish(self._connection.send("POST", f"{at}/preflight"), progress=report)
        checked = self._connection.get(f"{at}/preflight")
        if errors := [finding["sentence"] for finding in checked["findings"] if finding["level"] == "error"]:
            raise StudioError(f"Nothing was published. {' '.join(errors)}", code="design")
        price = _record(StudyPrice, checked)
        if price.total_cents > budget_cents:
            over = f"It costs up to {price.total_cents} cents, and the budget is {budget_cents} cents."
            raise StudioError(f"Nothing was published. {over}", code="budget")
        self._connection.send("POST", f"{at}/publish", {"confirm_cents": price.total_cents})
        self._wait(lambda now: now.published >= now.hits > 0, report, timeout_seconds=None)
        return price

    def rehearse(self, *, budget_cents: int, progress: Progress | bool = True) -> StudyProgress:
        """Publish a rehearsal, let simulated people do its tasks, and wait until all are submitted: with play money."""
        if self.mode != "rehearsal":
            raise StudioError(f"{self.name} is {self.mode}; simulated people come to rehearsals only.", code="state")
        report = chosen_progress(progress)
        self.publish(budget_cents=budget_cents, progress=progress)
        self._connection.finish(self._connection.send("POST", f"{self._at}/crowd"), progress=report)
        return self.wait(progress=progress)

    def wait(self, *, timeout_seconds: float | None = None, progress: Progress | bool = True) -> StudyProgress:
        """Wait until every place has a submission that was read, or the study has ended; return how far it is.

        Raises StudioError where an action of the marketplace failed, or the time is over; the study goes on.
        """
        return self._wait(_is_complete, chosen_progress(progress), timeout_seconds)

    def _wait(
        self, is_over: Callable[[StudyProgress], bool], progress: Progress | None, timeout_seconds: float | None
    ) -> StudyProgress:
        ends = float("inf") if timeout_seconds is None else time.monotonic() + timeout_seconds
        pause, shown = POLL_SECONDS[0], ""
        while True:
            now = self.progress()
            if progress and str(now) != shown:
                progress(str(now))
                shown = str(now)
            if now.failed_effects and not now.waiting_effects:
                raise StudioError(
                    f"{now.failed_effects} actions of the marketplace failed: {now.problem}", code="market"
                )
            if is_over(now):
                return now
            if time.monotonic() >= ends:
                raise StudioError(f"{self.name} is not complete yet ({now}).", code="timeout")
            time.sleep(pause)
            pause = min(POLL_SECONDS[1], 1.5 * pause)

    def _report_files(self, *, unblind: bool, progress: Progress | None) -> dict[str, bytes]:
        job = self._connection.send("POST", f"{self._at}/reports", {"formats": list(FILES), "unblind": unblind})
        done = self._connection.finish(job, progress=progress)
        names = [name for name in done["files"] if name.endswith((".csv", ".json"))]
        return {name: self._connection.file(f"/jobs/{done['uuid']}/files/{name}") for name in names}


def _is_complete(now: StudyProgress) -> bool:
    return now.status == "closed" or (
        now.places > 0 and now.collected >= now.places and not (now.unread or now.waiting_effects)
    )


def _record(kind: type[Kind], answer: Record) -> Kind:
    """The fields of a record that an answer has; what the web API has beyond them is for later versions."""
    return kind(**{field.name: answer[field.name] for field in fields(kind)})


def _faulty(outcome: Record) -> StudioError:
    problems, total = outcome["problems"], outcome["total_problems"]
    lines = [_sentence(problem) for problem in problems[:MAX_PROBLEMS]]
    more = f" And {total - len(lines)} more." if total > len(lines) else ""
    return StudioError(f"No text was added. {' '.join(lines)}{more}", code="input")


def _sentence(problem: Record) -> str:
    """A problem with its row of the DataFrame or list, from 1: in the file that was sent the header is row 1."""
    row, column = (problem.get("row") or 1) - 1, problem.get("field")
    place = ", ".join(f"{what} {value}" for what, value in (("row", row), ("column", column)) if value)
    return f"{place}: {problem['rule']}".rstrip(".").lstrip(": ") + "."
