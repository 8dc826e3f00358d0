"""The guarded HTTP client against real servers on 127.0.0.1, most of them badly behaved.

One long file, because every test here stands on the server and the client made at its top.
"""

from __future__ import annotations

import datetime
import gzip
import socket
import ssl
import struct
import threading
import time
import traceback
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from switchboard.lib.http import (
    Answer,
    Blocked,
    Client,
    OutboundError,
    Uncertain,
    Unreachable,
)

LOOPBACK = ip_network("127.0.0.0/8")
CREATED = (
    b'HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Length: 8\r\n\r\n{"id":7}'
)
SHORT = 0.4  # seconds: the total limit of a client whose server is slow
SECRET = "s3cret-0123456789"

Script = Callable[[socket.socket], None]


class Server:
    """A TCP or TLS server that reads one request a connection and lets `script` answer it."""

    def __init__(
        self, script: Script, host: str = "127.0.0.1", port: int = 0, tls: Any = None
    ) -> None:
        self.script, self.tls = script, tls
        self.requests: list[bytes] = []
        self.accepted = 0
        self.failures: list[OSError] = []
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.listener = socket.create_server((host, port), family=family)
        self.port = self.listener.getsockname()[1]
        self.url = f"http://{host}:{self.port}/path?q=1"

    def __enter__(self) -> Server:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.listener.shutdown(socket.SHUT_RDWR)  # wakes the accept
        self.listener.close()

    def _accept(self) -> None:
        while True:
            try:
                conn, _ = self.listener.accept()
            except OSError:
                return
            self.accepted += 1
            threading.Thread(target=self._serve, args=(conn,), daemon=True).start()

    def _serve(self, conn: socket.socket) -> None:
        try:
            with conn if self.tls is None else self.tls.wrap_socket(conn, server_side=True) as line:
                self.requests.append(_read_request(line))
                self.script(line)
        except OSError as error:
            self.failures.append(error)


def _read_request(conn: socket.socket) -> bytes:
    data = b""
    while b"\r\n\r\n" not in data:
        data += conn.recv(65536) or b"\r\n\r\n"
    head, _, body = data.partition(b"\r\n\r\n")
    for line in head.split(b"\r\n"):
        if line.lower().startswith(b"content-length:"):
            while len(body) < int(line.split(b":")[1]):
                body += conn.recv(65536)
    return head + b"\r\n\r\n" + body


def says(*parts: bytes) -> Script:
    def script(conn: socket.socket) -> None:
        for part in parts:
            conn.sendall(part)

    return script


def drips(head: bytes, drop: bytes) -> Script:
    def script(conn: socket.socket) -> None:
        conn.sendall(head)
        while True:
            time.sleep(0.05)
            conn.sendall(drop)

    return script


def stalls(conn: socket.socket) -> None:
    conn.recv(1)  # until the client hangs up


def resets(head: bytes = b"") -> Script:
    def script(conn: socket.socket) -> None:
        conn.sendall(head)
        time.sleep(0.1)  # let the client read what was sent
        conn.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    return script


@pytest.fixture
def serve() -> Iterator[Callable[..., Server]]:
    with ExitStack() as stack:
        yield lambda *args, **kwargs: stack.enter_context(Server(*args, **kwargs))


def client(**options: Any) -> Client:
    return Client(**{"allow_http": True, "allow_cidrs": [LOOPBACK], "timeout": 5.0} | options)


def names(monkeypatch: pytest.MonkeyPatch, *answers: list[str]) -> list[str]:
    """Make the resolver give `answers` one after the other; returns the names it was asked."""
    asked: list[str] = []

    def getaddrinfo(host: str, port: int, *_: Any, **__: Any) -> list[Any]:
        asked.append(host)
        addresses = answers[min(len(asked), len(answers)) - 1]
        return [
            (socket.AF_INET6, 1, 6, "", (address, port, 0, 0))
            if ":" in address
            else (socket.AF_INET, 1, 6, "", (address, port))
            for address in addresses
        ]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    return asked


def failure(
    kind: type[OutboundError], url: str, made: Client | None = None, **request: Any
) -> OutboundError:
    with pytest.raises(OutboundError) as caught:
        (made or client()).request("POST", url, **request)
    assert type(caught.value) is kind
    return caught.value


# What is sent and what comes back


def test_an_answer_has_status_headers_and_body(serve: Any) -> None:
    answer = client().request("GET", serve(says(CREATED)).url)
    assert (answer.status, answer.headers["content-type"]) == (201, "application/json")
    assert (answer.body, answer.truncated, answer.json()) == (b'{"id":7}', False, {"id": 7})


def test_a_json_value_is_the_body_of_the_request(serve: Any) -> None:
    server = serve(says(CREATED))
    client().request("POST", server.url, json={"text": "é"}, headers={"X-Token": "t"})
    head, _, body = server.requests[0].partition(b"\r\n\r\n")
    assert head.startswith(b"POST /path?q=1 HTTP/1.1\r\n")
    assert {b"X-Token: t", b"Content-Type: application/json"} <= set(head.split(b"\r\n"))
    assert b"Connection: close" in head.split(b"\r\n")
    assert body == b'{"text":"\\u00e9"}'


def test_json_null_is_a_body_and_no_json_is_none(serve: Any) -> None:
    server = serve(says(CREATED))
    client().request("POST", server.url, json=None)
    client().request("POST", server.url)
    assert [request.partition(b"\r\n\r\n")[2] for request in server.requests] == [b"null", b""]


def test_content_is_sent_byte_for_byte_and_is_not_called_json(serve: Any) -> None:
    server, raw = serve(says(CREATED)), b'{ "n":1.0,\xff\x00}\r\n'
    client().request("POST", server.url, content=raw)
    head, _, body = server.requests[0].partition(b"\r\n\r\n")
    assert body == raw
    assert b"content-type" not in head.lower()


def test_the_callers_headers_win_over_the_defaults(serve: Any) -> None:
    server = serve(says(CREATED))
    client().request("POST", server.url, json={}, headers={"content-type": "application/x"})
    assert server.requests[0].lower().count(b"content-type:") == 1
    assert b"content-type: application/x" in server.requests[0]


def test_every_request_has_a_connection_of_its_own(serve: Any) -> None:
    server, shared = serve(says(CREATED)), client()
    assert [shared.request("GET", server.url).status for _ in range(3)] == [201] * 3
    assert server.accepted == 3


@pytest.mark.parametrize(
    "body",
    [b"", b"<html>", b"\xff\xfe", b"[" * 200_000, b"NaN", b"9" * 5000, b'{"a":1'],
    ids=["empty", "html", "bytes", "deep", "nan", "digits", "cut"],
)
def test_a_body_that_is_not_json_reads_as_none(body: bytes) -> None:
    assert Answer(200, {}, body, False).json() is None


def test_an_answer_shows_neither_headers_nor_body_in_its_repr() -> None:
    assert SECRET not in repr(Answer(200, {"X": SECRET}, SECRET.encode(), False))


# The URL


BAD_URLS = [
    "",
    "example.com",
    "//example.com/",
    "ftp://example.com/",
    "file:///etc/passwd",
    "gopher://127.0.0.1/",
    "http+unix://x/",
    "http://",
    "http:///path",
    "http://?q",
    "http://:80/",
    "http://user@example.com/",
    "http://user:pass@example.com/",
    "http://@example.com/",
    "http://example.com\\@127.0.0.1/",
    "http://example.com/a\\b",
    "http://example.com#@127.0.0.1/",
    "http://example.com/#fragment",
    "http://exam ple.com/",
    " http://example.com/",
    "http://example.com/ ",
    "http://example.com/\n",
    "http://example.com/a b",
    "http://example.com\t/",
    "http://exam\x00ple.com/",
    "http://example.com/\r\nX: y",
    "http://ex%61mple.com/",
    "http://127.0.0.1%00.example.com/",
    "http://münchen.example/",
    "http://example.com/é",
    "http://①②⑦.0.0.1/",
    "http://127.1/",
    "http://127.0.1/",
    "http://2130706433/",
    "http://0x7f.1/",
    "http://0x7f000001/",
    "http://0X7F.0.0.1/",
    "http://0177.0.0.1/",
    "http://127.0.0.01/",
    "http://127.0.0.1./",
    "http://0/",
    "http://1.2.3.4.5/",
    "http://example.0x/",
    "http://[fe80::1%25eth0]/",
    "http://[fe80::1%eth0]/",
    "http://[::1/",
    "http://[127.0.0.1]/",
    "http://[1::2::3]/",
    "http://[v1.x]/",
    "http://::1/",
    "http://a..b/",
    "http://.example.com/",
    "http://-a.example/",
    "http://example.com../",
    "http://" + "a" * 64 + ".example/",
    "http://" + "a." * 127 + "example/",
    "http://example.com:0/",
    "http://example.com:65536/",
    "http://example.com:99999999/",
    "http://example.com:8o/",
    "http://example.com:-1/",
]


@pytest.mark.parametrize("url", BAD_URLS)
def test_a_malformed_url_is_refused_before_any_lookup(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = names(monkeypatch, ["127.0.0.1"])
    assert failure(Blocked, url).code == "bad_url"
    assert asked == []


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("http://api.example.com", "api.example.com"),
        ("HTTP://API.Example.COM/x", "api.example.com"),
        ("http://xn--mnchen-3ya.example/?q=%23", "xn--mnchen-3ya.example"),
        ("http://my_host/a%20b", "my_host"),
        ("http://example.com./", "example.com."),
        ("http://93.184.216.34/", "93.184.216.34"),
        ("http://[2606:4700::1111]:8080/", "2606:4700::1111"),
    ],
)
def test_a_well_formed_host_is_what_is_looked_up(
    url: str, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = names(monkeypatch, ["10.0.0.1"])
    assert failure(Blocked, url).code == "blocked_address"
    assert asked == [host]


def test_plain_http_needs_the_operators_consent(serve: Any) -> None:
    server = serve(says(CREATED))
    assert failure(Blocked, server.url, client(allow_http=False)).code == "plain_http"
    assert server.accepted == 0


def test_a_url_is_checked_by_its_text_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = names(monkeypatch, ["10.0.0.1"])
    assert client().check("HTTPS://Agent.Example.org:8443/bell?a=1") == "agent.example.org"
    for url, code in (("http://a.example/", "plain_http"), ("https://u@a.example/", "bad_url")):
        with pytest.raises(Blocked) as refused:
            client(allow_http=False).check(url)
        assert refused.value.code == code
    assert asked == []


# The address


def test_loopback_is_refused_by_default(serve: Any) -> None:
    server = serve(says(CREATED))
    error = failure(Blocked, server.url, client(allow_cidrs=()))
    assert (error.code, error.written, str(error)) == (
        "blocked_address",
        False,
        "blocked_address: 127.0.0.1 is loopback",
    )
    assert server.accepted == 0


def test_a_broad_entry_does_not_open_loopback(serve: Any) -> None:
    server = serve(says(CREATED))
    made = client(allow_cidrs=[ip_network("0.0.0.0/0"), ip_network("::/0")])
    assert failure(Blocked, server.url, made).code == "blocked_address"


def test_one_refused_address_refuses_the_name(serve: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    server = serve(says(CREATED))
    names(monkeypatch, ["127.0.0.1", "10.0.0.1"])
    url = f"http://mixed.test:{server.port}/"
    assert failure(Blocked, url).code == "blocked_address"
    assert server.accepted == 0


def test_a_rebinding_name_gets_no_second_lookup(
    serve: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside = serve(says(CREATED))
    outside = serve(says(CREATED), host="127.0.0.2", port=inside.port)
    asked = names(monkeypatch, ["127.0.0.2"], ["127.0.0.1"])
    made = client(allow_cidrs=[ip_network("127.0.0.2/32")])
    assert made.request("GET", f"http://rebind.test:{inside.port}/").status == 201
    assert (asked, outside.accepted, inside.accepted) == (["rebind.test"], 1, 0)


def test_a_later_request_checks_the_new_address(
    serve: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside = serve(says(CREATED))
    serve(says(CREATED), host="127.0.0.2", port=inside.port)
    names(monkeypatch, ["127.0.0.2"], ["127.0.0.1"])
    made = client(allow_cidrs=[ip_network("127.0.0.2/32")])
    made.request("GET", f"http://rebind.test:{inside.port}/")
    assert failure(Blocked, f"http://rebind.test:{inside.port}/", made).code == "blocked_address"
    assert inside.accepted == 0


def test_the_next_checked_address_is_tried_when_one_refuses(
    serve: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve(says(CREATED))
    names(monkeypatch, ["127.0.0.2", "127.0.0.1"])
    assert client().request("GET", f"http://two.test:{server.port}/").status == 201


@pytest.mark.parametrize("listener", ["127.0.0.1", "0.0.0.0", "::", "localhost"])
def test_our_own_listen_address_is_refused_though_its_network_is_open(
    serve: Any, listener: str
) -> None:
    server = serve(says(CREATED))
    made = client(own_addresses=[(listener, server.port)])
    assert failure(Blocked, server.url, made).code == "blocked_address"
    assert server.accepted == 0


def test_another_port_of_our_own_address_is_not_ours(serve: Any) -> None:
    server = serve(says(CREATED))
    made = client(own_addresses=[("0.0.0.0", server.port + 1)])
    assert made.request("GET", server.url).status == 201


def test_a_send_test_reaches_ourselves_and_only_for_that_call(serve: Any) -> None:
    server = serve(says(CREATED))
    made = client(allow_cidrs=(), own_addresses=[("0.0.0.0", server.port)])
    assert made.request("POST", server.url, to_self=True).status == 201
    assert failure(Blocked, server.url, made).code == "blocked_address"


@pytest.mark.parametrize("address", ["169.254.169.254", "0.0.0.0", "::ffff:127.0.0.1"])
def test_a_send_test_opens_no_link_local_or_disguised_address(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    names(monkeypatch, [address])
    assert failure(Blocked, "http://self.test/", to_self=True).code == "blocked_address"


def test_proxies_and_netrc_of_the_environment_are_ignored(
    serve: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    proxy, server = serve(says(CREATED)), serve(says(CREATED))
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        monkeypatch.setenv(name.lower(), f"http://127.0.0.1:{proxy.port}")
    netrc = tmp_path / "netrc"
    netrc.write_text(f"machine 127.0.0.1 login me password {SECRET}\n")
    monkeypatch.setenv("NETRC", str(netrc))
    client().request("GET", server.url)
    assert (proxy.accepted, server.accepted) == (0, 1)
    assert b"authorization" not in server.requests[0].lower()


@pytest.mark.skipif(not socket.has_ipv6, reason="no IPv6 here")
def test_an_ipv6_literal_is_dialled_and_named_as_host(serve: Any) -> None:
    try:
        server = serve(says(CREATED), host="::1")
    except OSError:
        pytest.skip("this host has no ::1")
    made = client(allow_cidrs=[ip_network("::1/128")])
    assert made.request("GET", f"http://[::1]:{server.port}/").status == 201
    assert b"\r\nHost: [::1]:%d\r\n" % server.port in server.requests[0]


# Redirects, sizes


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_an_answer_and_is_not_followed(serve: Any, status: int) -> None:
    server = serve(
        lambda conn: conn.sendall(
            b"HTTP/1.1 %d Moved\r\nLocation: %b\r\nContent-Length: 0\r\n\r\n"
            % (status, server.url.encode())
        )
    )
    answer = client().request("POST", server.url, json={})
    assert (answer.status, answer.headers["location"]) == (status, server.url)
    assert server.accepted == 1


def test_the_body_of_a_redirect_is_bounded_too(serve: Any) -> None:
    server = serve(says(b"HTTP/1.1 302 Found\r\nLocation: http://x/\r\n\r\n", *[b"x" * 65536] * 80))
    answer = client(max_bytes=1000).request("GET", server.url)
    assert (answer.status, len(answer.body), answer.truncated) == (302, 1000, True)


def test_of_a_ten_megabyte_answer_one_is_read_and_the_line_is_cut(serve: Any) -> None:
    head = b"HTTP/1.1 201 Created\r\nContent-Length: %d\r\n\r\n" % (10 << 20)
    server = serve(says(head, *[b"x" * 65536] * 160))
    answer = client().request("GET", server.url)
    assert (answer.status, answer.body, answer.truncated) == (201, b"x" * (1 << 20), True)
    _wait_for(lambda: server.failures)


def _wait_for(condition: Callable[[], Any]) -> None:
    limit = time.monotonic() + 5
    while not condition():
        assert time.monotonic() < limit
        time.sleep(0.01)


def test_an_answer_of_exactly_the_limit_is_whole(serve: Any) -> None:
    server = serve(says(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n" + b"x" * 100))
    answer = client(max_bytes=100).request("GET", server.url)
    assert (len(answer.body), answer.truncated) == (100, False)


CODED = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n"


def test_a_compressed_answer_is_decoded(serve: Any) -> None:
    server = serve(says(CODED + gzip.compress(b'{"id":7}')))
    assert client().request("GET", server.url).json() == {"id": 7}


def test_a_gzip_bomb_does_not_inflate(serve: Any) -> None:
    server = serve(says(CODED + gzip.compress(bytes(64 << 20), 6)))
    tracemalloc.start()
    try:
        answer = client().request("GET", server.url)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (len(answer.body), answer.truncated) == (1 << 20, True)
    assert peak < 8 << 20


def test_a_body_that_does_not_decode_is_truncated_not_lost(serve: Any) -> None:
    server = serve(says(CODED + b"this is not gzip"))
    answer = client().request("GET", server.url)
    assert (answer.status, answer.body, answer.truncated) == (200, b"", True)


CUT = [
    ("reset", resets(b"HTTP/1.1 201 Created\r\nContent-Length: 100\r\n\r\nhalf")),
    ("closed", says(b"HTTP/1.1 201 Created\r\nContent-Length: 100\r\n\r\nhalf")),
    ("chunk cut", says(b"HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n")),
    (
        "bad chunk",
        says(b"HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\nzz\r\n"),
    ),
]


@pytest.mark.parametrize("script", [script for _, script in CUT], ids=[name for name, _ in CUT])
def test_a_body_that_breaks_off_keeps_its_status_and_what_was_read(
    serve: Any, script: Script
) -> None:
    answer = client().request("POST", serve(script).url, json={})
    assert (answer.status, answer.body, answer.truncated) == (201, b"half", True)


# Time


def took(call: Callable[[], Any]) -> tuple[Any, float]:
    started = time.monotonic()
    return call(), time.monotonic() - started


def test_headers_that_drip_end_at_the_deadline(serve: Any) -> None:
    server = serve(drips(b"HTTP/1.1 201 Created\r\nX-Slow: ", b"x"))
    error, seconds = took(lambda: failure(Uncertain, server.url, client(timeout=SHORT)))
    assert (error.code, error.written) == ("timeout", True)
    assert SHORT <= seconds < SHORT + 1


def test_a_body_that_drips_ends_at_the_deadline_with_its_status(serve: Any) -> None:
    server = serve(drips(b"HTTP/1.1 201 Created\r\nContent-Length: 1000\r\n\r\n", b"x"))
    answer, seconds = took(lambda: client(timeout=SHORT).request("GET", server.url))
    assert (answer.status, answer.truncated) == (201, True)
    assert 1 <= len(answer.body) < 1000
    assert SHORT <= seconds < SHORT + 1


def test_endless_interim_answers_end_at_the_deadline(serve: Any) -> None:
    server = serve(drips(b"", b"HTTP/1.1 100 Continue\r\n\r\n"))
    error, seconds = took(lambda: failure(Uncertain, server.url, client(timeout=SHORT)))
    assert error.code == "timeout"
    assert seconds < SHORT + 4  # a machine may be busy; without a deadline it would be for ever


def test_a_silent_server_is_a_timeout_that_may_have_written(serve: Any) -> None:
    error = failure(Uncertain, serve(stalls).url, client(timeout=SHORT))
    assert (error.code, error.written) == ("timeout", True)


def test_a_request_nobody_reads_ends_at_the_deadline() -> None:
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        url = f"http://127.0.0.1:{deaf.getsockname()[1]}/"
        made = client(timeout=SHORT)
        error, seconds = took(lambda: failure(Uncertain, url, made, json="x" * (16 << 20)))
    assert error.code == "timeout"
    assert seconds < SHORT + 4  # a machine may be busy; without a deadline it would be for ever


def test_a_request_read_slowly_ends_at_the_deadline() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def read_only_the_headers() -> None:
            conn = listener.accept()[0]
            time.sleep(0.7)
            while b"\r\n\r\n" not in conn.recv(1 << 20):
                pass
            hold.wait(5)
            conn.close()

        hold = threading.Event()
        threading.Thread(target=read_only_the_headers, daemon=True).start()
        url, made = f"http://127.0.0.1:{listener.getsockname()[1]}/", client(timeout=1.0)
        large: dict[str, Any] = {"headers": {"X": "x" * (8 << 20)}, "json": "x" * (16 << 20)}
        error, seconds = took(lambda: failure(Uncertain, url, made, **large))
        hold.set()
    assert error.code == "timeout"
    assert seconds < 1.5


def test_a_hanging_lookup_ends_at_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    release = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: release.wait(5) and [])
    url, made = "http://slow.test/", client(timeout=SHORT)
    error, seconds = took(lambda: failure(Unreachable, url, made))
    release.set()
    assert (error.code, error.written) == ("dns", False)
    assert seconds < SHORT + 4  # a machine may be busy; without a deadline it would be for ever


@pytest.fixture
def black_hole() -> Iterator[int]:
    """A port of 127.0.0.2 that answers no SYN: its backlog is full."""
    with ExitStack() as stack:
        listener = stack.enter_context(socket.socket())
        listener.bind(("127.0.0.2", 0))
        listener.listen(0)
        for _ in range(4):
            filler = stack.enter_context(socket.socket())
            filler.setblocking(False)
            filler.connect_ex(listener.getsockname())
        yield listener.getsockname()[1]


def test_a_connection_nobody_accepts_ends_at_the_deadline(black_hole: int) -> None:
    url, made = f"http://127.0.0.2:{black_hole}/", client(timeout=SHORT)
    error, seconds = took(lambda: failure(Unreachable, url, made))
    assert (error.code, error.written) == ("connect", False)
    assert seconds < SHORT + 4  # a machine may be busy; without a deadline it would be for ever


def test_an_address_that_swallows_packets_leaves_time_for_the_next(
    serve: Any, black_hole: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve(says(CREATED), port=black_hole)
    names(monkeypatch, ["127.0.0.2", "127.0.0.1"])
    url = f"http://two.test:{black_hole}/"
    assert client(timeout=1.0).request("GET", url).status == 201


def test_a_call_may_have_a_time_limit_of_its_own(serve: Any) -> None:
    server = serve(stalls)
    error, seconds = took(lambda: failure(Uncertain, server.url, client(), timeout=SHORT))
    assert error.code == "timeout"
    assert SHORT <= seconds < SHORT + 1


# Failures


def test_an_unknown_name_is_dns(monkeypatch: pytest.MonkeyPatch) -> None:
    def getaddrinfo(*_: Any, **__: Any) -> Any:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    error = failure(Unreachable, "http://nowhere.test/")
    assert (error.code, error.written) == ("dns", False)


def test_a_refused_connection_is_connect() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    error = failure(Unreachable, f"http://127.0.0.1:{port}/")
    assert (error.code, error.written) == ("connect", False)


NO_STATUS = [
    ("closed", says(), "reset"),
    ("reset", resets(), "reset"),
    ("garbage", says(b"\x00\x01garbage\r\n\r\n"), "protocol"),
    ("another protocol", says(b"SSH-2.0-OpenSSH_9.2\r\n"), "protocol"),
    ("no number", says(b"HTTP/1.1 abc OK\r\n\r\n"), "protocol"),
    ("endless line", says(b"HTTP/1.1 200 " + b"x" * 70_000 + b"\r\n\r\n"), "protocol"),
    ("many headers", says(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 200 + b"\r\n"), "protocol"),
    ("interim only", says(b"HTTP/1.1 103 Early Hints\r\n\r\n"), "protocol"),
]


@pytest.mark.parametrize(
    ("script", "code"), [row[1:] for row in NO_STATUS], ids=[row[0] for row in NO_STATUS]
)
def test_no_status_is_uncertain_and_not_sent_again(serve: Any, script: Script, code: str) -> None:
    server = serve(script)
    error = failure(Uncertain, server.url, json={"text": "hello"})
    assert (error.code, error.written, server.accepted) == (code, True, 1)


@pytest.fixture(scope="module")
def scripted() -> Iterator[tuple[Server, list[bytes]]]:
    said: list[bytes] = [b""]
    with Server(lambda conn: conn.sendall(said[0])) as server:
        yield server, said


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    head=st.sampled_from(
        [
            b"",
            b"HTTP/1.1 ",
            b"HTTP/1.1 201 Created\r\n",
            b"HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n",
            b"HTTP/1.1 201 Created\r\nContent-Encoding: gzip, deflate\r\n\r\n",
            b"HTTP/1.1 201 Created\r\nSet-Cookie: ",
            b"HTTP/1.1 201 Created\r\nContent-Type: ",
            b"HTTP/1.1 201 Created\r\nContent-Length: ",
        ]
    ),
    noise=st.one_of(st.binary(max_size=60), st.text("0123456789abcdef,;=\r\n \"'*-", max_size=60)),
)
@example(head=b"HTTP/1.1 201 Created\r\nContent-Length: 1, 2", noise=b"\r\n\r\nx")
def test_whatever_a_peer_says_is_an_answer_or_an_outbound_error(
    scripted: tuple[Server, list[bytes]], head: bytes, noise: bytes | str
) -> None:
    server, said = scripted
    said[0] = head + (noise if isinstance(noise, bytes) else noise.encode())
    with suppress(Uncertain):
        assert client().request("GET", server.url).status >= 200


BAD_HEADERS = [
    {"X": "a\r\nY: b"},
    {"X": "a\nb"},
    {"X": "a\rb"},
    {"X": "a\n"},
    {"X": "a\x00"},
    {"X": "é\u0142"},
    {"X": "\U0001f600"},
    {"X": " a"},
    {"X": "a "},
    {"X Y": "a"},
    {"X\r\nY": "a"},
    {"X:": "a"},
    {"": "a"},
    {"Ł": "a"},
]


@pytest.mark.parametrize("headers", BAD_HEADERS, ids=repr)
def test_a_header_that_cannot_be_sent_is_a_value_error_before_the_dial(
    serve: Any, headers: dict[str, str]
) -> None:
    server = serve(says(CREATED))
    with pytest.raises(ValueError, match="a header holds characters that cannot be sent"):
        client().request("GET", server.url, headers=headers)
    assert server.accepted == 0


def test_a_number_json_does_not_know_is_a_value_error_before_the_dial(serve: Any) -> None:
    server = serve(says(CREATED))
    with pytest.raises(ValueError, match="not JSON compliant"):
        client().request("POST", server.url, json=float("nan"))
    assert server.accepted == 0


@pytest.mark.parametrize(
    "script",
    [resets(), stalls, says(b"garbage\r\n"), says(b"HTTP/1.1 103 x\r\n\r\n")],
    ids=["reset", "timeout", "garbage", "interim"],
)
def test_an_error_shows_no_header_body_or_query(serve: Any, script: Script) -> None:
    url = serve(script).url + SECRET
    with pytest.raises(Uncertain) as caught:
        client(timeout=SHORT).request(
            "POST", url, headers={"Authorization": SECRET}, json={"text": SECRET}
        )
    shown = "".join(traceback.format_exception(caught.value)) + repr(caught.value)
    assert SECRET not in shown
    # What requests raised holds the request, for whoever prints more than a traceback does.
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


# TLS


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ssl.SSLContext]:
    """A CA file, and a server context with a certificate for good.test from that CA."""
    folder = tmp_path_factory.mktemp("tls")
    ca_key, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    ca = _certificate("Test CA", ca_key, "Test CA", ca_key, ca=True)
    leaf = _certificate("good.test", key, "Test CA", ca_key, ca=False)
    (folder / "ca.pem").write_bytes(ca.public_bytes(serialization.Encoding.PEM))
    (folder / "leaf.pem").write_bytes(
        leaf.public_bytes(serialization.Encoding.PEM)
        + key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "leaf.pem")
    return folder / "ca.pem", context


def _certificate(
    name: str,
    key: ec.EllipticCurvePrivateKey,
    issuer: str,
    issuer_key: ec.EllipticCurvePrivateKey,
    ca: bool,
) -> x509.Certificate:
    now = datetime.datetime.now(datetime.UTC)
    day = datetime.timedelta(days=1)
    return (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]))
        .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, issuer)]))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - day)
        .not_valid_after(now + day)
        .add_extension(x509.BasicConstraints(ca=ca, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .sign(issuer_key, hashes.SHA256())
    )


@pytest.fixture
def secure(serve: Any, authority: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Server]:
    """Start a TLS server as good.test; every name leads to 127.0.0.1."""
    names(monkeypatch, ["127.0.0.1"])
    return lambda script: serve(script, tls=authority[1])


def test_a_verified_name_is_answered_and_named_in_the_handshake(
    secure: Any, authority: Any
) -> None:
    ca_file, context = authority
    asked: list[str | None] = []
    context.sni_callback = lambda _sock, name, _context: asked.append(name)
    server = secure(says(CREATED))
    made = client(allow_http=False, ca_file=str(ca_file))
    assert made.request("POST", f"https://good.test:{server.port}/", json={}).json() == {"id": 7}
    context.sni_callback = None
    assert asked == ["good.test"]


def test_a_certificate_for_another_name_is_tls(secure: Any, authority: Any) -> None:
    server = secure(says(CREATED))
    error = failure(
        Unreachable, f"https://bad.test:{server.port}/", client(ca_file=str(authority[0]))
    )
    assert (error.code, error.written, server.requests) == ("tls", False, [])


def test_ca_files_of_the_environment_are_ignored(
    secure: Any, authority: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"):
        monkeypatch.setenv(name, str(authority[0]))
    error = failure(Unreachable, f"https://good.test:{secure(says(CREATED)).port}/")
    assert (error.code, error.written) == ("tls", False)


def test_session_keys_are_not_written_where_the_environment_says(
    secure: Any, authority: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SSLKEYLOGFILE", str(tmp_path / "keys"))
    url = f"https://good.test:{secure(says(CREATED)).port}/"
    client(ca_file=str(authority[0])).request("GET", url)
    assert not (tmp_path / "keys").exists()


@pytest.mark.parametrize(
    "script", [says(b"HTTP/1.1 400 Bad\r\n\r\n"), stalls, drips(b"\x16\x03\x03\x40\x00", b"\x02")]
)
def test_a_peer_that_does_not_speak_tls_is_tls_within_the_deadline(
    monkeypatch: pytest.MonkeyPatch, script: Script
) -> None:
    names(monkeypatch, ["127.0.0.1"])
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def speak() -> None:
            with suppress(OSError), listener.accept()[0] as conn:
                script(conn)

        threading.Thread(target=speak, daemon=True).start()
        url = f"https://good.test:{listener.getsockname()[1]}/"
        error, seconds = took(lambda: failure(Unreachable, url, client(timeout=SHORT)))
    assert (error.code, error.written) == ("tls", False)
    assert seconds < SHORT + 4  # a machine may be busy; without a deadline it would be for ever


def test_over_tls_a_dripping_body_ends_at_the_deadline(secure: Any, authority: Any) -> None:
    server = secure(drips(b"HTTP/1.1 201 Created\r\nContent-Length: 1000\r\n\r\n", b"x"))
    made = client(timeout=SHORT, ca_file=str(authority[0]))
    url = f"https://good.test:{server.port}/"
    answer, seconds = took(lambda: made.request("GET", url))
    assert (answer.status, answer.truncated) == (201, True)
    assert seconds < SHORT + 4  # a machine may be busy; without a deadline it would be for ever


def test_over_tls_a_request_nobody_reads_ends_at_the_deadline(
    serve: Any, authority: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    names(monkeypatch, ["127.0.0.1"])
    release = threading.Event()
    server = serve(says(), tls=authority[1])
    monkeypatch.setattr(f"{__name__}._read_request", lambda _: release.wait(5) and b"")
    made = client(timeout=3.0, ca_file=str(authority[0]))  # the handshake is part of it
    url = f"https://good.test:{server.port}/"
    error, seconds = took(lambda: failure(Uncertain, url, made, json="x" * (16 << 20)))
    release.set()
    assert error.code == "timeout"
    assert seconds < 4.8  # the server reads on after 5


@pytest.mark.parametrize(
    ("script", "code"), [(says(), "reset"), (resets(), "reset"), (stalls, "timeout")]
)
def test_over_tls_a_missing_answer_is_uncertain(
    secure: Any, authority: Any, script: Script, code: str
) -> None:
    made = client(timeout=SHORT, ca_file=str(authority[0]))
    error = failure(Uncertain, f"https://good.test:{secure(script).port}/", made)
    assert (error.code, error.written) == (code, True)


def test_over_tls_a_peer_that_hangs_up_while_it_is_written_to_is_reset(
    secure: Any, authority: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{__name__}._read_request", lambda conn: conn.recv(10))
    made, server = client(ca_file=str(authority[0])), secure(says())
    url = f"https://good.test:{server.port}/"
    assert failure(Uncertain, url, made, json="x" * (16 << 20)).code == "reset"
