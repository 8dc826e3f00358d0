"""A server's certificate and key: opened for TLS, and what the certificate says of itself."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from cryptography import x509

# OpenSSL's own word for it → ours
_REASONS = {
    "KEY_VALUES_MISMATCH": "key_mismatch",
    "KEY_TYPE_MISMATCH": "key_mismatch",
    "EE_KEY_TOO_SMALL": "weak_key",
    "CA_MD_TOO_WEAK": "weak_key",
}


class CertificateError(Exception):
    """It cannot be used. `code` is short and stable: `missing`, `no_access`, `key_mismatch`, `locked_key`,
    `weak_key` or `not_pem`."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True)
class Certificate:
    """What the first certificate of a file says: the DNS names it is for, and when it is good (UTC)."""

    names: tuple[str, ...]
    begins: datetime
    ends: datetime

    def covers(self, host: str) -> bool:
        """Whether it is for that host; a star stands for one label (RFC 6125 section 6.4.3)."""
        wanted = host.lower().rstrip(".")
        above = "*." + wanted.partition(".")[2]
        return any(name.lower() in (wanted, above) for name in self.names)


def server_side(certificate: str, key: str) -> ssl.SSLContext:
    """TLS for a server; `key` is "" where it is in the same file. Raises CertificateError."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    asked: list[bytes] = []

    def password() -> bytes:  # else OpenSSL stops and asks whoever sits at the terminal
        asked.append(b"-")
        return asked[0]

    try:
        context.load_cert_chain(certificate, key or None, password)
    except ssl.SSLError as error:
        code = "locked_key" if asked else _REASONS.get(error.reason or "", "not_pem")
        raise CertificateError(code) from None
    except OSError as error:
        raise CertificateError(_why(error)) from None
    return context


def read(path: str) -> Certificate:
    """What the first certificate in a PEM file says. Raises CertificateError."""
    try:
        found = x509.load_pem_x509_certificate(Path(path).read_bytes())
        names = _names(found)
    except OSError as error:
        raise CertificateError(_why(error)) from None
    except ValueError:
        raise CertificateError("not_pem") from None
    return Certificate(names, found.not_valid_before_utc, found.not_valid_after_utc)


def _names(found: x509.Certificate) -> tuple[str, ...]:
    try:
        said = found.extensions.get_extension_for_class(x509.SubjectAlternativeName)
    except x509.ExtensionNotFound:  # clients have long stopped to read the subject
        return ()
    return tuple(said.value.get_values_for_type(x509.DNSName))


def _why(error: OSError) -> str:
    return "missing" if isinstance(error, FileNotFoundError) else "no_access"
