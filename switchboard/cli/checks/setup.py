"""Settings, data folder, keys and base URL: what can be seen without asking any server."""

from __future__ import annotations

import ipaddress
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from switchboard.cli.checks.finding import Finding
from switchboard.config import PREFIX, Settings

OTHERS = stat.S_IRWXG | stat.S_IRWXO
FIRST_START = "Start the box: python app.py"


def check(settings: Settings) -> list[Finding]:
    """The findings on settings, folder, keys, base URL."""
    given = sum(name.startswith(PREFIX) for name in os.environ)
    found = f"{given} given, the others at their defaults"
    return [
        Finding("settings", "ok", found),
        _folder(settings.data),
        *_keys(settings),
        _base_url(settings),
    ]


def _folder(folder: Path) -> Finding:
    if not folder.exists():
        return Finding("data folder", "warn", f"{folder} is not there yet", FIRST_START)
    if not (folder.is_dir() and os.access(folder, os.R_OK | os.W_OK | os.X_OK)):
        advice = f"Give this user the folder: chown {os.geteuid()} {folder}"
        return Finding("data folder", "fail", f"{folder} cannot be written", advice)
    if folder.stat().st_mode & OTHERS:
        advice = f"Close it to others: chmod 700 {folder}"
        return Finding("data folder", "warn", f"{folder} is open to other users", advice)
    return Finding("data folder", "ok", str(folder))


def _keys(settings: Settings) -> Iterator[Finding]:
    for name in ("secret_key", "encryption_key"):
        path = settings.data / name
        if path.exists() and path.stat().st_mode & OTHERS:
            advice = f"Close it: chmod 600 {path}. Others may have read it; consider a new key."
            yield Finding("keys", "fail", f"{path} can be read by others", advice)
    on_sqlite = settings.database_url.startswith("sqlite")
    if not settings["SECRET_KEY"]:
        yield Finding("keys", "warn", "none yet; the first start makes them", FIRST_START)
    elif settings["ENCRYPTION_KEY"]:
        yield Finding("keys", "ok", "session key and encryption key are set")
    elif on_sqlite:
        yield Finding("keys", "warn", "no encryption key yet", FIRST_START)
    else:
        advice = f"Set {PREFIX}ENCRYPTION_KEY, from: openssl rand -base64 32"
        yield Finding("keys", "warn", "no encryption key: no secret can be stored", advice)


def _base_url(settings: Settings) -> Finding:
    url = settings.base_url
    advice = f"Set {PREFIX}BASE_URL to the https:// address that senders reach"
    if not settings["BASE_URL"]:
        return Finding("base URL", "warn", f"not set, so ingest URLs begin with {url}", advice)
    host = urlsplit(url).hostname or ""
    if _is_local(host):
        return Finding("base URL", "warn", f"{url} is reached from this machine only", advice)
    if not url.startswith("https://"):
        return Finding("base URL", "warn", f"{url} sends credentials in clear", advice)
    return Finding("base URL", "ok", url)


def _is_local(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
