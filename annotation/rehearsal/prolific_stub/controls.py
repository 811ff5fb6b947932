"""What tests and the rehearsal say to the stub: people, faults, settings, and what it did."""

from __future__ import annotations

from typing import Any

import httpx

from annotation.rehearsal.prolific_stub.account_state import FIRST_PROJECT, FIRST_WORKSPACE, SECOND_WORKSPACE, TOKEN

Record = dict[str, Any]


class Controls:
    """A running stub. Each method returns what the stub answered; httpx.HTTPStatusError says why it did not."""

    token, workspace, second_workspace, project = TOKEN, FIRST_WORKSPACE, SECOND_WORKSPACE, FIRST_PROJECT

    def __init__(self, url: str) -> None:
        self.url = url
        self._client = httpx.Client(base_url=f"{url}/_stub/", trust_env=False, timeout=30)

    def _post(self, name: str, **data: Any) -> Any:
        response = self._client.post(name, json=data)
        response.raise_for_status()
        return response.json()

    def close(self) -> None:
        """Close the connection."""
        self._client.close()

    def reset(self) -> None:
        """Begin with an account without studies."""
        self._post("reset")

    def change_settings(self, **settings: Any) -> None:
        """Set fields of `account_state.Settings`."""
        self._post("settings", **settings)

    def add_fault(
        self, operation: str, kind: str, *, times: int = 1, skip: int = 0, retry_after_seconds: int = 1
    ) -> None:
        """Let the next calls of an operation (or "*") fail in a way of `faults.KINDS`, after `skip` calls."""
        seconds = retry_after_seconds
        self._post("faults", operation=operation, kind=kind, times=times, skip=skip, retry_after_seconds=seconds)

    def clear_faults(self) -> None:
        """Forget all faults."""
        self._post("faults/clear")

    def reserve(self, person: int, study: str) -> Record:
        """A person holds a place."""
        return dict(self._post("play", deed="reserve", person=person, study=study))

    def arrive(self, person: int, study: str) -> Record:
        """A person starts; returns participant_id, session_id, study_id and the address that they open."""
        return dict(self._post("play", deed="arrive", person=person, study=study))

    def complete(self, person: int, code: str | None, study: str | None = None) -> Record:
        """A person comes to Prolific's page of completion with a code, or without."""
        return dict(self._post("play", deed="complete", person=person, code=code, **_named(study)))

    def return_place(self, person: int, study: str | None = None) -> Record:
        """A person returns their submission."""
        return dict(self._post("play", deed="return", person=person, **_named(study)))

    def time_out(self, person: int, study: str | None = None) -> Record:
        """A person's time is over."""
        return dict(self._post("play", deed="timeout", person=person, **_named(study)))

    def write(self, person: int, body: str, study: str | None = None) -> Record:
        """A person writes to the researcher."""
        return dict(self._post("play", deed="message", person=person, body=body, **_named(study)))

    def decide(self, submission: str, status: str) -> None:
        """A decision on Prolific's own site; any status, also an unknown."""
        self._post("decide", submission=submission, status=status)

    def pay_by_hand(self, submission: str, cents: int) -> None:
        """A bonus that is paid on Prolific's own site."""
        self._post("bonus", submission=submission, cents=cents)

    def set_study_status(self, study: str, status: str) -> None:
        """A study's status is changed on Prolific's own site; any status, also an unknown."""
        self._post("study-status", study=study, status=status)

    def settle(self) -> None:
        """Carry out slow approvals and payments (setting `is_slow`)."""
        self._post("settle")

    def move_clock(self, seconds: int) -> None:
        """Let time pass."""
        self._post("clock", seconds=seconds)

    def release_hooks(self, order: str = "sent", seed: int = 0) -> int:
        """Send the held hooks: in order, "reversed" or "shuffled"; returns how many, when all were answered."""
        sent = int(self._post("hooks/release", order=order, seed=seed)["sent"])
        self.wait_for_hooks()
        return sent

    def retry_hooks(self) -> int:
        """Send failed hooks again; returns how many, when all were answered."""
        sent = int(self._post("hooks/retry")["sent"])
        self.wait_for_hooks()
        return sent

    def wait_for_hooks(self) -> None:
        """Return when every hook had its answer."""
        self._post("hooks/wait")

    def read_facts(self) -> Record:
        """What happened: studies with money, submissions, batches, doubled payments, groups, messages, deliveries."""
        return dict(self._post("facts"))

    def read_requests(self, operation: str | None = None) -> list[Record]:
        """The requests so far, or those of an operation: method, path, body, status, answer, fault."""
        entries = list(self._post("requests"))
        return [entry for entry in entries if operation in (None, entry["operation"])]


def _named(study: str | None) -> Record:
    return {} if study is None else {"study": study}
