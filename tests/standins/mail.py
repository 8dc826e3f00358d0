"""A mail server: a real SMTP server that keeps every message as it came, and answers as told."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from typing import Any, Self

from aiosmtpd.controller import Controller

HANG_UP = "hang up"


@dataclass(frozen=True)
class Mail:
    """One message that was taken, or whose content at least arrived."""

    sender: str
    recipient: str
    raw: bytes

    @property
    def message(self) -> EmailMessage:
        parsed = message_from_bytes(self.raw, policy=default)
        assert isinstance(parsed, EmailMessage)
        return parsed

    def header(self, name: str) -> str:
        return str(self.message[name])

    @property
    def text(self) -> str:
        part = self.message.get_body(("plain",))
        assert part is not None
        return str(part.get_content())

    @property
    def html(self) -> str:
        part = self.message.get_body(("html",))
        assert part is not None
        return str(part.get_content())


class _Controller(Controller):
    """On any free port, which is known once it listens."""

    def _trigger_server(self) -> None:
        self.port = self.server.sockets[0].getsockname()[1]
        super()._trigger_server()


class MailServer:
    """The running server; a context manager. `url` is what SMTP_URL would be.

    `recipients` and `messages` are what RCPT and the end of DATA are answered with, in turn; then with 250.
    HANG_UP as an answer to a message keeps it and says nothing.
    """

    def __init__(self, **controller: Any) -> None:
        self._mails: list[Mail] = []
        self._arrived = threading.Condition()
        self.recipients: deque[str] = deque()
        self.messages: deque[str] = deque()
        self._controller = _Controller(self, hostname="127.0.0.1", port=0, **controller)

    def __enter__(self) -> Self:
        self._controller.start()
        self.port = self._controller.port
        self.url = f"smtp://127.0.0.1:{self.port}"
        return self

    def __exit__(self, *_: object) -> None:
        self._controller.stop()

    def program(self, *, recipients: Sequence[str] = (), messages: Sequence[str] = ()) -> None:
        self.recipients, self.messages = deque(recipients), deque(messages)

    @property
    def mails(self) -> list[Mail]:
        with self._arrived:
            return list(self._mails)

    def to(self, recipient: str) -> list[Mail]:
        return [mail for mail in self.mails if mail.recipient == recipient]

    def wait_for(self, number: int, seconds: float = 20.0) -> list[Mail]:
        """The messages once there are `number`; TimeoutError when they do not come in time."""
        with self._arrived:
            if not self._arrived.wait_for(lambda: len(self._mails) >= number, seconds):
                raise TimeoutError(f"{len(self._mails)} of {number} mails in {seconds} s")
        return self.mails

    # what aiosmtpd calls

    async def handle_RCPT(
        self, server: Any, session: Any, envelope: Any, address: str, options: Any
    ) -> str:
        answer = self.recipients.popleft() if self.recipients else "250 OK"
        if answer.startswith("250"):
            envelope.rcpt_tos.append(address)
        return answer

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        answer = self.messages.popleft() if self.messages else "250 OK"
        if answer == HANG_UP or answer.startswith("250"):
            mail = Mail(envelope.mail_from, envelope.rcpt_tos[0], envelope.original_content)
            with self._arrived:
                self._mails.append(mail)
                self._arrived.notify_all()
        if answer == HANG_UP:
            server.transport.abort()
        return answer
