"""Signed messages to registered addresses, over a real socket (specification 3.5; case 74)."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from io import StringIO
from smtplib import SMTPServerDisconnected

import httpx
import pytest
from django.core import mail
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from annotation.exceptions import NoticeError
from annotation.marketplace.models import Document, Endpoint, SigningKey
from annotation.marketplace.notifications import https_post as posting
from annotation.marketplace.notifications.delivery import Delivered, deliver
from annotation.marketplace.notifications.keys import signer
from annotation.mturk.sns import is_new, read_events, verify
from tests.marketplace.receiver import Receiver


def sent(after: float = 0.0) -> Delivered:
    """One pass of the delivery, `after` seconds from now."""
    return deliver(clock=lambda: timezone.now() + timedelta(seconds=after))


def registered(url: str) -> dict:
    out = StringIO()
    call_command("notification_endpoint", "add", url, "--json", stdout=out)
    return json.loads(out.getvalue())


@pytest.fixture
def host(site: str) -> str:
    return site.removeprefix("http://")


@pytest.fixture
def topic(lab, receiver, host) -> str:
    """The ARN of the receiver, which has confirmed as a receiver should."""
    arn = registered(receiver.url)["arn"]
    assert sent().sent == 1
    notice = verify(receiver.got.pop(), certificate_host=host, topic_arn=arn, now=timezone.now())
    assert arn in httpx.get(notice.subscribe_url, trust_env=False).text
    return arn


@pytest.fixture
def ping(lab, topic) -> Callable[[], object]:
    asked = {"Destination": topic, "Transport": "SNS", "Version": "2014-08-15", "EventTypes": ["HITCreated"]}
    return lambda: lab.client.send_test_event_notification(Notification=asked, TestEventType="Ping")


@pytest.fixture
def message(ping, receiver) -> dict:
    """A message as it came."""
    ping()
    assert sent() == Delivered(1, 0, 0)
    return receiver.got[-1]


@pytest.fixture
def believed(host, topic) -> Callable[..., object]:
    def check(message: dict, *, now: datetime | None = None, place: str = host, arn: str = topic) -> object:
        return verify(message, certificate_host=place, topic_arn=arn, now=now or timezone.now())

    return check


def test_an_address_is_registered_once_and_has_to_confirm(lab, receiver):
    first = registered(receiver.url)
    assert first["arn"].startswith("arn:aws:sns:us-east-1:")
    assert first["state"] == "waiting for confirmation"
    assert registered(receiver.url)["arn"] == first["arn"]
    assert Endpoint.objects.count() == 1


def test_nothing_but_the_request_goes_to_who_has_not_confirmed(lab, receiver):
    arn = registered(receiver.url)["arn"]
    asked = {"Destination": arn, "Transport": "SNS", "Version": "2014-08-15", "EventTypes": ["HITCreated"]}
    lab.client.send_test_event_notification(Notification=asked, TestEventType="Ping")
    sent()
    assert [message["Type"] for message in receiver.got] == ["SubscriptionConfirmation"]
    confirm = httpx.get(receiver.got[0]["SubscribeURL"], trust_env=False)
    assert confirm.status_code == 200
    sent()
    assert receiver.documents()[0]["Events"][0]["EventType"] == "Ping"


def test_a_confirmation_cannot_be_made_up(site, topic):
    forged = f"{site}/sns/confirm/?TopicArn={topic}&Token=forged"
    assert httpx.get(forged, trust_env=False).status_code == 404


def test_a_message_is_believed_and_its_events_read(message, believed):
    document = read_events(believed(message))
    assert [event.kind for event in document.events] == ["Ping"]
    assert document.doc_id == Document.objects.get(kind="Notification").doc_id


def test_a_marketplace_may_sign_as_version_1(ping, receiver, believed, settings):
    settings.MARKETPLACE_SIGNATURE_VERSION = "1"
    ping()
    sent()
    message = receiver.got[-1]
    assert message["SignatureVersion"] == "1"
    assert read_events(believed(message)).events[0].kind == "Ping"
    with pytest.raises(NoticeError, match="does not match the message"):
        believed({**message, "SignatureVersion": "2"})


def test_events_of_a_hit_arrive(lab, topic, receiver, believed):
    hit = lab.hit()
    settings = {"Destination": topic, "Transport": "SNS", "Version": "2014-08-15", "EventTypes": ["HITExpired"]}
    lab.client.update_notification_settings(HITTypeId=hit["HITTypeId"], Notification=settings)
    lab.client.update_expiration_for_hit(HITId=hit["HITId"], ExpireAt=0)
    sent()
    (event,) = read_events(believed(receiver.got[-1])).events
    assert (event.kind, event.hit_id, event.hit_type_id) == ("HITExpired", hit["HITId"], hit["HITTypeId"])


@pytest.mark.parametrize("name", ["Message", "MessageId", "Subject", "Timestamp"])
def test_an_altered_message_is_refused(message, believed, name):
    """Case 74."""
    other = "8" if message[name][-2] == "9" else "9"
    altered = {**message, name: message[name][:-2] + other + message[name][-1]}
    with pytest.raises(NoticeError, match="does not match the message"):
        believed(altered)


@pytest.mark.parametrize(
    "url",
    [
        "https://evil.example.org/sns/certificate-1.pem",
        "http://evil.example.org/sns/certificate-1.pem",
        "https://127.0.0.1@evil.example.org/certificate-1.pem",
        "https://[evil",
        "ftp://127.0.0.1/certificate-1.pem",
    ],
)
def test_a_certificate_from_elsewhere_is_refused(message, believed, url):
    """Case 74: it is not even fetched."""
    with pytest.raises(NoticeError, match="not an"):
        believed({**message, "SigningCertURL": url})


def test_plain_http_is_believed_on_loopback_only(message, believed):
    elsewhere = {**message, "SigningCertURL": "http://market.example.org/sns/certificate-1.pem"}
    with pytest.raises(NoticeError, match="not an https address"):
        believed(elsewhere, place="market.example.org")


@pytest.mark.parametrize("hours", [-2, 2])
def test_an_old_message_and_one_ahead_of_its_time_are_refused(message, believed, hours):
    """Case 74."""
    with pytest.raises(NoticeError, match="too old"):
        believed(message, now=timezone.now() + timedelta(hours=hours))


def test_a_message_about_another_topic_is_refused(message, believed):
    with pytest.raises(NoticeError, match="another topic"):
        believed(message, arn="arn:aws:sns:us-east-1:000000000000:other")


def test_a_message_signed_by_somebody_else_is_refused(message, believed, host, site):
    SigningKey.objects.all().delete()
    other = f"{site}/sns/certificate-{signer(timezone.now()).fingerprint}.pem"
    with pytest.raises(NoticeError, match="does not match the message"):
        believed({**message, "SigningCertURL": other})


@pytest.mark.database
def test_a_repeated_message_is_ignored_by_its_document(ping, receiver, believed):
    """Case 74: the receiver did the work and answered late or badly, so the same document comes again."""
    receiver.status = 500
    ping()
    assert sent() == Delivered(0, 1, 0)
    receiver.status = 200
    assert sent(after=6) == Delivered(1, 0, 0)
    seen: set[str] = set()
    documents = [read_events(believed(message)) for message in receiver.got]
    assert [is_new(document, seen) for document in documents] == [True, False]
    assert receiver.got[0]["MessageId"] == receiver.got[1]["MessageId"]


@pytest.mark.database
def test_pauses_grow_until_the_message_is_given_up_and_its_row_stays(ping, receiver):
    receiver.status = 503
    ping()
    moments: list[float] = []
    second = 0.0
    while not (outcome := sent(after=second)).discarded:
        moments.extend([second] * outcome.put_off)
        second += 5 if second < 100 else 1800
    assert moments[:5] == [0, 5, 15, 35, 75]
    assert 86_400 <= second < 86_400 + 3600 + 1800
    row = Document.objects.get(kind="Notification")
    assert (row.delivered_at, row.next_attempt_at, row.last_error) == (None, None, "The receiver answered 503.")
    assert row.attempts == len(receiver.got) == len(moments)
    assert sent(after=second + 100_000) == Delivered(0, 0, 0)


def test_a_dead_receiver_costs_one_attempt_however_much_waits_for_it(ping, receiver):
    receiver.status = 500
    for _ in range(20):
        ping()
    assert sent() == Delivered(0, 1, 0)
    assert len(receiver.got) == 1
    receiver.status = 200
    later = timezone.now() + timedelta(seconds=6)
    assert deliver(clock=lambda: later) == Delivered(20, 0, 0)


def test_a_slow_receiver_has_its_share_of_a_pass_and_no_more(ping):
    """Each message takes it 3 s of a pass in which one receiver may have 5 s."""
    late = timedelta()

    def slow(*arguments: object) -> None:
        nonlocal late
        late += timedelta(seconds=3)

    for _ in range(5):
        ping()
    passes = [deliver(clock=lambda: timezone.now() + late, send=slow).sent for _ in range(3)]
    assert passes == [2, 2, 1]


def test_a_dead_receiver_does_not_keep_others_waiting(lab, ping, receiver, topic):
    with Receiver() as other:
        registered(other.url)
        receiver.status = 500
        for _ in range(3):
            ping()
        sent()
        assert [message["Type"] for message in other.got] == ["SubscriptionConfirmation"]


@pytest.mark.database
def test_calls_and_workers_go_on_while_a_receiver_hangs(lab, ann, topic, hanging):
    """Nothing is sent in a request: with a receiver that never answers, a whole HIT is done before any delivery."""
    Endpoint.objects.update(url=hanging)
    hit = lab.hit()
    settings = {
        "Destination": topic,
        "Transport": "SNS",
        "Version": "2014-08-15",
        "EventTypes": ["AssignmentAccepted", "AssignmentSubmitted", "AssignmentApproved"],
    }
    lab.client.update_notification_settings(HITTypeId=hit["HITTypeId"], Notification=settings)
    lab.client.approve_assignment(AssignmentId=ann.do(hit))
    assert not Document.objects.filter(kind="Notification", attempts__gt=0).exists()


@pytest.fixture
def hanging() -> Iterator[str]:
    """An address that takes a connection, sends a byte of an answer now and then, and never ends it."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        over = threading.Event()

        def drip() -> None:
            listener.settimeout(20)
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                try:
                    connection.sendall(b"HTTP/1.1 200 OK\r\nX-Long: ")
                    while not over.wait(0.05):
                        connection.sendall(b"x")
                except OSError:
                    return

        thread = threading.Thread(target=drip)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
        over.set()
        socket.create_connection(listener.getsockname()).close()
        thread.join(timeout=30)


def test_a_receiver_that_drips_is_cut_off(hanging, monkeypatch):
    monkeypatch.setattr(posting, "TOTAL_SECONDS", 0.3)
    with pytest.raises(posting.NotDeliveredError):
        posting.post(hanging, b"{}", {})


def test_redirects_are_not_followed(ping, receiver):
    receiver.status = 302
    ping()
    assert sent() == Delivered(0, 1, 0)
    assert Document.objects.get(kind="Notification").last_error == "The receiver answered 302."


@pytest.mark.database
def test_two_deliverers_send_each_message_once(ping, receiver):
    for _ in range(5):
        ping()
    together = threading.Barrier(2)
    counts: list[int] = []

    def run() -> None:
        together.wait(timeout=20)
        counts.append(sent().sent)
        connection.close()

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert sum(counts) == len(receiver.documents()) == 5


@pytest.mark.database
def test_a_deliverer_that_dies_leaves_the_message_to_the_next(ping, receiver):
    class PowerCutError(Exception):
        pass

    def cut(*arguments: object) -> None:
        raise PowerCutError

    ping()
    with pytest.raises(PowerCutError):
        deliver(clock=timezone.now, send=cut)
    assert sent() == Delivered(0, 0, 0)
    assert sent(after=61) == Delivered(1, 0, 0)


def test_who_unsubscribes_gets_no_more(ping, message, receiver):
    assert httpx.get(message["UnsubscribeURL"], trust_env=False).status_code == 200
    Endpoint.objects.get(closed_at__isnull=False)
    assert sent() == Delivered(0, 0, 0)


def test_what_waits_for_a_closed_endpoint_is_given_up(ping, topic, receiver):
    ping()
    out = StringIO()
    call_command("notification_endpoint", "close", topic, stdout=out)
    assert out.getvalue().strip().endswith("closed")
    assert sent() == Delivered(0, 0, 1)
    assert receiver.documents() == []


def test_mail_that_cannot_be_sent_is_tried_again(lab, monkeypatch):
    asked = {"Destination": "lab@example.org", "Transport": "Email", "Version": "2006-05-05", "EventTypes": ["Ping"]}
    lab.client.send_test_event_notification(Notification=asked, TestEventType="Ping")
    Endpoint.objects.update(confirmed_at=timezone.now())
    Document.objects.filter(kind=Document.Kind.CONFIRMATION).delete()

    def refuse(self: object) -> int:
        raise SMTPServerDisconnected("no server")

    with monkeypatch.context() as broken:
        broken.setattr(mail.EmailMessage, "send", refuse)
        assert sent() == Delivered(0, 1, 0)
    assert sent(after=6) == Delivered(1, 0, 0)
    assert len(mail.outbox) == 1


def test_the_signing_key_is_made_once_and_stored_encrypted(message, ping):
    ping()
    sent()
    row = SigningKey.objects.get()
    assert "PRIVATE KEY" not in row.sealed_key
    assert row.certificate.startswith("-----BEGIN CERTIFICATE-----")


def test_a_key_that_another_secret_sealed_is_replaced_and_its_certificate_stays(message, ping, receiver, settings):
    settings.SECRET_KEY = "another secret"
    old = httpx.get(message["SigningCertURL"], trust_env=False)
    assert old.status_code == 200
    assert signer(timezone.now()).fingerprint not in message["SigningCertURL"]
    assert SigningKey.objects.count() == 2
