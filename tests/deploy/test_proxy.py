"""The shipped proxy: signatures hold on any port, and no log keeps a token. Ours neither."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from django.conf import settings
from django.urls import URLPattern, URLResolver, get_resolver
from django.urls.converters import StringConverter

from annotation.common import upload_limits as limits
from annotation.importing.texts_upload import MAX_BYTES
from annotation.marketplace.invitations.log_filter import WithoutTokens
from deploy.processes import WEB
from tests.deploy.try_nginx import recipe

PROXY = Path(__file__).resolve().parents[2] / "deploy" / "proxy"
SHIPPED = (PROXY / "nginx.conf").read_text()
CADDYFILE = (PROXY / "Caddyfile").read_text()
SECRETS = {"token": "S3CRET-token", "load": "S3CRET-load", "seal": "S3CRET-seal"}


def addresses(patterns: list[URLPattern | URLResolver], before: str = "/") -> Iterator[str]:
    """Every address of the project, with a secret wherever one of its parts is a token."""
    for one in patterns:
        route = re.sub(r"^\^|\$$", "", str(one.pattern))
        if isinstance(one, URLResolver):
            yield from addresses(one.url_patterns, before + route)
        elif any(
            isinstance(kind, StringConverter) and name in SECRETS for name, kind in one.pattern.converters.items()
        ):
            filled = re.sub(r"<(?:\w+:)?(\w+)>", lambda part: SECRETS.get(part[1], "3PUBLIC"), route)
            yield before + filled


# The API's own {token} is the number of a row; a token comes there in a header.
WITH_SECRETS = sorted(one for one in addresses(get_resolver().url_patterns) if not one.startswith("/api/"))


def logged(uri: str) -> str:
    """The path that the proxy's map makes of a URI."""
    (body,) = re.findall(r"map \$uri \$assay_path \{(.*?)\n\}", SHIPPED, re.DOTALL)
    for pattern, value in re.findall(r'"~([^"]+)"\s+"([^"]+)";', body):
        if match := re.search(pattern.replace("(?<", "(?P<"), uri):
            return str(value.replace("${stem}", match["stem"]))
    return uri


def test_the_addresses_that_carry_tokens_are_seen() -> None:
    for part in ("/shared/", "/pages/", "/console/enter/", "/hits/in/", "/hits/enter/", "/hits/reset/", "/hits/s/"):
        assert [one for one in WITH_SECRETS if one.startswith(part)]


@pytest.mark.parametrize("address", WITH_SECRETS)
def test_no_log_keeps_a_token(address: str) -> None:
    record = logging.LogRecord("django.request", logging.WARNING, "", 0, "Not Found: %s", (f"GET {address}",), None)
    assert WithoutTokens().filter(record)
    for line in (logged(address), record.getMessage()):
        assert "S3CRET" not in line
        assert line.endswith("/...")


def test_other_addresses_are_logged_as_they_are() -> None:
    assert [logged(one) for one in ("/hits/", "/console/", "/mturk/")] == ["/hits/", "/console/", "/mturk/"]


def test_the_log_of_the_proxy_holds_the_masked_path_and_no_query() -> None:
    (form,) = re.findall(r"log_format assay '([^']*)'", SHIPPED)
    assert re.findall(r"\$\w+", form) == [
        "$assay_day", "$request_method", "$assay_path", "$status", "$body_bytes_sent", "$request_time",
    ]  # fmt: skip
    assert set(re.findall(r"access_log ([^;]*);", SHIPPED)) == {"off", "/var/log/nginx/assay.log assay"}


def test_the_host_is_handed_on_with_its_port() -> None:
    """$host is the name alone; the signature covers what the caller sent (RFC 9110, 7.2: the port unless it is 443)."""
    assert re.findall(r"proxy_set_header Host (\S+);", SHIPPED) == ["$http_host"]


def test_both_proxies_let_through_what_is_declared_and_say_so() -> None:
    declared = [limits.PROXY_SUBMISSION_MIB, limits.PROXY_FORM_MIB]
    assert sorted(int(size) for size in re.findall(r"client_max_body_size (\d+)m;", SHIPPED)) == declared
    assert sorted(int(size) for size in re.findall(r"max_size (\d+)MiB\b", CADDYFILE)) == declared
    beforehand = [
        int(size) for size in re.findall(r"int\(\{http\.request\.header\.Content-Length\}\) > (\d+)`", CADDYFILE)
    ]
    assert sorted(beforehand) == [size * limits.MIB for size in declared]
    sentence = f"files of a form {limits.PROXY_FORM_MIB} MB together, anything else {limits.PROXY_SUBMISSION_MIB} MB"
    assert sentence in SHIPPED
    assert sentence in CADDYFILE


def test_the_application_takes_what_is_declared_and_the_proxies_a_little_more() -> None:
    assert limits.FILE_MIB * limits.MIB == MAX_BYTES
    assert settings.DATA_UPLOAD_MAX_MEMORY_SIZE == limits.SUBMISSION_MIB * limits.MIB
    assert limits.FILES_OF_A_FORM * limits.FILE_MIB < limits.PROXY_FORM_MIB
    assert limits.SUBMISSION_MIB < limits.PROXY_SUBMISSION_MIB


def test_caddy_logs_no_request_and_takes_nothing_of_a_visitor_for_the_proxys_word() -> None:
    assert not re.search(r"^\s*log\b", CADDYFILE, re.M)
    assert "trusted_proxies" not in CADDYFILE
    assert "admin off" in CADDYFILE


def test_whoever_keeps_a_connection_to_the_web_process_gives_it_up_before_that_closes_it() -> None:
    (closed,) = (int(word.removeprefix("--keep-alive=")) for word in WEB.command if word.startswith("--keep-alive="))
    (kept,) = re.findall(r"^\s*keepalive (\d+)s$", CADDYFILE, re.M)
    # nginx opens a connection for each request, unless its file names `keepalive`.
    assert "keepalive" not in SHIPPED
    assert int(kept) < closed
    assert float(httpx.Limits().keepalive_expiry or 0) < closed


def test_the_trial_with_a_real_nginx_changes_names_ports_and_paths_alone() -> None:
    changed = recipe(Path("/tmp/trial"), http=1080, https=1443, upstream=9000)
    for line in SHIPPED.splitlines():
        if not re.search(r"example\.org|listen|return 301|/etc/ssl|/var/log|proxy_pass", line):
            assert line in changed
    assert "example.org" not in changed.replace("# Replace study.example.org and hits.example.org", "")
