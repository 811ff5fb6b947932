"""Queues of notifications, read with boto3's client for SQS."""

from __future__ import annotations

import hashlib
import json
import threading
import time

import httpx
import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from botocore.exceptions import ClientError
from django.utils import timezone

from annotation.marketplace.models import QueueMessage, Requester
from annotation.marketplace.notifications.endpoints import queue_url, register_queue
from annotation.marketplace.sqs import operations
from tests.marketplace.conftest import sqs

pytestmark = pytest.mark.database


@pytest.fixture
def ping(lab, queue):
    """Puts one message into the queue."""
    return lambda: lab.client.send_test_event_notification(Notification=queue.asked(), TestEventType="Ping")


def error_of(call, **parameters: object) -> ClientError:
    with pytest.raises(ClientError) as refused:
        call(**parameters)
    return refused.value


def test_a_queue_is_found_by_its_name(queue):
    assert queue.client.get_queue_url(QueueName="events")["QueueUrl"] == queue.url
    account = queue.row.account.number
    found = queue.client.get_queue_url(QueueName="events", QueueOwnerAWSAccountId=account)
    assert found["QueueUrl"] == queue.url


def test_a_message_says_what_it_holds_and_where_it_comes_from(queue, ping):
    ping()
    (message,) = queue.receive(AttributeNames=["All"])
    assert json.loads(message["Body"])["Events"][0]["EventType"] == "Ping"
    assert message["MD5OfBody"] == hashlib.md5(message["Body"].encode()).hexdigest()
    assert message["Attributes"]["SenderId"] == "AIDAIXO4EZE6RHVSXIN4E"
    assert message["Attributes"]["ApproximateReceiveCount"] == "1"
    assert abs(int(message["Attributes"]["SentTimestamp"]) / 1000 - time.time()) < 120


def test_a_message_that_is_not_deleted_comes_again_as_the_same_document(queue, ping):
    ping()
    (first,) = queue.receive(VisibilityTimeout=0)
    (second,) = queue.receive(MessageSystemAttributeNames=["ApproximateReceiveCount"])
    assert first["Body"] == second["Body"]
    assert first["MessageId"] == second["MessageId"]
    assert first["ReceiptHandle"] != second["ReceiptHandle"]
    assert second["Attributes"] == {"ApproximateReceiveCount": "2"}


def test_a_received_message_is_hidden_from_others(queue, ping):
    ping()
    assert len(queue.receive()) == 1
    assert queue.receive() == []
    QueueMessage.objects.update(visible_at=timezone.now())
    assert len(queue.receive()) == 1


def test_a_deleted_message_is_gone_and_may_be_deleted_again(queue, ping):
    ping()
    (message,) = queue.receive(VisibilityTimeout=0)
    for _ in range(2):
        queue.client.delete_message(QueueUrl=queue.url, ReceiptHandle=message["ReceiptHandle"])
    assert queue.receive() == []


def test_the_handle_of_an_earlier_receipt_deletes_nothing(queue, ping):
    ping()
    (first,) = queue.receive(VisibilityTimeout=0)
    queue.receive(VisibilityTimeout=0)
    queue.client.delete_message(QueueUrl=queue.url, ReceiptHandle=first["ReceiptHandle"])
    assert len(queue.receive()) == 1


def test_ten_messages_at_most_come_at_once(queue, ping):
    for _ in range(12):
        ping()
    assert len(queue.receive()) == 1
    assert len(queue.receive(MaxNumberOfMessages=10)) == 10
    assert len(queue.receive(MaxNumberOfMessages=10)) == 1


def test_attributes_count_what_waits_and_what_is_out(queue, ping):
    for _ in range(3):
        ping()
    queue.receive()
    found = queue.client.get_queue_attributes(QueueUrl=queue.url, AttributeNames=["All"])["Attributes"]
    assert found["ApproximateNumberOfMessages"] == "2"
    assert found["ApproximateNumberOfMessagesNotVisible"] == "1"
    assert found["QueueArn"] == queue.row.arn
    chosen = queue.client.get_queue_attributes(QueueUrl=queue.url, AttributeNames=["QueueArn"])["Attributes"]
    assert chosen == {"QueueArn": queue.row.arn}


def test_a_waiting_receiver_gets_what_comes_meanwhile(queue, ping):
    later = threading.Timer(0.5, ping)
    later.start()
    assert len(queue.receive(WaitTimeSeconds=20)) == 1
    later.join()


def test_an_empty_answer_comes_long_before_the_wait_that_was_asked_for(queue, monkeypatch):
    waits: list[float] = []
    monkeypatch.setattr(operations, "sleep", waits.append)
    assert queue.receive(WaitTimeSeconds=20) == []
    assert 1 < sum(waits) < 2


def test_no_more_than_two_threads_wait_for_messages(queue, monkeypatch):
    """Further receivers are answered at once: pages of workers keep threads to be served by."""
    monkeypatch.setattr(operations, "sleep", lambda seconds: pytest.fail("it waited"))
    for _ in range(operations.MAX_WAITING_THREADS):
        operations._seats.acquire()
    try:
        operations._wait_for_something(queue.row, 2)
    finally:
        operations._seats.release(operations.MAX_WAITING_THREADS)


def test_another_requester_sees_no_queue(open_lab, queue, site, ping):
    ping()
    rival = sqs(site, open_lab("rival"))
    for call in (rival.receive_message, rival.get_queue_attributes):
        assert isinstance(error_of(call, QueueUrl=queue.url), rival.exceptions.QueueDoesNotExist)
    assert isinstance(error_of(rival.get_queue_url, QueueName="events"), rival.exceptions.QueueDoesNotExist)
    rival.close()


def test_a_message_of_another_queue_is_not_deleted(queue, ping):
    ping()
    (message,) = queue.receive(VisibilityTimeout=0)
    other = register_queue(Requester.objects.get(), "other", now=timezone.now())
    queue.client.delete_message(QueueUrl=queue_url(other), ReceiptHandle=message["ReceiptHandle"])
    assert len(queue.receive()) == 1


@pytest.mark.parametrize(
    ("operation", "parameters", "code"),
    [
        ("receive_message", {"QueueUrl": "http://127.0.0.1/sqs/000000000000/none"}, "NonExistentQueue"),
        ("receive_message", {"QueueUrl": "https://[/"}, "NonExistentQueue"),
        ("receive_message", {"MaxNumberOfMessages": 11}, "InvalidParameterValue"),
        ("receive_message", {"MaxNumberOfMessages": 0}, "InvalidParameterValue"),
        ("receive_message", {"VisibilityTimeout": 43_201}, "InvalidParameterValue"),
        ("receive_message", {"WaitTimeSeconds": 21}, "InvalidParameterValue"),
        ("delete_message", {"ReceiptHandle": "forged"}, "ReceiptHandleIsInvalid"),
        ("send_message", {"MessageBody": "me"}, "UnsupportedOperation"),
        ("purge_queue", {}, "UnsupportedOperation"),
    ],
)
def test_a_call_that_cannot_be_done_gets_the_clients_own_error(queue, operation, parameters, code):
    call = getattr(queue.client, operation)
    refusal = error_of(call, **{"QueueUrl": queue.url, **parameters}).response
    assert refusal["Error"]["Code"].rpartition(".")[2] == code
    assert refusal["ResponseMetadata"]["HTTPStatusCode"] == 400


@pytest.mark.parametrize(
    "body", [b"{", b"[]", b'{"QueueUrl": 5}', b'{"QueueUrl": "\\ud800"}', b'{"QueueUrl": "\\u0000"}', b"{}"]
)
def test_a_body_that_makes_no_sense_is_refused(lab, queue, site, body):
    answer = signed(site, lab, body)
    assert answer.status_code == 400
    assert answer.json()["__type"]


def signed(site: str, lab, body: bytes, service: str = "sqs") -> httpx.Response:
    headers = {"X-Amz-Target": "AmazonSQS.ReceiveMessage", "Content-Type": "application/x-amz-json-1.0"}
    request = AWSRequest("POST", f"{site}/sqs/", headers=headers, data=body)
    SigV4Auth(Credentials(lab.key, lab.secret), service, "us-east-1").add_auth(request)
    with httpx.Client(trust_env=False) as browser:
        return browser.post(f"{site}/sqs/", content=body, headers=dict(request.headers.items()))


def test_a_signature_for_one_service_is_none_for_the_other(lab, queue, site):
    answer = signed(site, lab, b"{}", service="mturk-requester")
    assert answer.json()["__type"].endswith("#InvalidSignatureException")


def test_a_queue_is_called_by_post(site):
    assert httpx.get(f"{site}/sqs/", trust_env=False).status_code == 405
