"""How the guarded HTTP client connects: one lookup, every address checked, one deadline.

Owns the sockets, urllib3's connection and pool classes around them, and the errors of an outbound
call. `lib/http.py` is the door the product uses; nothing else imports this module.

    OutboundError
    ├── Blocked      refused here            bad_url, plain_http, blocked_address   never written
    ├── Unreachable  no connection           dns, connect, tls                      never written
    └── Uncertain    no usable answer        timeout, reset, protocol               maybe written
"""

from __future__ import annotations

import logging
import queue
import socket
import ssl
import threading
import time
from dataclasses import dataclass
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any

from urllib3 import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.connection import HTTPConnection, HTTPSConnection

from switchboard.lib.addresses import Address, Network, is_own, refusal

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

# It writes each request's address at DEBUG, and some addresses are secrets.
logging.getLogger("urllib3.connectionpool").setLevel(logging.INFO)


class OutboundError(Exception):
    """A call that gave no answer; `str()` holds the code and never a header, body or URL.

    `code` is short and stable (see the module's head). `written` is False when the request
    certainly did not reach the peer, True when it may have.
    """

    written: bool

    def __init__(self, code: str, detail: str = "") -> None:
        super().__init__(code, detail)
        self.code = code

    def __str__(self) -> str:
        return ": ".join(part for part in self.args if part)


class Blocked(OutboundError):
    """The guard refused the URL or an address of its host."""

    written = False


class Unreachable(OutboundError):
    """There is no connection to write the request to."""

    written = False


class Uncertain(OutboundError):
    """The request may have been written, and no status came back."""

    written = True


@dataclass(frozen=True)
class Dial:
    """One attempt to connect: what it may reach and until when (monotonic seconds)."""

    deadline: float
    allow: tuple[Network, ...]
    own: tuple[tuple[Address, int], ...]

    def open(self, host: str, port: int) -> _PlainSocket:
        """Look `host` up once, check every address and connect to the first that answers."""
        found = _lookup(host, port, self.deadline)
        for *_, sockaddr in found:
            self._check(ip_address(sockaddr[0]), port)
        for index, (family, *_, sockaddr) in enumerate(found):
            try:
                # An address that swallows packets must leave time for those after it.
                share = _left(self.deadline) / (len(found) - index)
                return _connect(family, sockaddr, self.deadline, share)
            except OSError:
                continue
        raise Unreachable("connect")

    def _check(self, address: Address, port: int) -> None:
        if is_own(address, port, self.own):
            raise Blocked("blocked_address", f"{address} port {port} is this box")
        reason = refusal(address, self.allow)
        if reason is not None:
            raise Blocked("blocked_address", f"{address} is {reason}")


def _lookup(host: str, port: int, deadline: float) -> list[Any]:
    """`getaddrinfo` in a thread of its own, because nothing else can bound its time."""
    results: queue.SimpleQueue[list[Any]] = queue.SimpleQueue()

    def look_up() -> None:
        try:
            results.put(list(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)))
        except OSError:
            results.put([])

    threading.Thread(target=look_up, name="lookup", daemon=True).start()
    try:
        found = results.get(timeout=_left(deadline))
    except (queue.Empty, TimeoutError):
        found = []
    if not found:
        raise Unreachable("dns")
    return found


def _connect(family: int, sockaddr: Any, deadline: float, share: float) -> _PlainSocket:
    sock = _PlainSocket(family, socket.SOCK_STREAM)
    try:
        sock.deadline = deadline
        sock.settimeout(share)
        sock.connect(sockaddr)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.settimeout(_left(deadline))  # bounds the TLS handshake
    except OSError:
        sock.close()
        raise
    return sock


def _left(deadline: float) -> float:
    """Seconds until `deadline`. Raises TimeoutError when there are none."""
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


class _PlainSocket(socket.socket):
    """A socket whose timeout is what is left until the deadline, however slowly bytes drip."""

    deadline: float

    def recv_into(self, buffer: WriteableBuffer, nbytes: int = 0, flags: int = 0) -> int:
        self.settimeout(_left(self.deadline))
        return super().recv_into(buffer, nbytes, flags)

    def sendall(self, data: ReadableBuffer, flags: int = 0) -> None:
        self.settimeout(_left(self.deadline))
        super().sendall(data, flags)


class TLSSocket(ssl.SSLSocket):
    """The same over TLS, where `sendall` is a loop over `send`."""

    deadline: float

    def recv_into(self, buffer: WriteableBuffer, nbytes: int | None = None, flags: int = 0) -> int:
        self.settimeout(_left(self.deadline))
        return super().recv_into(buffer, nbytes, flags)

    def send(self, data: ReadableBuffer, flags: int = 0) -> int:
        self.settimeout(_left(self.deadline))
        return super().send(data, flags)


class _PlainConnection(HTTPConnection):
    def __init__(self, *args: Any, dial: Dial, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._dial = dial

    def _new_conn(self) -> socket.socket:
        return self._dial.open(self._dns_host, self.port)


class _TLSConnection(_PlainConnection, HTTPSConnection):
    def connect(self) -> None:
        try:
            super().connect()
        except OSError:  # ssl.SSLError is one; what `_new_conn` raises is not
            raise Unreachable("tls") from None
        assert isinstance(self.sock, TLSSocket)
        self.sock.deadline = self._dial.deadline


class PlainPool(HTTPConnectionPool):
    ConnectionCls = _PlainConnection


class TLSPool(HTTPSConnectionPool):
    ConnectionCls = _TLSConnection
