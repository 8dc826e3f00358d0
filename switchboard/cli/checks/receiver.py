"""The receiver of answers to mail: whether it can listen, and whether senders can speak TLS to it."""

from __future__ import annotations

import errno
import os
import socket
import stat
from collections.abc import Iterator
from contextlib import suppress
from urllib.parse import urlsplit

from switchboard.cli.checks.finding import Finding
from switchboard.config import PREFIX, Settings
from switchboard.lib import certificates, clock
from switchboard.lib.certificates import Certificate, CertificateError

CHECK, TLS = "receiver", "STARTTLS"
SOON_DAYS = 14
GREETING_SECONDS = 3.0
LISTEN, DOMAIN = f"{PREFIX}SMTP_LISTEN", f"{PREFIX}INBOUND_DOMAIN"
CERTIFICATE, KEY = f"{PREFIX}SMTP_CERT_FILE", f"{PREFIX}SMTP_KEY_FILE"

_ADVICE = {
    errno.EACCES: "Listen above port 1024 and forward port 25 to it, or give the box that port: "
    "CAP_NET_BIND_SERVICE",
    errno.EADDRINUSE: f"Stop that one, or let {LISTEN} name another port",
    errno.EADDRNOTAVAIL: f"Let {LISTEN} name an address of this machine, or a port alone for all of them",
}
_CERTIFICATE_ADVICE = {
    "missing": f"Correct {CERTIFICATE} and {KEY}: a file of that name is not there",
    "no_access": f"Let the box's user read the files of {CERTIFICATE} and {KEY}",
    "key_mismatch": f"Let {KEY} name the key that this certificate was made for",
    "locked_key": "Store the key without a password: openssl pkey -in KEY -out KEY",
    "weak_key": "Have a new one made, for example with a key of ECDSA P-256",
    "not_pem": f"Let {CERTIFICATE} hold the certificate and its chain in PEM, and {KEY} the key, if it "
    "is not in the same file",
}


def check(settings: Settings) -> Iterator[Finding]:
    """The findings on our own receiver; nothing where none is wanted."""
    if settings["SMTP_LISTEN"] is None:
        if settings["SMTP_CERT_FILE"] or settings["SMTP_KEY_FILE"]:
            found = f"a certificate is set for a receiver that does not run: {LISTEN} is not set"
            yield Finding(CHECK, "warn", found, f"Set {LISTEN}, or unset {CERTIFICATE} and {KEY}")
        return
    if not settings["INBOUND_DOMAIN"]:
        found = f"{LISTEN} is set, and none runs without a domain"
        yield Finding(CHECK, "fail", found, f"Set {DOMAIN} to the domain at which answers arrive")
        return
    yield _listening(settings)
    yield from _tls(settings)


def _listening(settings: Settings) -> Finding:
    host, port = settings["SMTP_LISTEN"]
    where, domain = f"{host or '*'}:{port}", settings["INBOUND_DOMAIN"]
    try:
        _bind(host, port)
    except socket.gaierror:
        return Finding(CHECK, "fail", f"{where} is no address", _ADVICE[errno.EADDRNOTAVAIL])
    except OSError as error:
        if error.errno == errno.EADDRINUSE and _is_ours(host, port, domain):
            return Finding(CHECK, "ok", f"it takes mail for {domain} at {where}")
        found = f"it cannot listen on {where}: {(error.strerror or 'refused').lower()}"
        return Finding(CHECK, "fail", found, _ADVICE.get(error.errno or 0, f"Change {LISTEN}"))
    return Finding(
        CHECK, "ok", f"{where} is free for it; it takes mail for {domain} once the box runs"
    )


def _bind(host: str, port: int) -> None:
    """Take the port as the receiver does, on each of its addresses, and let it go. Raises OSError."""
    found = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    for family, kind, protocol, _, address in dict.fromkeys(found):
        try:
            taken = socket.socket(family, kind, protocol)
        except OSError:  # a machine without IPv6
            continue
        with taken:
            taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                taken.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            taken.bind(address)


def _is_ours(host: str, port: int, domain: str) -> bool:
    """Whether who listens there greets as the receiver of this domain does."""
    whom = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104
    with suppress(OSError), socket.create_connection((whom, port), GREETING_SECONDS) as asked:
        return asked.recv(512).startswith(f"220 {domain} Switchboard ".encode())
    return False


def _tls(settings: Settings) -> Iterator[Finding]:
    path, key = settings["SMTP_CERT_FILE"], settings["SMTP_KEY_FILE"]
    if not path:
        found = "it offers no STARTTLS, so answers come to it in clear"
        yield Finding(TLS, "warn", found, f"Set {CERTIFICATE} (and {KEY})")
        return
    try:
        certificates.server_side(path, key)
        read = certificates.read(path)
    except CertificateError as error:
        found = f"the certificate cannot be used ({error.code}), so the receiver does not start"
        yield Finding(TLS, "fail", found, _CERTIFICATE_ADVICE[error.code])
        return
    if os.stat(key or path).st_mode & stat.S_IRWXO:
        advice = f"Close it: chmod o= {key or path}. Others may have read it; consider a new key"
        yield Finding(TLS, "fail", f"{key or path} can be read by others", advice)
    yield _of_time(read)
    if wrong := _of_name(settings, read):
        yield wrong


def _of_time(read: Certificate) -> Finding:
    now, until = clock.now(), f"{read.ends:%Y-%m-%d}"
    renew = "Renew it, and restart the box: it reads the certificate when it starts"
    if read.begins > now:
        found = f"the certificate is not good before {read.begins:%Y-%m-%d}"
        return Finding(TLS, "fail", found, "See that this machine's clock is right, or wait")
    if read.ends <= now:
        return Finding(TLS, "fail", f"the certificate ended on {until}", renew)
    if (days := (read.ends - now).days) < SOON_DAYS:
        return Finding(TLS, "warn", f"the certificate ends in {days} days, on {until}", renew)
    return Finding(TLS, "ok", f"for {_listed(read)}, until {until}")


def _of_name(settings: Settings, read: Certificate) -> Finding | None:
    """A warning where no name we know of is covered; which one the MX record has only DNS could tell."""
    base = urlsplit(settings["BASE_URL"]).hostname or ""
    known = {settings["INBOUND_DOMAIN"], base, settings["SMTP_LISTEN"][0]}
    if any(read.covers(name) for name in known if name):
        return None
    found = f"the certificate is for {_listed(read)}, which is no name of this box"
    advice = "See that the MX record names one of these; else senders that check it deliver nothing"
    return Finding(TLS, "warn", found, advice)


def _listed(read: Certificate) -> str:
    return ", ".join(read.names[:4]) or "no name"
