"""The guarded HTTP client: the product's one outward door.

Owns how a URL is read, what a request carries and how much of an answer is listened to; `dial.py`
owns the connection and the tree of errors. Built on requests and urllib3 without a
`requests.Session`: a session would read proxies, netrc and CA files from the environment, keep
cookies, and swallow the whole body of a redirect. Every request has a connection of its own, so no
stale one can blur whether it was written.
"""

from __future__ import annotations

import re
import ssl
import time
from collections.abc import Collection, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property
from ipaddress import IPv4Address, IPv6Address
from json import dumps
from typing import Any, NamedTuple

import requests
from requests.adapters import DEFAULT_CA_BUNDLE_PATH, HTTPAdapter
from requests.structures import CaseInsensitiveDict
from urllib3 import HTTPConnectionPool
from urllib3.exceptions import HTTPError
from urllib3.util import Retry

from switchboard.lib import strictjson
from switchboard.lib.addresses import SELF_NETWORKS, Network, listeners
from switchboard.lib.dial import (
    Blocked,
    Dial,
    OutboundError,
    PlainPool,
    TLSPool,
    TLSSocket,
    Uncertain,
    Unreachable,
)

__all__ = ["Answer", "Blocked", "Client", "OutboundError", "Uncertain", "Unreachable"]

_UNSET: Any = object()
_READ_BYTES = 1 << 16

# RFC 3986 without userinfo and fragment, in ASCII: an international name is written in punycode.
_URL = re.compile(
    r"(?P<scheme>https?)://(?P<host>\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(?P<port>[0-9]{1,5}))?"
    r"(?:[/?][!\"$-\[\]-~]*)?",
    re.IGNORECASE | re.ASCII,
)
_LABEL = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
_NAME = re.compile(rf"(?=.{{1,254}}\Z)(?:{_LABEL}\.)*{_LABEL}\.?", re.IGNORECASE | re.ASCII)
_NUMBER_LAST = re.compile(r"(?:.*\.)?(?:[0-9]+|0x[0-9a-f]*)\.?", re.IGNORECASE | re.ASCII)

# RFC 9110 section 5: a field name is a token; a value holds no control character but the tab.
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_HEADER_VALUE = re.compile(r"(?:[!-~\x80-\xff](?:[\t -~\x80-\xff]*[!-~\x80-\xff])?)?")


@dataclass(frozen=True)
class Answer:
    """What a peer answered: any final status, redirects and errors included.

    `headers` is case-insensitive. `body` is decoded and at most the client's `max_bytes`;
    `truncated` says that more was to come (the limit, the deadline or a broken connection cut it).
    """

    status: int
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)
    truncated: bool

    def json(self) -> Any:
        """The body as strict JSON, or None when it is none. Raises nothing."""
        try:
            return strictjson.loads(self.body)
        except ValueError:
            return None


class Client:
    """Sends single requests through the guard; safe to share between threads.

    `allow_http` admits plain HTTP. `allow_cidrs` is the operator's allowlist (see
    `addresses.refusal`). `own_addresses` are the (host, port) pairs this box listens on.
    `timeout` is in seconds and covers all of a request, from the name lookup to the last byte.
    `max_bytes` bounds the body after decoding. `ca_file` (PEM) is trusted beside the public roots.
    """

    def __init__(
        self,
        *,
        allow_http: bool = False,
        allow_cidrs: Sequence[Network] = (),
        own_addresses: Collection[tuple[str, int]] = (),
        timeout: float = 10.0,
        max_bytes: int = 1 << 20,
        ca_file: str | None = None,
    ) -> None:
        self._allow_http = allow_http
        self._allow_cidrs = tuple(allow_cidrs)
        self._own = listeners(own_addresses)
        self._timeout = timeout
        self._max_bytes = max_bytes
        self._ca_file = ca_file

    def request(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        json: Any = _UNSET,
        content: bytes | None = None,
        to_self: bool = False,
        timeout: float | None = None,
    ) -> Answer:
        """Send one request and return its answer; no redirect is followed, nothing is retried.

        `json`, when given, is the body; or `content`, sent as it is. `to_self` lifts the refusal of
        our own listen address, of loopback and private networks and of plain HTTP for this call: for
        a source's send test, and for whoever sends from his own command line. `timeout` is in
        seconds and stands for the client's own.

        Raises Blocked, Unreachable or Uncertain; ValueError, before anything is dialled, for a
        header or a JSON value that cannot be sent; OSError for an unreadable `ca_file`.
        """
        deadline = time.monotonic() + (self._timeout if timeout is None else timeout)
        target = self._admit(url, to_self=to_self)
        prepared = _prepare(method, url, headers or {}, json, content)
        dial = Dial(
            deadline,
            allow=(*self._allow_cidrs, *SELF_NETWORKS) if to_self else self._allow_cidrs,
            own=() if to_self else self._own,
        )
        with self._pool(target, dial) as pool:
            return self._exchange(pool, prepared)

    def check(self, url: str) -> str:
        """The host of a URL that may be called as far as its text tells; no name is looked up.

        Raises Blocked `bad_url` or `plain_http`.
        """
        return self._admit(url).host

    def _admit(self, url: str, *, to_self: bool = False) -> _Target:
        target = _read_url(url)
        # a box without TLS in front is reached over plain HTTP by senders as well
        if target.scheme == "http" and not (self._allow_http or to_self):
            raise Blocked("plain_http")
        return target

    def _pool(self, target: _Target, dial: Dial) -> HTTPConnectionPool:
        if target.scheme == "http":
            return PlainPool(target.host, target.port, dial=dial)
        return TLSPool(target.host, target.port, dial=dial, ssl_context=self._tls)

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        # Not create_default_context: that one would write session keys to SSLKEYLOGFILE.
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # verifies chain and name
        context.sslsocket_class = TLSSocket
        context.load_verify_locations(DEFAULT_CA_BUNDLE_PATH)
        if self._ca_file is not None:
            context.load_verify_locations(self._ca_file)
        return context

    def _exchange(self, pool: HTTPConnectionPool, prepared: requests.PreparedRequest) -> Answer:
        try:
            response = _Adapter(pool).send(prepared, stream=True)
        except (requests.RequestException, HTTPError) as error:
            # `from None`: what requests raises carries the request, and with it the credentials.
            raise Uncertain(_uncertainty(error)) from None
        with closing(response.raw) as raw:
            if response.status_code < 200:
                raise Uncertain("protocol")  # RFC 9110 section 15.2: not a final answer
            body, truncated = _read_body(raw, self._max_bytes)
        return Answer(response.status_code, response.headers, body, truncated)


class _Target(NamedTuple):
    scheme: str
    host: str
    port: int


def _read_url(url: str) -> _Target:
    """The one reading of a URL; the connection is opened from it and from nothing else."""
    match = _URL.fullmatch(url)
    if match is None:
        raise Blocked("bad_url")
    scheme, host = match["scheme"].lower(), match["host"].lower()
    port = int(match["port"] or (443 if scheme == "https" else 80))
    if not 0 < port < 65536 or not _is_host(host):
        raise Blocked("bad_url")
    return _Target(scheme, host.strip("[]"), port)


def _is_host(host: str) -> bool:
    try:
        if host.startswith("["):
            IPv6Address(host[1:-1])
        elif _NUMBER_LAST.fullmatch(host):
            IPv4Address(host)  # four plain decimals; 127.1, 0x7f.1 and 2130706433 are not
        else:
            return _NAME.fullmatch(host) is not None
    except ValueError:
        return False
    return True


def _prepare(
    method: str, url: str, headers: Mapping[str, str], json: Any, content: bytes | None
) -> requests.PreparedRequest:
    merged: CaseInsensitiveDict[str] = CaseInsensitiveDict()
    merged.update({"User-Agent": "switchboard", "Accept-Encoding": "identity"})
    body = content
    if json is not _UNSET:
        body = dumps(json, allow_nan=False, separators=(",", ":")).encode()
        merged["Content-Type"] = "application/json"
    merged.update(headers)
    merged["Connection"] = "close"
    for name, value in merged.items():
        # Neither is echoed: a value may be a credential, and so may a mangled name.
        if not _HEADER_NAME.fullmatch(name) or not _HEADER_VALUE.fullmatch(value):
            raise ValueError("a header holds characters that cannot be sent")
    return requests.Request(method, url, headers=merged, data=body).prepare()


class _Adapter(HTTPAdapter):
    """requests' adapter over one given pool: no retries; proxies and CA paths have no say."""

    def __init__(self, pool: HTTPConnectionPool) -> None:
        super().__init__(max_retries=Retry(False))
        self._pool = pool

    def get_connection_with_tls_context(self, *_: Any, **__: Any) -> HTTPConnectionPool:
        return self._pool

    def cert_verify(self, *_: Any, **__: Any) -> None:
        """The pool's TLS context verifies."""


def _uncertainty(error: BaseException | None) -> str:
    while error is not None:
        if isinstance(error, TimeoutError):
            return "timeout"
        if isinstance(error, ConnectionError | ssl.SSLEOFError):
            return "reset"
        error = error.__cause__ or error.__context__
    return "protocol"


def _read_body(raw: Any, limit: int) -> tuple[bytes, bool]:
    """Read at most `limit` decoded bytes; True beside them when the body went on or broke off."""
    body = bytearray()
    try:
        while len(body) <= limit:
            # read1 hands over what came before a failure; read would lose it.
            chunk = raw.read1(min(_READ_BYTES, limit + 1 - len(body)), decode_content=True)
            if not chunk:
                return bytes(body), False
            body += chunk
    except HTTPError:
        # The status is known, and it is what the caller decides by: the rest is only missing.
        return bytes(body), True
    return bytes(body[:limit]), True
