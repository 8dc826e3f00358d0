"""The settings: one table, read once from the environment into one frozen object.

Every setting is `SWITCHBOARD_<NAME>`. An unknown name or an unreadable value stops the start
with a sentence that names it. The README's table is held equal to `SETTINGS` by a test.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from switchboard import keyfiles
from switchboard.errors import SettingsError
from switchboard.readers import (
    SmtpServer,
    authorities,
    base_url,
    cidrs,
    count,
    dial_seconds,
    domain,
    flag,
    grace,
    host_names,
    listen_address,
    log_format,
    mail_from,
    origins,
    port,
    positive,
    rate,
    seconds,
    smtp_url,
    some_seconds,
    text,
    url_of,
)

PREFIX = "SWITCHBOARD_"
CREDENTIAL = "CREDENTIAL"  # an agent\'s, for whoever runs beside it (`mcp`): no setting of the box
ADDRESS = "address"  # the file in the data folder in which a running box leaves its own
ROOT = Path(__file__).resolve().parent.parent


def _encryption_key(raw: str) -> bytes | None:
    if not raw:
        return None
    key = base64.b64decode(raw, validate=True)
    if len(key) != keyfiles.KEY_BYTES:
        raise ValueError(
            "use base64 of exactly 32 bytes, for example from: openssl rand -base64 32"
        )
    return key


_sql = url_of("sqlite", "postgres", "postgresql", "postgresql+psycopg")
_redis = url_of("redis", "rediss", "unix")


@dataclass(frozen=True)
class Setting:
    """One row of the table: environment name without prefix, default as text, reader, help."""

    name: str
    default: str
    read: Callable[[str], Any]
    help: str
    secret: bool = False


SETTINGS: tuple[Setting, ...] = (
    Setting("DATA", "instance", str, "Folder for the database, keys and the embedded Valkey"),
    Setting("DATABASE_URL", "", _sql, "SQLAlchemy URL; empty: SQLite in the data folder", True),
    Setting("REDIS_URL", "", _redis, "Valkey or Redis URL; empty: a Valkey of the box's own", True),
    Setting("SECRET_KEY", "", text, "Signs sessions and the setup link (or SECRET_KEY_FILE)", True),
    Setting(
        "ENCRYPTION_KEY",
        "",
        _encryption_key,
        "Base64 of 32 bytes; seals secrets at rest (or ENCRYPTION_KEY_FILE)",
        True,
    ),
    Setting(
        "ENCRYPTION_KEY_OLD",
        "",
        _encryption_key,
        "The key before this one, still readable until `vault rotate` has run",
        True,
    ),
    Setting("BASE_URL", "", base_url, "Public address, as senders reach it; empty: the box's own"),
    Setting("HOST_NAMES", "", host_names, "Further names it is reached by, comma-separated"),
    Setting("CORS_ORIGINS", "", origins, "Origins whose pages may call the API; empty: none"),
    Setting("PROXY_HOPS", "0", count, "Reverse proxies in front whose X-Forwarded-* are believed"),
    Setting("HOST", "127.0.0.1", text, "Address the web process listens on"),
    Setting("PORT", "8080", port, "Port the web process listens on"),
    Setting("WEB_PROCESSES", "2", positive, "Gunicorn worker processes"),
    Setting("WEB_THREADS", "4", positive, "Threads per gunicorn worker process"),
    Setting("WORKERS", "2", positive, "RQ workers in the pool"),
    Setting("LOG_FORMAT", "plain", log_format, "One line per event, `plain` or `json`"),
    Setting("ALLOW_HTTP", "0", flag, "Allow plain-HTTP connections to providers"),
    Setting("ALLOW_CIDRS", "", cidrs, "Private networks providers may live in, comma-separated"),
    Setting("GITHUB_API_URL", "", base_url, "Base URL of github.com's API; empty: the real one"),
    Setting("SLACK_API_URL", "", base_url, "Base URL of Slack's API; empty: the real one"),
    Setting("MAX_HOOK_BYTES", "5242880", positive, "Largest provider hook body, in bytes"),
    Setting("MAX_SIGNED_BYTES", "65536", positive, "Largest body of a `signed` source, in bytes"),
    Setting("BODY_SECONDS", "10", some_seconds, "How long a sender may take to send a body"),
    Setting("SOURCE_RATE", "50:1000", rate, "Deliveries a second and burst per source; 0:1: none"),
    Setting("ROTATION_OVERLAP_SECONDS", "3600", seconds, "How long a source's old secret is good"),
    Setting("PAUSE_AFTER", "10", positive, "Refused deliveries in a row that pause their source"),
    Setting("ENDPOINT_RATE", "100:1000", rate, "Calls a second and burst per endpoint; 0:1: none"),
    Setting("REPLY_RATE", "0.5:10", rate, "Replies a second and burst per endpoint; 0:1: none"),
    Setting("REPLIES_PER_TODO", "20", positive, "Replies one todo may carry in its life"),
    Setting("REPLY_WAIT_SECONDS", "12", seconds, "How long a reply call waits for its outcome"),
    Setting("REPLY_GRACE_SECONDS", "900", grace, "How long a finished todo may still be answered"),
    Setting("DIAL_SECONDS", "10", dial_seconds, "Total time of one call to a provider"),
    Setting("LEASE_SECONDS", "900", positive, "Default lease of a claimed todo"),
    Setting("RETRY_SECONDS", "30", seconds, "First pause after a failed attempt; doubles to 900"),
    Setting("MAX_ATTEMPTS", "5", positive, "Attempts before a todo is dead-lettered"),
    Setting("SWEEP_SECONDS", "15", positive, "How often the sweeps run"),
    Setting("REQUEUE_AFTER_SECONDS", "15", seconds, "A pending reply this old is enqueued again"),
    Setting("UNKNOWN_AFTER_SECONDS", "60", seconds, "A dialled reply this old is `unknown`"),
    Setting("RETENTION_DAYS", "30", positive, "How long delivery records are kept"),
    Setting(
        "SMTP_URL",
        "",
        smtp_url,
        "Mail server: smtps://, smtp+starttls:// or smtp://; empty: no mail",
        True,
    ),
    Setting(
        "SMTP_CA_FILE", "", authorities, "Certificates (PEM) to trust that server by; empty: public"
    ),
    Setting("MAIL_FROM", "", mail_from, "Who mail is from; empty: switchboard@ the inbound domain"),
    Setting("INBOUND_DOMAIN", "", domain, "Domain at which answers to mail arrive; empty: nowhere"),
    Setting("SMTP_LISTEN", "", listen_address, "HOST:PORT of our own receiver; empty: none runs"),
    Setting("SMTP_CERT_FILE", "", text, "Certificate (PEM) for STARTTLS of the receiver"),
    Setting("SMTP_KEY_FILE", "", text, "Its key; empty: it is in the same file"),
    Setting("SMTP_SECONDS", "120", some_seconds, "How long a sender of mail may take for one step"),
    Setting("MAX_MAIL_BYTES", "31457280", positive, "Largest mail that is taken"),
    Setting("MAIL_TRUSTED_SERVER", "", text, "Name whose Authentication-Results are believed"),
    Setting("MAIL_ANY_SENDER", "0", flag, "1: whoever has a mail's token may answer with it"),
    Setting("MAIL_BOUNCES", "0", flag, "1: tell people by mail why their answer could not be used"),
    Setting("MAIL_TOKEN_DAYS", "90", positive, "How long a mail can be answered"),
    Setting("NOTIFY_BURST_SECONDS", "60", seconds, "Notices this close together go as one message"),
)


@dataclass(frozen=True)
class Settings:
    """The settings as read; `values` by name, secrets kept out of `repr`."""

    values: Mapping[str, Any] = field(repr=False)

    def __getitem__(self, name: str) -> Any:
        return self.values[name]

    @property
    def data(self) -> Path:
        """The data folder, absolute."""
        path = Path(self["DATA"])
        return path if path.is_absolute() else ROOT / path

    @property
    def database_url(self) -> str:
        """The SQLAlchemy URL in force."""
        url: str = self["DATABASE_URL"]
        for scheme in ("postgres://", "postgresql://"):
            if url.startswith(scheme):
                return "postgresql+psycopg://" + url.removeprefix(scheme)
        return url or f"sqlite:///{self.data / 'switchboard.db'}"

    @property
    def redis_url(self) -> str:
        """The Valkey or Redis URL in force; the box's own listens on a socket in the data folder."""
        return self["REDIS_URL"] or f"unix://{self.data / 'valkey.sock'}"

    @property
    def base_url(self) -> str:
        """The public address, without a trailing slash.

        Unless it is set, that of the box which runs on this data folder, whatever port it was given.
        """
        return self["BASE_URL"] or self._address_left or self.own_url

    @property
    def _address_left(self) -> str:
        try:
            return base_url((self.data / ADDRESS).read_text().strip())
        except (OSError, ValueError):  # no box runs, or it is another user's
            return ""

    @property
    def mail_server(self) -> SmtpServer | None:
        """The server that mail is handed to, with what it is trusted by; None where none is sent."""
        server: SmtpServer | None = self["SMTP_URL"]
        return server and replace(server, ca_file=self["SMTP_CA_FILE"])

    @property
    def mail_from(self) -> str:
        """Who mail is from: a bare address, or one with a name before it; "" where nobody said."""
        own = f"switchboard@{self['INBOUND_DOMAIN']}" if self["INBOUND_DOMAIN"] else ""
        return self["MAIL_FROM"] or own

    @property
    def receives_mail(self) -> bool:
        """Whether a receiver of our own takes mail."""
        return bool(self["INBOUND_DOMAIN"] and self["SMTP_LISTEN"])

    @property
    def own_url(self) -> str:
        """Where a web process with these settings listens."""
        return f"http://{_url_host(self['HOST'])}:{self['PORT']}"


def _url_host(host: str) -> str:
    if host in ("0.0.0.0", "::"):  # noqa: S104  (asks, binds nothing)
        return "127.0.0.1"
    return f"[{host}]" if ":" in host else host


def read_settings(environ: Mapping[str, str] | None = None) -> Settings:
    """Read `SWITCHBOARD_*` from `environ` (default: the process's) into frozen settings.

    Raises SettingsError naming the setting that is unknown or cannot be read.
    """
    given = _given(os.environ if environ is None else environ)
    values: dict[str, Any] = {}
    for setting in SETTINGS:
        raw = given.pop(setting.name, setting.default)
        try:
            values[setting.name] = setting.read(raw.strip())
        except ValueError as error:
            shown = "its value" if setting.secret else repr(raw)
            # binascii's and int()'s own words may repeat the value, so a secret's are left out
            why = "cannot be read" if setting.secret else f"cannot be read ({error})"
            raise SettingsError(f"{PREFIX}{setting.name}: {shown} {why}: {setting.help}") from None
    if given:
        raise SettingsError(
            f"{PREFIX}{sorted(given)[0]} is not a setting; the README lists all of them"
        )
    settings = Settings(values)
    _check_together(settings)
    return Settings(values | _own_keys(settings))


def _check_together(settings: Settings) -> None:
    """Raise SettingsError where settings that are fine alone contradict each other."""
    unknown_after, dial = settings["UNKNOWN_AFTER_SECONDS"], settings["DIAL_SECONDS"]
    if unknown_after < dial:
        raise SettingsError(
            f"{PREFIX}UNKNOWN_AFTER_SECONDS: {unknown_after:g} is less than "
            f"{PREFIX}DIAL_SECONDS ({dial:g}), so a call still under way would count as lost; "
            "raise the one or lower the other"
        )
    if settings["SMTP_URL"] and not settings.mail_from:
        raise SettingsError(
            f"{PREFIX}SMTP_URL: mail needs a sender; set {PREFIX}MAIL_FROM, such as "
            "switchboard@example.org"
        )


def _given(environ: Mapping[str, str]) -> dict[str, str]:
    given = {k.removeprefix(PREFIX): v for k, v in environ.items() if k.startswith(PREFIX)}
    given.pop(CREDENTIAL, None)
    for name in ("SECRET_KEY", "ENCRYPTION_KEY", "ENCRYPTION_KEY_OLD"):
        if path := given.pop(f"{name}_FILE", None):
            try:
                given[name] = Path(path).read_text().strip()
            except (OSError, UnicodeDecodeError) as error:
                why = getattr(error, "strerror", "it is not text")
                raise SettingsError(f"{PREFIX}{name}_FILE: cannot read the file ({why})") from None
    return given


def _own_keys(settings: Settings) -> dict[str, Any]:
    """Keys the first start made in the data folder, where the environment gives none (SQLite only)."""
    if settings["DATABASE_URL"] and not settings.database_url.startswith("sqlite"):
        if not settings["SECRET_KEY"]:
            raise SettingsError(
                f"{PREFIX}SECRET_KEY is required on Postgres (all nodes share it); "
                "make one with: openssl rand -base64 32"
            )
        return {}
    found: dict[str, Any] = {}
    for name, read in (("SECRET_KEY", text), ("ENCRYPTION_KEY", _encryption_key)):
        path = settings.data / name.lower()
        if not settings[name] and path.exists():
            found[name] = keyfiles.read(path, read)
    return found


def load_settings(environ: Mapping[str, str] | None = None) -> tuple[Settings, list[Path]]:
    """The settings with keys made where a first start has none, and the key files just made.

    Raises SettingsError as `read_settings` does.
    """
    made = make_keys(read_settings(environ))
    return read_settings(environ), made


def make_keys(settings: Settings) -> list[Path]:
    """Write the keys that neither environment nor data folder has; return the files made (0600).

    Only for SQLite: a larger site hands its keys to every node.
    """
    settings.data.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not settings.database_url.startswith("sqlite"):
        return []
    missing = [name for name in ("SECRET_KEY", "ENCRYPTION_KEY") if not settings[name]]
    paths = [settings.data / name.lower() for name in missing]
    return [path for path in paths if keyfiles.make(path)]
