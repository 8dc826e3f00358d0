"""The receiver's process: `python -m switchboard.smtp`. One runs on every host that an MX record names."""

from __future__ import annotations

import asyncio
import logging
import signal
import ssl
import sys

from switchboard.config import PREFIX, load_settings
from switchboard.errors import SettingsError
from switchboard.inbound import built_in
from switchboard.lib import certificates, logs
from switchboard.lib.certificates import CertificateError
from switchboard.lib.plumbing import Plumbing
from switchboard.smtp.handler import Handler
from switchboard.smtp.server import Doorkeeper, serve

log = logging.getLogger("switchboard.smtp")


def main() -> int:
    """Take mail until a signal; 2 where the settings do not allow it, and a sentence says why."""
    lib = Plumbing(load_settings()[0])
    logs.configure(lib.settings["LOG_FORMAT"])
    # it writes every line it reads into the log, and a recipient's address is a secret
    logging.getLogger("mail.log").setLevel(logging.CRITICAL)
    try:
        asyncio.run(_live(lib))
    except SettingsError as error:
        log.critical("%s", error)
        return 2
    return 0


async def _live(lib: Plumbing) -> None:
    await asyncio.to_thread(built_in.wanted, lib)
    keeper = Doorkeeper(lib.settings, Handler(lib), _tls(lib))
    try:
        server = await serve(keeper)
    except OSError as error:
        host, port = lib.settings["SMTP_LISTEN"]
        raise SettingsError(
            f"{PREFIX}SMTP_LISTEN: cannot listen on {host or '*'}:{port} ({error.strerror})"
        ) from None
    log.info("taking mail for %s", lib.settings["INBOUND_DOMAIN"])
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    async with server:
        await stop.wait()
    keeper.close()


def _tls(lib: Plumbing) -> ssl.SSLContext | None:
    """The certificate for STARTTLS. Raises SettingsError for one that cannot be used."""
    certificate, key = lib.settings["SMTP_CERT_FILE"], lib.settings["SMTP_KEY_FILE"]
    if not certificate:
        return None
    try:
        return certificates.server_side(certificate, key)
    except CertificateError as error:
        raise SettingsError(
            f"{PREFIX}SMTP_CERT_FILE: cannot be used ({error.code}); `doctor` says what to do"
        ) from None


if __name__ == "__main__":
    sys.exit(main())
