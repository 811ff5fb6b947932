"""The marketplace's own signing key and the certificate that goes with it, made at the first need (real time)."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from datetime import datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.x509.oid import NameOID

from annotation.accounts import vault
from annotation.marketplace.models import SigningKey

BITS = 2048
LIFE = timedelta(days=2 * 365)
# A new key is made this long before the last one ends.
RENEWAL = timedelta(days=60)
DIGESTS: dict[str, hashes.HashAlgorithm] = {"1": hashes.SHA1(), "2": hashes.SHA256()}  # noqa: S303 - SNS's version 1
COMMON_NAME = "Assay marketplace notifications"


@dataclass(frozen=True)
class Signer:
    """A key that can sign; its certificate is served under `fingerprint`."""

    fingerprint: str
    key: rsa.RSAPrivateKey

    def sign(self, text: str, version: str) -> str:
        """RSA PKCS #1 v1.5 in base64, of SHA-1 (SignatureVersion 1) or SHA-256 (2)."""
        return base64.b64encode(self.key.sign(text.encode(), padding.PKCS1v15(), DIGESTS[version])).decode()


def signer(now: datetime) -> Signer:
    """The newest key that is readable and good for a while; a new one where there is none.

    A key stored under another SECRET_KEY cannot be read: it is replaced, and its certificate stays served.
    """
    for row in SigningKey.objects.filter(expires_at__gt=now + RENEWAL).order_by("-pk")[:2]:
        try:
            pem = vault.unseal(row.sealed_key)
        except vault.UnreadableSecretError:
            continue
        return Signer(row.fingerprint, _read(pem))
    return _create_signer(now)


def _read(pem: str) -> rsa.RSAPrivateKey:
    key = serialization.load_pem_private_key(pem.encode(), password=None)
    if not isinstance(key, rsa.RSAPrivateKey):
        raise TypeError("the stored signing key is not an RSA key")
    return key


def _create_signer(now: datetime) -> Signer:
    key = rsa.generate_private_key(public_exponent=65_537, key_size=BITS)
    certificate = _certificate(key, now)
    fingerprint = certificate.fingerprint(hashes.SHA256()).hex()
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    SigningKey.objects.create(
        fingerprint=fingerprint,
        sealed_key=vault.seal(private.decode()),
        certificate=certificate.public_bytes(serialization.Encoding.PEM).decode(),
        created_at=now,
        expires_at=now + LIFE,
    )
    return Signer(fingerprint, key)


def _certificate(key: rsa.RSAPrivateKey, now: datetime) -> x509.Certificate:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, COMMON_NAME)])
    return (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        # Receivers' clocks may be behind.
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + LIFE)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
