"""AWS Signature Version 4, checked with botocore's own signer over the request as it was received."""

from __future__ import annotations

import hashlib
import hmac
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from django.http import HttpRequest
from django.utils import timezone

from annotation.accounts.vault import UnreadableSecretError
from annotation.marketplace.aws_protocol.callers import Caller, caller_by
from annotation.marketplace.aws_protocol.errors import WireError
from annotation.marketplace.aws_protocol.service_model import SIGNING_NAME

TOLERANCE = timedelta(minutes=5)
_AUTHORIZATION = re.compile(
    r"AWS4-HMAC-SHA256 +Credential=(?P<key>[^/,\s\x00]+)/(?P<day>\d{8})/(?P<region>[^/,\s]+)/(?P<service>[^/,\s]+)"
    r"/aws4_request"
    r" *, *SignedHeaders=(?P<headers>[a-z0-9;._-]+) *, *Signature=(?P<signature>[0-9a-f]{64})"
)


@dataclass(frozen=True)
class Claim:
    """What an Authorization header says."""

    key_id: str
    day: str
    region: str
    service: str
    headers: tuple[str, ...]
    signature: str


def verified(request: HttpRequest, body: bytes, *, service: str = SIGNING_NAME) -> Caller:
    """The holder of the access key that signed `request` for `service`.

    Raises WireError: MissingAuthenticationTokenException, IncompleteSignatureException,
    UnrecognizedClientException (unknown or revoked key), InvalidSignatureException (wrong secret, altered request,
    more than 5 minutes from the real time).
    """
    claim = _claim(request)
    stamp = request.headers.get("X-Amz-Date", "")
    _check_time(stamp, claim)
    if claim.service != service:
        raise _invalid(f"Credential should be scoped to the service {service!r}.")
    _check_headers(request, claim, body)
    caller = caller_by(claim.key_id)
    if caller is None:
        raise WireError("UnrecognizedClientException", "The security token included in the request is invalid.")
    try:
        expected = _signature(request, claim, body, stamp, caller.secret())
    except UnreadableSecretError as error:
        raise WireError("UnrecognizedClientException", str(error)) from None
    if not hmac.compare_digest(expected, claim.signature):
        raise _invalid("The request signature we calculated does not match the signature you provided.")
    return caller


def _invalid(message: str) -> WireError:
    return WireError("InvalidSignatureException", message)


def _claim(request: HttpRequest) -> Claim:
    header = request.headers.get("Authorization")
    if not header:
        raise WireError("MissingAuthenticationTokenException", "Request is missing Authentication Token")
    match = _AUTHORIZATION.fullmatch(header.strip())
    if match is None:
        raise WireError(
            "IncompleteSignatureException", "The Authorization header is not an AWS4-HMAC-SHA256 signature."
        )
    part = match.groupdict()
    return Claim(
        part["key"], part["day"], part["region"], part["service"], tuple(part["headers"].split(";")), part["signature"]
    )


def _check_time(stamp: str, claim: Claim) -> None:
    try:
        signed_at = datetime.strptime(stamp, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    except ValueError:
        raise WireError("IncompleteSignatureException", "X-Amz-Date must look like 20261120T152346Z.") from None
    now = timezone.now()
    if abs(now - signed_at) > TOLERANCE:
        raise _invalid(f"Signature expired: {stamp} is more than 5 minutes from {now:%Y%m%dT%H%M%SZ}.")
    if claim.day != stamp[:8]:
        raise _invalid("Date in Credential scope does not match YYYYMMDD from X-Amz-Date.")


def _check_headers(request: HttpRequest, claim: Claim, body: bytes) -> None:
    """Everything the request means must be under the signature: host, all x-amz headers, the body."""
    meaning = {"host", *(name.lower() for name in request.headers if name.lower().startswith("x-amz-"))}
    unsigned = meaning - set(claim.headers)
    if unsigned:
        raise _invalid(f"The header {min(unsigned)!r} must be signed.")
    # botocore's signer takes this header's word for the hash of the body, so it is checked here.
    declared = request.headers.get("X-Amz-Content-Sha256")
    if declared is not None and declared != hashlib.sha256(body).hexdigest():
        raise _invalid("X-Amz-Content-Sha256 is not the hash of the body.")


def _signature(request: HttpRequest, claim: Claim, body: bytes, stamp: str, secret: str) -> str:
    signed = {name: request.headers.get(name, "") for name in claim.headers}
    url = f"http://{request.headers.get('Host', '')}{request.get_full_path()}"
    copy = AWSRequest(method=request.method, url=url, headers=signed, data=body)
    copy.context["timestamp"] = stamp
    signer = SigV4Auth(Credentials(claim.key_id, secret), claim.service, claim.region)
    calculated: str = signer.signature(signer.string_to_sign(copy, signer.canonical_request(copy)), copy)
    return calculated
