"""How a setting's text is read: one function a kind. Each raises ValueError saying what to use."""

from __future__ import annotations

import ipaddress
import re
import ssl
from collections.abc import Callable
from dataclasses import dataclass, field
from email.headerregistry import Address
from email.utils import parseaddr
from urllib.parse import unquote, urlsplit

Network = ipaddress.IPv4Network | ipaddress.IPv6Network

MAX_PORT = 65_535
MAX_LOCAL_PART = 64
MAX_DOMAIN = 190  # leaves room in front of it for a reply's local part and in a Message-ID
MAX_ADDRESS = 254  # RFC 5321 section 4.5.3.1
_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_LOCAL = re.compile(rf"{_ATOM}(?:\.{_ATOM})*", re.ASCII)
_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_DOMAIN = re.compile(rf"{_LABEL}(?:\.{_LABEL})+", re.ASCII)
MAX_DIAL_SECONDS = 40  # a job has 45


def text(raw: str) -> str:
    """Any text."""
    return raw


def flag(raw: str) -> bool:
    """Yes or no, by one of the usual words."""
    words = {"1": True, "true": True, "yes": True, "on": True}
    words |= {"0": False, "false": False, "no": False, "off": False, "": False}
    if raw.lower() not in words:
        raise ValueError("use 1 or 0")
    return words[raw.lower()]


def count(raw: str) -> int:
    """A whole number, 0 or more."""
    value = int(raw)
    if value < 0:
        raise ValueError("use a whole number, 0 or more")
    return value


def positive(raw: str) -> int:
    """A whole number, 1 or more."""
    value = int(raw)
    if value < 1:
        raise ValueError("use a whole number, 1 or more")
    return value


def port(raw: str) -> int:
    """A TCP port."""
    value = int(raw)
    if not 1 <= value <= MAX_PORT:
        raise ValueError(f"use a port from 1 to {MAX_PORT}")
    return value


def seconds(raw: str) -> float:
    """A time in seconds, 0 included."""
    value = float(raw)
    if not 0 <= value < 1e9:  # also turns away nan
        raise ValueError("use a number of seconds, 0 or more")
    return value


def some_seconds(raw: str) -> float:
    """A time in seconds that has to be some: with 0 nothing would ever be in time."""
    value = seconds(raw)
    if value == 0:
        raise ValueError("use a number of seconds above 0")
    return value


def dial_seconds(raw: str) -> float:
    """The time of one call, which has to fit into the job that makes it."""
    value = some_seconds(raw)
    if value > MAX_DIAL_SECONDS:
        raise ValueError(f"use at most {MAX_DIAL_SECONDS}")
    return value


def grace(raw: str) -> float:
    """A time in seconds of a day at most."""
    value = seconds(raw)
    if value > 86_400:
        raise ValueError("use at most 86400 (24 hours)")
    return value


def rate(raw: str) -> tuple[float, int]:
    """`per_second:burst`; a rate of 0 means no limit."""
    per_second, _, burst = raw.partition(":")
    value = float(per_second), int(burst or 1)
    if not (0 <= value[0] < 1e9 and value[1] >= 1):
        raise ValueError("use PER_SECOND:BURST, for example 50:1000 (0:1 for no limit)")
    return value


def host_names(raw: str) -> frozenset[str]:
    """Host names without ports, separated by commas."""
    names = frozenset(part.strip().lower() for part in raw.split(",") if part.strip())
    if any(set(name) & set("/:@*[] ") for name in names):
        raise ValueError("use names such as switchboard.internal, without port or scheme")
    return names


def origins(raw: str) -> frozenset[str]:
    """Origins exactly as browsers send them, separated by commas."""
    found = frozenset(part.strip() for part in raw.split(",") if part.strip())
    for origin in found:
        parts = urlsplit(origin)
        exact = f"{parts.scheme}://{parts.netloc}".lower()
        if parts.scheme not in ("http", "https") or not parts.hostname or origin != exact:
            raise ValueError("use origins such as https://board.example.org, with nothing after")
    return found


def cidrs(raw: str) -> tuple[Network, ...]:
    """Networks, separated by commas."""
    return tuple(ipaddress.ip_network(part.strip()) for part in raw.split(",") if part.strip())


def base_url(raw: str) -> str:
    """An HTTP address without query or user, its trailing slash removed; or nothing."""
    if not raw:
        return raw
    parts = urlsplit(raw)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.username:
        raise ValueError("use an address such as https://switchboard.example.org")
    return raw.rstrip("/")


def url_of(*schemes: str) -> Callable[[str], str]:
    """A reader of URLs that a library will open later: the scheme and port are checked here."""

    def read(raw: str) -> str:
        if raw and (raw.partition("://")[0] not in schemes or urlsplit(raw).port == 0):
            raise ValueError(f"use a URL of {', '.join(schemes)}")
        return raw

    return read


_SMTP_PORTS = {"smtp": 25, "smtp+starttls": 587, "smtps": 465}
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True)
class SmtpServer:
    """Where mail is handed in. `security` is `smtp` (in clear), `smtp+starttls` or `smtps`.

    `ca_file` holds the authorities by which it is trusted, "" means the public ones.
    """

    security: str
    host: str
    port: int
    user: str = ""
    password: str = field(default="", repr=False)
    ca_file: str = ""


def smtp_url(raw: str) -> SmtpServer | None:
    """A mail server: its scheme says how the connection is secured, and nothing is tried beyond it."""
    if not raw:
        return None
    parts = urlsplit(raw)
    if parts.scheme not in _SMTP_PORTS or not parts.hostname or parts.path.strip("/"):
        raise ValueError(
            "use smtps://, smtp+starttls:// or smtp:// with [user:password@]host[:port]"
        )
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    if user and parts.scheme == "smtp" and parts.hostname not in _LOOPBACK:
        raise ValueError("a password goes over smtps:// or smtp+starttls:// only")
    given_port = _SMTP_PORTS[parts.scheme] if parts.port is None else port(str(parts.port))
    return SmtpServer(parts.scheme, parts.hostname, given_port, user, password)


def authorities(raw: str) -> str:
    """The path of a file with certificates to trust, or nothing."""
    if raw:
        try:
            ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(raw)
        except ssl.SSLError:
            raise ValueError("the file holds no certificate in PEM") from None
        except OSError as error:
            raise ValueError(f"the file cannot be read: {(error.strerror or '').lower()}") from None
    return raw


def listen_address(raw: str) -> tuple[str, int] | None:
    """`HOST:PORT` to listen on; a port alone means every address, nothing means not at all."""
    if not raw:
        return None
    host, _, number = raw.rpartition(":")
    return host.strip("[]"), port(number)


def domain(raw: str) -> str:
    """A mail domain, folded; or nothing."""
    folded = raw.lower().rstrip(".")
    if folded and (len(folded) > MAX_DOMAIN or not _DOMAIN.fullmatch(folded)):
        raise ValueError("use a domain such as mail.example.org")
    return folded


def mail_from(raw: str) -> str:
    """A sender: an address, or a name and an address in angle brackets; or nothing."""
    if not raw:
        return raw
    name, address = parseaddr(raw)
    written = (address, f"{name} <{address}>", f'"{name}" <{address}>')
    if not raw.isprintable() or raw not in written or not is_mail_address(address):
        raise ValueError("use switchboard@example.org or Switchboard <switchboard@example.org>")
    return str(Address(name, addr_spec=address))


def is_mail_address(text: str) -> bool:
    """Whether mail can be sent there by any server: one address in plain ASCII, as RFC 5321 bounds it.

    None that looks like an encoded word (RFC 2047): the address of such a header would be another.
    """
    local, _, host = text.rpartition("@")
    if len(text) > MAX_ADDRESS or len(local) > MAX_LOCAL_PART or "=?" in text:
        return False
    return bool(_LOCAL.fullmatch(local)) and bool(_DOMAIN.fullmatch(host.lower()))


def log_format(raw: str) -> str:
    """How a line of the log is written."""
    if raw not in ("plain", "json"):
        raise ValueError("use plain or json")
    return raw
