"""Certificates for servers under test: signed by themselves, or by an authority of the test's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from switchboard.lib import clock


@dataclass(frozen=True)
class Made:
    """A certificate and its key, each in a file of its own (PEM)."""

    path: Path
    key_path: Path
    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey

    def in_one(self) -> Path:
        """Both in one file."""
        both = self.path.with_suffix(".both.pem")
        both.write_bytes(self.path.read_bytes() + self.key_path.read_bytes())
        both.chmod(0o600)
        return both


def make(
    folder: Path,
    name: str,
    *,
    names: Sequence[str] | None = None,
    days: float = 90,
    by: Made | None = None,
    password: bytes | None = None,
) -> Made:
    """One that is good for so many days from now, for the DNS names (`name`, unless told).

    `by` is the authority that signs it, made here as well; without one it signs itself and is an authority.
    """
    key = ec.generate_private_key(ec.SECP256R1())
    own = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    ends = clock.now() + timedelta(days=days)
    told = [x509.DNSName(each) for each in ([name] if names is None else names)]
    certificate = (
        x509.CertificateBuilder()
        .subject_name(own)
        .issuer_name(by.certificate.subject if by else own)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(ends - timedelta(days=400))
        .not_valid_after(ends)
        .add_extension(x509.SubjectAlternativeName(told), critical=False)
        .add_extension(x509.BasicConstraints(ca=by is None, path_length=None), critical=True)
        .sign(by.key if by else key, hashes.SHA256())
    )
    locked = serialization.BestAvailableEncryption(password) if password else None
    folder.mkdir(exist_ok=True, parents=True)
    made = Made(folder / f"{name}.pem", folder / f"{name}.key", certificate, key)
    made.path.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    made.key_path.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            locked or serialization.NoEncryption(),
        )
    )
    made.key_path.chmod(0o600)
    return made
