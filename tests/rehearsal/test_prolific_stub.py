"""The stand-in for Prolific: the documentation's validation, states and money, people, faults and hooks."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest

from annotation.rehearsal.prolific_stub import application
from annotation.rehearsal.prolific_stub.controls import Controls
from annotation.rehearsal.prolific_stub.process import running
from annotation.rehearsal.prolific_stub.request_shapes import REQUESTS
from annotation.rehearsal.prolific_stub.routing import HANDLERS

LONG = "The attention check in the third task was answered wrongly, and so was the repeated one in the ninth task."
DRAFT = {
    "name": "Which sentences did people write?",
    "description": "You read <b>twelve</b> sentences.",
    "external_study_url": "https://lab.example/in/abc/?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}"
    "&SESSION_ID={{%SESSION_ID%}}",
    "prolific_id_option": "url_parameters",
    "total_available_places": 2,
    "estimated_completion_time": 10,
    "reward": 150,
    "completion_codes": [
        {"code": "CDONE", "code_type": "COMPLETED", "actions": [{"action": "MANUALLY_REVIEW"}]},
        {"code": "CNO", "code_type": "NO_CONSENT", "actions": [{"action": "REQUEST_RETURN"}]},
        {"code": "CLAB", "code_type": "OTHER", "actor": "researcher", "actions": [{"action": "MANUALLY_REVIEW"}]},
    ],
}


@pytest.fixture
def api(prolific_stub: Controls) -> Iterator[httpx.Client]:
    headers = {"Authorization": f"Token {prolific_stub.token}"}
    with httpx.Client(base_url=f"{prolific_stub.url}/api/v1", headers=headers, trust_env=False) as client:
        yield client


def publish(api: httpx.Client, **fields: Any) -> str:
    study = api.post("/studies/", json=DRAFT | fields).json()["id"]
    assert api.post(f"/studies/{study}/transition/", json={"action": "PUBLISH"}).json()["status"] == "PUBLISHING"
    assert api.get(f"/studies/{study}/").json()["status"] == "ACTIVE"
    return str(study)


def problems(response: httpx.Response) -> Any:
    body = response.json()["error"]
    assert body["status"] == response.status_code == 400
    assert set(body) == {"status", "error_code", "title", "detail", "additional_information"}
    return body["detail"]


def test_every_request_shape_has_a_handler() -> None:
    assert application.HANDLERS is HANDLERS
    assert set(REQUESTS) == set(HANDLERS)


def test_a_token_is_required(prolific_stub: Controls) -> None:
    address = f"{prolific_stub.url}/api/v1/users/me/"
    assert httpx.get(address, trust_env=False).status_code == 401
    wrong = httpx.get(address, headers={"Authorization": "Token another"}, trust_env=False)
    assert (wrong.status_code, wrong.json()["error"]["status"]) == (403, 403)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"reward": None}, "reward"),
        ({"reward": 1.5}, "reward"),
        ({"name": ""}, "name"),
        ({"completion_codes": []}, "completion_codes"),
        ({"external_study_url": "ftp://lab.example"}, "external_study_url"),
        ({"surprise": 1}, "surprise"),
        ({"device_compatibility": ["fridge"]}, "device_compatibility"),
        ({"filters": [{"filter_id": "shoe-size", "selected_values": ["1"]}]}, "filters"),
        ({"filters": [{"filter_id": "age", "selected_range": {"lower": 3}}]}, "filters"),
        ({"completion_codes": [DRAFT["completion_codes"][0]] * 2}, "unique"),  # type: ignore[index]
        ({"maximum_allowed_time": 11}, "maximum_allowed_time"),
        ({"project": "64c00000000000000000ffff"}, "project"),
    ],
)
def test_a_draft_that_the_documentation_does_not_allow_is_refused(
    api: httpx.Client, change: dict[str, Any], field: str
) -> None:
    assert field in json.dumps(problems(api.post("/studies/", json=DRAFT | change)))
    assert api.get("/studies/").json()["meta"]["count"] == 0


def test_a_published_study_takes_more_places_and_little_else(api: httpx.Client) -> None:
    study = publish(api)
    assert "reward" in problems(api.patch(f"/studies/{study}/", json={"reward": 200}))
    assert "total_available_places" in problems(api.patch(f"/studies/{study}/", json={"total_available_places": 1}))
    assert api.patch(f"/studies/{study}/", json={"total_available_places": 3}).json()["total_available_places"] == 3
    assert api.post(f"/studies/{study}/transition/", json={"action": "PUBLISH"}).status_code == 409
    assert api.delete(f"/studies/{study}").status_code == 409


def test_costs_have_fee_and_tax_and_publishing_needs_the_balance(api: httpx.Client, prolific_stub: Controls) -> None:
    # 2 places at 1.50: 3.00, a third as fee 0.999 rounded to 1.00, a fifth of it as tax 0.20.
    assert api.post("/study-cost-calculator/", json={"reward": 150, "total_available_places": 2}).json() == {
        "total_cost": 420
    }
    prolific_stub.change_settings(balance_cents=839)
    publish(api)
    second = api.post("/studies/", json=DRAFT).json()["id"]
    refused = api.post(f"/studies/{second}/transition/", json={"action": "PUBLISH"})
    assert "balance" in problems(refused)
    balance = api.get(f"/workspaces/{prolific_stub.workspace}/balance/").json()
    assert (balance["total_balance"], balance["available_balance"]) == (839, 419)


def test_people_take_places_and_free_them(api: httpx.Client, prolific_stub: Controls) -> None:
    study = publish(api)
    first = prolific_stub.arrive(1, study)
    assert first["address"] == (
        f"https://lab.example/in/abc/?PROLIFIC_PID={first['participant_id']}&STUDY_ID={study}"
        f"&SESSION_ID={first['session_id']}"
    )
    prolific_stub.reserve(2, study)
    with pytest.raises(httpx.HTTPStatusError, match="409"):
        prolific_stub.arrive(3, study)
    prolific_stub.time_out(2)
    prolific_stub.arrive(3, study)
    assert prolific_stub.complete(1, "CDONE")["status"] == "AWAITING REVIEW"
    # A code for people of the laboratory, entered by a participant, is not a code.
    assert prolific_stub.complete(3, "CLAB")["study_code"] == "CLAB"
    assert api.get(f"/studies/{study}/").json()["status"] == "AWAITING REVIEW"
    prolific_stub.return_place(3)
    counts = api.get(f"/studies/{study}/submissions/counts/").json()
    assert (counts["AWAITING REVIEW"], counts["RETURNED"], counts["TIMED-OUT"], counts["TOTAL"]) == (1, 1, 1, 3)


def test_decisions_are_final_and_repeated_approvals_ignored(api: httpx.Client, prolific_stub: Controls) -> None:
    study = publish(api)
    sessions = [prolific_stub.arrive(person, study)["session_id"] for person in (1, 2)]
    for person in (1, 2):
        prolific_stub.complete(person, "CDONE")
    decide = f"/submissions/{sessions[0]}/transition/"
    short = {"action": "REJECT", "message": "No.", "rejection_category": "LOW_EFFORT"}
    assert "message" in json.dumps(problems(api.post(decide, json=short)))
    assert "category" in json.dumps(problems(api.post(decide, json={"action": "REJECT", "message": LONG})))
    for _ in range(2):
        assert api.post(decide, json={"action": "APPROVE"}).json()["status"] == "APPROVED"
    assert api.post(decide, json=short | {"message": LONG}).status_code == 409
    assert api.post("/submissions/bulk-approve/", json={"submission_ids": sessions}).status_code == 200
    facts = prolific_stub.read_facts()
    assert [row["approvals"] for row in facts["submissions"]] == [1, 1]
    assert facts["studies"][0]["paid_rewards"]["total_amount"] == 420
    assert facts["studies"][0]["status"] == "COMPLETED"


def test_the_researcher_completes_a_submission_of_a_closed_tab(api: httpx.Client, prolific_stub: Controls) -> None:
    study = publish(api)
    session = prolific_stub.arrive(1, study)["session_id"]
    complete = f"/submissions/{session}/transition/"
    assert "completion_code" in problems(api.post(complete, json={"action": "COMPLETE", "completion_code": "CDONE"}))
    for _ in range(2):
        answer = api.post(complete, json={"action": "COMPLETE", "completion_code": "CLAB"}).json()
        assert (answer["status"], answer["entered_code"]) == ("AWAITING REVIEW", "CLAB")
    assert prolific_stub.complete(1, "CDONE")["study_code"] == "CLAB"


def test_a_bonus_paid_twice_is_paid_twice(api: httpx.Client, prolific_stub: Controls) -> None:
    study = publish(api)
    session = prolific_stub.arrive(1, study)["session_id"]
    prolific_stub.complete(1, "CDONE")
    set_up = {"study_id": study, "csv_bonuses": f"{session},1.50\nnobody,2"}
    assert "nobody" in json.dumps(problems(api.post("/submissions/bonus-payments/", json=set_up)))
    set_up["csv_bonuses"] = f"{session},1.5"
    batch = api.post("/submissions/bonus-payments/", json=set_up)
    assert batch.status_code == 201
    assert {**batch.json(), "id": ""} == {
        "id": "",
        "study": study,
        "amount": 150,
        "fees": 50,
        "vat": 10,
        "total_amount": 210,
    }
    assert api.get(f"/submissions/{session}/").json()["bonus_payments"] == []
    for _ in range(2):
        assert api.post(f"/bulk-bonus-payments/{batch.json()['id']}/pay/").status_code == 202
    assert api.get(f"/submissions/{session}/").json()["bonus_payments"] == [150, 150]
    assert prolific_stub.read_facts()["doubled_payments"] == 1


@pytest.mark.parametrize("line", ["abc", "abc,1.505", "abc,-1", "abc,0", "abc,1,5"])
def test_bonus_lines_are_decimals(api: httpx.Client, line: str) -> None:
    study = publish(api)
    refused = api.post("/submissions/bonus-payments/", json={"study_id": study, "csv_bonuses": line})
    assert "line 1" in json.dumps(problems(refused))


def test_groups_and_earlier_studies_exclude_people(api: httpx.Client, prolific_stub: Controls) -> None:
    group = api.post("/participant-groups/", json={"name": "Took part", "workspace_id": prolific_stub.workspace})
    add = {"action": "ADD_TO_PARTICIPANT_GROUP", "participant_group": group.json()["id"]}
    code = {"code": "C1", "code_type": "COMPLETED", "actions": [{"action": "AUTOMATICALLY_APPROVE"}, add]}
    study = publish(api, completion_codes=[code])
    prolific_stub.arrive(1, study)
    assert prolific_stub.complete(1, "C1")["status"] == "APPROVED"
    blocked = {"filter_id": "participant_group_blocklist", "selected_values": [group.json()["id"]]}
    second = publish(api, filters=[blocked])
    with pytest.raises(httpx.HTTPStatusError, match="409"):
        prolific_stub.arrive(1, second)
    prolific_stub.arrive(2, second)


def test_filters_are_counted(api: httpx.Client) -> None:
    country = {"filter_id": "current-country-of-residence", "selected_values": ["1"]}
    assert api.post("/eligibility-count/", json={"filters": [country]}).json() == {"count": 24_000}
    person = {"filter_id": "custom_allowlist", "selected_values": ["64"]}
    assert api.post("/eligibility-count/", json={"filters": [person]}).json() == {"count": 0}


def test_lists_are_followed_to_their_end(api: httpx.Client, prolific_stub: Controls) -> None:
    study = publish(api, total_available_places=25)
    for person in range(25):
        prolific_stub.arrive(person, study)
    first = api.get("/submissions/", params={"study": study}).json()
    second = api.get(first["_links"]["next"]["href"].removeprefix("/api/v1")).json()
    assert (len(first["results"]), len(second["results"]), second["_links"]["next"]["href"]) == (20, 5, None)
    window = api.get(f"/studies/{study}/submissions/", params={"limit": 10, "offset": 20}).json()
    assert (len(window["results"]), window["meta"]["count"]) == (5, 25)
    assert "study" in problems(api.get("/submissions/"))
    assert "page_length" in problems(api.get("/submissions/", params={"study": study, "page_length": 3}))


def test_faults_strike_before_or_after_the_effect(api: httpx.Client, prolific_stub: Controls) -> None:
    prolific_stub.add_fault("create_study", "throttle", retry_after_seconds=7)
    prolific_stub.add_fault("create_study", "fail_after_effect")
    prolific_stub.add_fault("create_study", "drop_after_effect")
    throttled = api.post("/studies/", json=DRAFT)
    assert (throttled.status_code, throttled.headers["Retry-After"]) == (429, "7")
    assert api.post("/studies/", json=DRAFT).status_code == 502
    with pytest.raises(httpx.RemoteProtocolError):
        api.post("/studies/", json=DRAFT)
    assert api.get("/studies/").json()["meta"]["count"] == 2
    faults = [entry["fault"] for entry in prolific_stub.read_requests("create_study")]
    assert faults == ["throttle", "fail_after_effect", "drop_after_effect"]


def test_what_a_later_version_may_answer(api: httpx.Client, prolific_stub: Controls) -> None:
    study = publish(api)
    session = prolific_stub.arrive(1, study)["session_id"]
    prolific_stub.change_settings(has_unknown_fields=True, has_unknown_filters=True)
    prolific_stub.decide(session, "UNDER DISPUTE")
    prolific_stub.set_study_status(study, "HIBERNATING")
    assert api.get("/filters/").json()["results"][0]["type"] == "constellation"
    assert "field_of_next_year" in api.get(f"/studies/{study}/").json()
    assert api.get(f"/submissions/{session}/").json()["status"] == "UNDER DISPUTE"
    assert api.get(f"/studies/{study}/submissions/counts/").json()["UNDER DISPUTE"] == 1


@pytest.fixture
def received() -> Iterator[tuple[str, list[tuple[dict[str, str], bytes]], Callable[[int], None]]]:
    """An address that stores hooks, what it stored, and how it is made to answer."""
    hooks: list[tuple[dict[str, str], bytes]] = []
    status = [200]

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["Content-Length"]))
            hooks.append(({name.lower(): value for name, value in self.headers.items()}, raw))
            self.send_response(status[0])
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Receiver) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/hook", hooks, lambda code: status.__setitem__(0, code)
        server.shutdown()
        thread.join()


def is_signed(headers: dict[str, str], raw: bytes, secret: str) -> bool:
    stamp = headers["x-prolific-request-timestamp"].encode()
    expected = base64.b64encode(hmac.new(secret.encode(), stamp + raw, hashlib.sha256).digest()).decode()
    return headers["x-prolific-request-signature"] == expected


def test_hooks_are_confirmed_signed_repeated_and_disordered(
    api: httpx.Client, prolific_stub: Controls, received: Any
) -> None:
    address, hooks, answer_with = received
    secret = api.post("/hooks/secrets/", json={"workspace_id": prolific_stub.workspace}).json()["value"]
    wish = {"workspace_id": prolific_stub.workspace, "event_type": "submission.status.change", "target_url": address}
    subscribed = api.post("/hooks/subscriptions/", json=wish)
    study = publish(api)
    prolific_stub.arrive(1, study)
    prolific_stub.wait_for_hooks()
    assert hooks == [], "nothing is sent before the confirmation"

    confirm = f"/hooks/subscriptions/{subscribed.json()['id']}/"
    assert "secret" in problems(api.post(confirm, json={"secret": "guessed"}))
    assert api.post(confirm, json={"secret": subscribed.headers["X-Hook-Secret"]}).status_code == 200
    prolific_stub.change_settings(hooks="held", hook_copies=2)
    prolific_stub.complete(1, "CDONE")
    prolific_stub.return_place(1)
    assert prolific_stub.release_hooks("reversed") == 2
    assert [json.loads(raw)["status"] for _, raw in hooks] == ["RETURNED"] * 2 + ["AWAITING REVIEW"] * 2
    assert len({headers["x-event-id"] for headers, _ in hooks}) == 2
    assert all(is_signed(headers, raw, secret) for headers, raw in hooks)

    prolific_stub.change_settings(hooks="sent", hook_copies=1, has_wrong_signatures=True)
    answer_with(500)
    prolific_stub.arrive(2, study)
    prolific_stub.wait_for_hooks()
    assert not is_signed(*hooks[-1], secret)
    prolific_stub.change_settings(has_wrong_signatures=False)
    for _ in range(11):
        assert prolific_stub.retry_hooks() == 1
    assert len({headers["x-event-id"] for headers, _ in hooks[4:]}) == 1
    assert prolific_stub.retry_hooks() == 0, "twelve attempts, then the subscription ends"
    assert api.get("/hooks/subscriptions/").json()["results"] == []


def test_the_stub_goes_on_from_its_file(tmp_path: Path) -> None:
    state, log = tmp_path / "state.json", tmp_path / "log.jsonl"
    studies = []
    for _ in range(2):
        with running(state=state, log=log) as controls:
            headers = {"Authorization": f"Token {controls.token}"}
            client = httpx.Client(base_url=f"{controls.url}/api/v1", headers=headers, trust_env=False)
            with client:
                studies.append(client.post("/studies/", json=DRAFT).json()["id"])
                assert [row["id"] for row in client.get("/studies/").json()["results"]] == studies
    assert [json.loads(line)["operation"] for line in log.read_text().splitlines()] == [
        "create_study",
        "list_studies",
    ] * 2
