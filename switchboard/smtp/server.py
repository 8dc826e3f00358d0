"""Sessions with senders, bounded: how many there are, how long a step and the whole may take, how much
comes. Who stalls, floods or never ends is cut off, and nobody else notices.
"""

from __future__ import annotations

import asyncio
import ssl
from typing import Any

from aiosmtpd.smtp import SMTP, syntax

from switchboard import __version__
from switchboard.config import Settings
from switchboard.smtp.handler import Handler

MOST_SESSIONS = 40
MOST_OF_ONE_PEER = 10
WHOLE_STEPS = 5  # a session may take so many times the time of one step
COMMANDS = {"RCPT": 60, "MAIL": 30, "RSET": 60, "NOOP": 20, "VRFY": 5, "HELP": 5, "*": 40}
MAX_LINE = 64 * 1024  # RFC 5321 says 1 000 and many send more
MAX_LINES = (
    600_000  # of a mail: 30 MiB in base64 are 400 000; each takes a hundred bytes beside its own
)
NO_LOGIN = ("LOGIN", "PLAIN")


class Doorkeeper:
    """Who is in, and the settings of every session."""

    def __init__(self, settings: Settings, handler: Handler, tls: ssl.SSLContext | None) -> None:
        self.settings = settings
        self.handler = handler
        self.tls = tls
        self._inside: dict[asyncio.Transport, str] = {}

    def admit(self, transport: asyncio.Transport, peer: str) -> bool:
        """Let one in, unless there are enough, or enough of that peer."""
        # nobody is told of the end of a session that is cut off in the middle of a TLS handshake
        for gone in [each for each in self._inside if each.is_closing()]:
            self.leave(gone)
        of_peer = sum(each == peer for each in self._inside.values())
        if len(self._inside) >= MOST_SESSIONS or of_peer >= MOST_OF_ONE_PEER:
            return False
        self._inside[transport] = peer
        return True

    def leave(self, transport: asyncio.Transport) -> None:
        """One that was let in has gone."""
        self._inside.pop(transport, None)

    def close(self) -> None:
        """End every session."""
        for transport in [*self._inside]:
            transport.abort()


class Receiver(SMTP):
    """One session."""

    line_length_limit = MAX_LINE

    def __init__(self, keeper: Doorkeeper) -> None:
        super().__init__(
            keeper.handler,
            data_size_limit=keeper.settings["MAX_MAIL_BYTES"],
            hostname=keeper.settings["INBOUND_DOMAIN"],
            ident=f"Switchboard {__version__}",
            tls_context=keeper.tls,
            timeout=keeper.settings["SMTP_SECONDS"],
            auth_exclude_mechanism=NO_LOGIN,
            command_call_limit=COMMANDS,
            loop=asyncio.get_running_loop(),
        )
        self._keeper = keeper
        self._socket: asyncio.Transport | None = None
        self._lines = 0
        self._end: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Let the sender in, for a bounded time; after STARTTLS it is the same session."""
        if self._socket is None:
            peer = str((transport.get_extra_info("peername") or ("",))[0])
            if not self._keeper.admit(transport, peer):
                transport.write(b"421 4.7.0 Too many sessions; try again later\r\n")
                transport.close()
                return
            self._socket = transport
            seconds = self._keeper.settings["SMTP_SECONDS"] * WHOLE_STEPS
            self._end = self.loop.call_later(seconds, transport.abort)
        super().connection_made(transport)

    def connection_lost(self, error: Exception | None) -> None:
        """Make room."""
        if self._socket is None:
            return
        if self._end is not None:
            self._end.cancel()
        self._keeper.leave(self._socket)
        super().connection_lost(error)

    def data_received(self, data: bytes) -> None:
        """Hand on what came, unless the sender was not let in or sends more lines than a mail has."""
        if self._socket is None:
            return
        self._lines += data.count(b"\n")
        if self._lines > MAX_LINES:
            self._socket.abort()
        else:
            super().data_received(data)

    @syntax("STARTTLS", when="tls_context")
    async def smtp_STARTTLS(self, arg: str) -> None:
        """Begin TLS, once: inside it there is nothing to begin (RFC 3207 section 4.2)."""
        if self._tls_protocol:
            await self.push("503 5.5.1 This session is under TLS already")
        else:
            await super().smtp_STARTTLS(arg)

    @syntax("DATA")
    async def smtp_DATA(self, arg: str) -> None:
        """Take one mail; its lines are counted anew."""
        self._lines = 0
        await super().smtp_DATA(arg)

    def eof_received(self) -> bool | None:
        """The same for its end."""
        return super().eof_received() if self._socket is not None else False


async def serve(keeper: Doorkeeper) -> asyncio.Server:
    """Listen where SMTP_LISTEN says. Raises OSError."""
    host, port = keeper.settings["SMTP_LISTEN"]
    loop = asyncio.get_running_loop()
    return await loop.create_server(lambda: Receiver(keeper), host or None, port)
