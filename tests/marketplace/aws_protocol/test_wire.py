"""The wire: signatures, targets, bodies, errors (specification 1)."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

import boto3
import httpx
import pytest
from botocore.exceptions import ClientError
from django.db import OperationalError
from django.utils import timezone

from annotation.accounts.models import AccessKey, User
from annotation.marketplace import operations
from annotation.marketplace.aws_protocol import signature
from annotation.marketplace.aws_protocol.service_model import OPERATIONS
from tests.marketplace.conftest import mturk
from tests.marketplace.people import Lab
from tests.marketplace.question_samples import hit_parameters


def kind(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["__type"]


@pytest.mark.database
def test_a_fresh_account_tells_its_balance_as_text(lab):
    answer = lab.client.get_account_balance()
    assert answer["AvailableBalance"] == "10000.00"
    assert len(answer["ResponseMetadata"]["RequestId"]) == 36


@pytest.mark.database
def test_a_script_is_pointed_here_by_one_environment_variable(lab, monkeypatch):
    for name, value in {
        "AWS_ENDPOINT_URL_MTURK": lab.url,
        "AWS_ACCESS_KEY_ID": lab.key,
        "AWS_SECRET_ACCESS_KEY": lab.secret,
        "AWS_DEFAULT_REGION": "us-east-1",
        "NO_PROXY": "127.0.0.1",
    }.items():
        monkeypatch.setenv(name, value)
    client = boto3.session.Session().client("mturk")
    assert client.get_account_balance()["AvailableBalance"] == "10000.00"
    client.close()


def test_a_wrong_secret_is_refused(lab):
    client = mturk(lab.url, lab.key, "not the secret")
    with pytest.raises(ClientError) as refused:
        client.get_account_balance()
    client.close()
    assert refused.value.response["Error"]["Code"] == "InvalidSignatureException"
    assert refused.value.response["ResponseMetadata"]["RetryAttempts"] == 0


def test_an_unknown_and_a_revoked_key_are_refused(lab):
    stranger = Lab(None, lab.url, "AKIAUNKNOWN", "secret")
    assert kind(stranger.raw(b"{}")) == (400, "UnrecognizedClientException")
    AccessKey.objects.get(key_id=lab.key).revoke(now=timezone.now())
    assert kind(lab.raw(b"{}")) == (400, "UnrecognizedClientException")


@pytest.mark.parametrize(
    ("header", "value"),
    [
        ("X-Amz-Target", "MTurkRequesterServiceV20170117.ListHITs"),
        ("Content-Type", "text/plain"),
        ("X-Amz-Date", "20200101T000000Z"),
        ("X-Amz-Security-Token", "smuggled"),
        ("X-Amz-Content-Sha256", hashlib.sha256(b'{"MaxResults":1}').hexdigest()),
    ],
)
def test_headers_altered_on_the_way_are_refused(lab, header, value):
    headers = dict(lab.signed(b"{}").headers.items()) | {header: value}
    with httpx.Client(trust_env=False) as site:
        assert kind(site.post(lab.url, content=b"{}", headers=headers)) == (400, "InvalidSignatureException")


def test_a_body_altered_on_the_way_is_refused(lab):
    headers = dict(lab.signed(b'{"MaxResults": 10}', operation="ListHITs").headers.items())
    with httpx.Client(trust_env=False) as site:
        answer = site.post(lab.url, content=b'{"MaxResults": 99}', headers=headers)
    assert kind(answer) == (400, "InvalidSignatureException")


def test_a_signed_hash_does_not_stand_for_another_body(lab):
    body = b'{"MaxResults": 10}'
    headers = dict(
        lab.signed(body, operation="ListHITs", X_Amz_Content_SHA256=hashlib.sha256(body).hexdigest()).headers.items()
    )
    with httpx.Client(trust_env=False) as site:
        assert site.post(lab.url, content=body, headers=headers).status_code == 200
        altered = site.post(lab.url, content=b'{"MaxResults": 99}', headers=headers)
    assert kind(altered) == (400, "InvalidSignatureException")


@pytest.mark.parametrize(("minutes", "status"), [(-6, 400), (-4, 200), (4, 200), (6, 400)])
def test_a_signature_holds_for_five_minutes_of_real_time(lab, monkeypatch, minutes, status):
    monkeypatch.setattr(signature.timezone, "now", lambda: datetime.now(UTC) + timedelta(minutes=minutes))
    assert lab.raw(b"{}").status_code == status


def test_a_moved_market_clock_leaves_signatures_alone(lab, pass_time):
    pass_time(90_000)
    answer = lab.client.get_account_balance()
    market_time = parsedate_to_datetime(answer["ResponseMetadata"]["HTTPHeaders"]["date"])
    assert timedelta(hours=24) < market_time - datetime.now(UTC) < timedelta(hours=26)


@pytest.mark.parametrize("header", ["", "Bearer token", "AWS4-HMAC-SHA256 Credential=nonsense"])
def test_a_call_without_a_proper_signature_is_refused(lab, header):
    headers = {"Authorization": header} if header else {}
    with httpx.Client(trust_env=False) as site:
        status, name = kind(site.post(lab.url, content=b"{}", headers=headers))
    assert (status, name) in {(400, "MissingAuthenticationTokenException"), (400, "IncompleteSignatureException")}


def test_a_user_without_a_requester_account_is_told_so(site):
    key, secret = AccessKey.objects.issue(User.objects.create(username="nobody"))
    answer = Lab(None, f"{site}/mturk/", key.key_id, secret).raw(b"{}")
    assert kind(answer) == (400, "RequestError")
    assert answer.json()["TurkErrorCode"] == "AWS.MechanicalTurk.NotAuthorized"


@pytest.mark.parametrize("operation", ["NoSuchOperation", "", "getaccountbalance"])
def test_an_unknown_target_is_400(lab, operation):
    assert kind(lab.raw(b"{}", operation=operation)) == (400, "UnknownOperationException")


@pytest.mark.parametrize(
    "body",
    [
        b"{", b"[]", b"7", b'"text"', b"\xff\xfe", b'{"MaxResults": NaN}', b"[" * 100_000,
        b'{"MaxResults": ' + b"9" * 5000 + b"}",
    ],
)  # fmt: skip
def test_a_body_that_is_not_a_json_object_is_400(lab, body):
    assert kind(lab.raw(body, operation="ListHITs")) == (400, "SerializationException")


@pytest.mark.parametrize(
    "given",
    [
        {"MaxResults": "ten"}, {"MaxResults": True}, {"MaxResults": 0}, {"MaxResults": 101}, {"MaxResults": 1.5},
        {"Unknown": 1}, {"NextToken": ""}, {"NextToken": "x" * 256}, {"NextToken": "garbage"},
    ],
)  # fmt: skip
def test_parameters_outside_the_model_are_refused(lab, given):
    answer = lab.raw(json.dumps(given).encode(), operation="ListHITs")
    assert kind(answer) == (400, "ParameterValidationError")


@pytest.mark.parametrize("text", ["\ud800", "a\x00b"])
def test_text_that_cannot_be_stored_is_refused(lab, text):
    body = json.dumps(hit_parameters(Title=text)).encode()
    assert kind(lab.raw(body, operation="CreateHIT")) == (400, "ParameterValidationError")


@pytest.mark.parametrize("moment", [1e300, "1e9", "yesterday", True, [], "99999-01-01"])
def test_a_moment_that_is_none_is_refused(lab, moment):
    body = json.dumps({"HITId": "3" * 30, "ExpireAt": moment}).encode()
    assert kind(lab.raw(body, operation="UpdateExpirationForHIT")) == (400, "ParameterValidationError")


@pytest.mark.parametrize("moment", [1420070400, 1420070400.5, "1420070400", "2015-01-01T00:00:00Z"])
def test_a_moment_may_be_written_in_four_ways(lab, moment):
    hit = lab.hit()
    body = json.dumps({"HITId": hit["HITId"], "ExpireAt": moment}).encode()
    assert lab.raw(body, operation="UpdateExpirationForHIT").status_code == 200
    assert lab.look(hit)["HITStatus"] == "Reviewable"


def test_an_oversize_body_is_refused_by_its_length(lab):
    answer = lab.raw(b'{"Question": "' + b"x" * 2_100_000 + b'"}', operation="CreateHIT")
    assert kind(answer) == (413, "RequestEntityTooLargeException")


def test_a_get_is_no_call(lab):
    with httpx.Client(trust_env=False) as site:
        assert kind(site.get(lab.url)) == (405, "UnknownOperationException")


def test_errors_carry_code_message_and_time_tag(lab):
    code, message = lab.refused("get_hit", HITId="3" + "X" * 29)
    assert code == "HITDoesNotExist"
    assert message.startswith("Hit 3XXXXXXXXXXXXXXXXXXXXXXXXXXXXX does not exist. (")
    assert message.endswith(")")
    with pytest.raises(lab.client.exceptions.RequestError):
        lab.client.get_hit(HITId="3" + "X" * 29)


def test_every_documented_operation_has_an_answer():
    assert operations.TABLE.keys() == OPERATIONS.keys()
    assert len(OPERATIONS) == 39


@pytest.mark.parametrize("operation", sorted(OPERATIONS))
def test_no_operation_fails_on_an_empty_call(lab, operation):
    answer = lab.raw(b"{}", operation=operation)
    assert answer.status_code in {200, 400}
    assert "x-amzn-requestid" in answer.headers
    assert answer.headers["content-type"] == "application/x-amz-json-1.1"


def test_a_failing_database_is_a_fault_that_changes_nothing(lab, monkeypatch):
    def broken(*_: object) -> dict:
        raise OperationalError("database is locked")

    monkeypatch.setitem(operations.TABLE, "ListHITs", operations.Operation(broken, writes=True))
    with pytest.raises(lab.client.exceptions.ServiceFault) as fault:
        lab.client.list_hits()
    assert fault.value.response["ResponseMetadata"]["HTTPStatusCode"] == 500
