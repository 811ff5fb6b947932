"""The verifier of notifications, without a marketplace: keys and messages of the test's own."""

from __future__ import annotations

import base64
from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.x509.oid import NameOID

from annotation.exceptions import NoticeError
from annotation.mturk.sns import EventDocument, MarketEvent, Notice, is_new, read_events, verify

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
TOPIC = "arn:aws:sns:us-east-1:047991105548:study"
HOST = "market.example.org"
# The document that a real notification held (specification 3.5).
DOCUMENT = (
    '{"Events":[{"EventType":"AssignmentSubmitted","EventTimestamp":"2019-08-09T21:17:16Z","HITId":"3HIT",'
    '"AssignmentId":"3WORK","HITTypeId":"3TYPE"}],"EventDocId":"9928a491605538bb160590bb57b0596a9fbbcbba",'
    '"SourceAccount":"047991105548","CustomerId":"AUYKYIHQXG6XR","EventDocVersion":"2014-08-15"}'
)


@pytest.fixture(scope="module")
def key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65_537, key_size=2048)


def certificate(key: rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey, *, until: datetime) -> bytes:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "market")])
    made = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    made = made.serial_number(1).not_valid_before(until - timedelta(days=2)).not_valid_after(until)
    return made.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)


@pytest.fixture
def signed(key):
    """A message signed as the specification says: name and value of each field on lines of their own."""

    def made(**changes: str) -> dict[str, str]:
        message = {
            "Type": "Notification",
            "MessageId": "m-1",
            "TopicArn": TOPIC,
            "Subject": "1565385436809",
            "Message": DOCUMENT,
            "Timestamp": "2026-11-20T11:59:00.000Z",
            "SignatureVersion": "2",
            "SigningCertURL": f"https://{HOST}/sns/certificate.pem",
            **changes,
        }
        message = {name: value for name, value in message.items() if value}
        text = "".join(
            f"{name}\n{message[name]}\n"
            for name in ("Message", "MessageId", "Subject", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type")
            if name in message
        )
        digest = hashes.SHA1() if message["SignatureVersion"] == "1" else hashes.SHA256()
        signature = key.sign(text.encode(), padding.PKCS1v15(), digest)
        return {**message, "Signature": base64.b64encode(signature).decode()}

    return made


@pytest.fixture
def believe(key):
    def check(message: dict[str, str], *, pem: bytes = b"") -> Notice:
        good = pem or certificate(key, until=NOW + timedelta(days=1))
        return verify(message, certificate_host=HOST, topic_arn=TOPIC, now=NOW, fetch=lambda url: good)

    return check


def test_a_message_signed_by_the_book_is_believed(signed, believe):
    assert believe(signed()) == Notice("m-1", DOCUMENT, NOW - timedelta(minutes=1), "")
    assert believe(signed(Subject="")).message == DOCUMENT
    assert believe(signed(SignatureVersion="1")).message == DOCUMENT


def test_a_request_to_confirm_names_the_address_to_visit(signed, believe):
    address = f"https://{HOST}/sns/confirm/?Token=t"
    asked = signed(Type="SubscriptionConfirmation", Subject="", Token="t", SubscribeURL=address)
    assert believe(asked).subscribe_url == address
    with pytest.raises(NoticeError, match="not an https address"):
        believe(signed(Type="SubscriptionConfirmation", Subject="", Token="t", SubscribeURL="https://evil.example/"))


@pytest.mark.parametrize("name", ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"])
def test_every_signed_field_matters(signed, believe, name):
    other = {"Timestamp": "2026-11-20T11:58:00.000Z", "TopicArn": TOPIC + "2", "Type": "SubscriptionConfirmation"}
    with pytest.raises(NoticeError):
        believe({**signed(), name: other.get(name, "other")})


def test_a_subject_cannot_be_taken_away(signed, believe):
    message = signed()
    del message["Subject"]
    with pytest.raises(NoticeError, match="does not match the message"):
        believe(message)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"SignatureVersion": "1"}, "does not match the message"),
        ({"SignatureVersion": "3"}, "version .3., not 1 or 2"),
        ({"Type": "UnsubscribeConfirmation"}, "not accepted"),
        ({"Timestamp": "yesterday"}, "not a time"),
        ({"Timestamp": "2026-11-20T10:59:59Z"}, "too old"),
        ({"Timestamp": "2026-11-20T12:05:01Z"}, "ahead"),
        ({"SigningCertURL": f"https://{HOST}/certificate"}, r"\.pem"),
        ({"SigningCertURL": f"http://{HOST}/certificate.pem"}, "not an https address"),
        ({"SigningCertURL": f"https://{HOST}.evil.example/certificate.pem"}, "not an https address"),
        ({"SigningCertURL": f"https://{HOST}:8443/certificate.pem"}, "not an https address"),
        ({"MessageId": ""}, "no MessageId"),
    ],
)
def test_what_is_not_as_it_should_be_is_named(signed, believe, changes, sentence):
    message = signed() | changes
    with pytest.raises(NoticeError, match=sentence):
        believe(message)


def test_a_certificate_must_be_one_be_valid_and_hold_an_rsa_key(signed, believe, key):
    curve = ec.generate_private_key(ec.SECP256R1())
    for pem, sentence in (
        (b"nonsense", "cannot be read"),
        (certificate(key, until=NOW - timedelta(seconds=1)), "not valid now"),
        (certificate(key, until=NOW + timedelta(days=3)), "not valid now"),
        (certificate(curve, until=NOW + timedelta(days=1)), "no RSA key"),
    ):
        with pytest.raises(NoticeError, match=sentence):
            believe(signed(), pem=pem)


@pytest.mark.parametrize("signature", ["", "not base64!", "YWJj"])
def test_a_signature_that_is_none_is_refused(signed, believe, signature):
    with pytest.raises(NoticeError):
        believe({**signed(), "Signature": signature})


def test_the_events_of_a_real_document_are_read():
    document = read_events(Notice("m", DOCUMENT, NOW, ""))
    moment = datetime(2019, 8, 9, 21, 17, 16, tzinfo=UTC)
    assert document == EventDocument(
        "9928a491605538bb160590bb57b0596a9fbbcbba",
        (MarketEvent("AssignmentSubmitted", moment, "3HIT", "3WORK", "3TYPE"),),
    )


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"Events": 5, "EventDocId": "a"}', '{"Events": [{}], "EventDocId": ""}']
)
def test_a_document_that_is_none_is_refused(text):
    with pytest.raises(NoticeError, match="not a document of events"):
        read_events(Notice("m", text, NOW, ""))


def test_a_document_is_new_once():
    document, seen = read_events(Notice("m", DOCUMENT, NOW, "")), set[str]()
    assert [is_new(document, seen) for _ in range(3)] == [True, False, False]
