"""A small OpenID Connect provider on a socket of this machine: discovery, authorization, tokens, keys."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

HEADER = {"alg": "RS256", "kid": "first"}
KEY = RSAKey.generate_key(2048, {"kid": "first", "use": "sig", "alg": "RS256"})


class IdentityProvider:
    """It lets everybody in as the person of `claims`. faults: claims that replace those of a right ID token.

    signer: the key of the next ID tokens. confused: they are signed with the public key as a shared secret.
    """

    def __init__(self, client_id: str, secret: str) -> None:
        self.client_id, self.secret = client_id, secret
        self.claims: dict[str, Any] = {"sub": "person-1", "email": "ada@example.org", "email_verified": True}
        self.faults: dict[str, Any] = {}
        self.issuer, self.stated_issuer = "", ""
        self.key = KEY
        self.signer: Any = self.key
        self.confused = False
        self.codes: dict[str, dict[str, str]] = {}

    def discovery(self) -> dict[str, Any]:
        """What the provider says of itself."""
        return {
            "issuer": self.stated_issuer or self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/keys",
            "id_token_signing_alg_values_supported": ["RS256", "HS256", "none"],
            "token_endpoint_auth_methods_supported": ["client_secret_basic"],
        }

    def authorize(self, query: dict[str, str]) -> str:
        """The address to which the browser goes back, with a code."""
        code = f"code-{len(self.codes)}"
        self.codes[code] = query
        return f"{query['redirect_uri']}?{urlencode({'code': code, 'state': query['state']})}"

    def token(self, form: dict[str, str], authorization: str) -> dict[str, Any] | None:
        """The tokens for a code, once, for who has the secret and the verifier (RFC 7636); None for all others."""
        asked = self.codes.pop(form.get("code", ""), None)
        right = "Basic " + base64.b64encode(f"{self.client_id}:{self.secret}".encode()).decode()
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = _encoded(digest)
        if asked is None or authorization != right or asked["code_challenge"] != challenge:
            return None
        now = int(time.time())
        claims = {"iss": self.issuer, "aud": self.client_id, "iat": now, "exp": now + 300, "nonce": asked["nonce"]}
        content = {**claims, **self.claims, **self.faults}
        signed = unsafely_signed(content, self) if self.confused else jwt.encode(HEADER, content, self.signer)
        return {"access_token": "opaque", "token_type": "Bearer", "expires_in": 300, "id_token": signed}


def unsafely_signed(content: dict[str, Any], provider: IdentityProvider) -> str:
    """An ID token signed with the public key as if it were a shared secret: the classic confusion of algorithms."""
    parts = [{"alg": "HS256", "kid": "first"}, content]
    head = ".".join(_encoded(json.dumps(part).encode()) for part in parts)
    mac = hmac.new(provider.key.as_pem(private=False), head.encode(), hashlib.sha256).digest()
    return f"{head}.{_encoded(mac)}"


def _encoded(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


@contextmanager
def serving(provider: IdentityProvider) -> Iterator[IdentityProvider]:
    """Serve it on a free port."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            if parts.path == "/authorize":
                query = {name: values[0] for name, values in parse_qs(parts.query).items()}
                self.send_response(302)
                self.send_header("Location", provider.authorize(query))
                self.end_headers()
                return
            documents = {
                "/.well-known/openid-configuration": provider.discovery(),
                "/keys": {"keys": [provider.key.as_dict(private=False)]},
            }
            self._answer(documents.get(parts.path))

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            form = {name: values[0] for name, values in parse_qs(body).items()}
            self._answer(provider.token(form, self.headers.get("Authorization", "")))

        def _answer(self, document: object) -> None:
            self.send_response(200 if document else 400)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps(document or {"error": "invalid_grant"}).encode())

        def log_message(self, *words: Any) -> None:
            """Write nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    provider.issuer = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
