"""What the receiver says to a sender: a recipient with a good token, a mail written down, or why not.

A 250 after DATA stands for a committed row. The database is asked in threads, few at a time, so that one
sender's mail keeps no other's session waiting.
"""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from aiosmtpd.smtp import SMTP, Envelope, Session
from requests.structures import CaseInsensitiveDict

from switchboard.errors import Problem
from switchboard.inbound.receive import Answer
from switchboard.lib.plumbing import Plumbing
from switchboard.lib.text import one_line
from switchboard.mail.address import MAX_TOKENS
from switchboard.mail.arrival import Arrival
from switchboard.mail.receive import receive
from switchboard.mail.recipients import check
from switchboard.providers.email import SMTP as TRANSPORT

log = logging.getLogger(__name__)

THREADS = 4
# No 250 for a recipient whose answer is not read; the sender brings that one in another mail.
MAX_RECIPIENTS = MAX_TOKENS
MAX_REPLY = 300  # characters; a line of a reply has at most 512 octets (RFC 5321 section 4.5.3.1.5)
AGAIN = "451 4.3.0 This cannot be taken just now; try again later"


class Handler:
    """aiosmtpd's hooks: https://aiosmtpd.aio-libs.org/en/latest/handlers.html"""

    def __init__(self, lib: Plumbing) -> None:
        self._lib = lib
        self._threads = ThreadPoolExecutor(THREADS, "smtp")

    async def handle_EHLO(
        self,
        _server: SMTP,
        session: Session,
        _envelope: Envelope,
        hostname: str,
        offered: list[str],
    ) -> list[str]:
        """Offer no login: there is none."""
        session.host_name = hostname
        return [line for line in offered if not line.startswith("250-AUTH")]

    async def handle_RCPT(
        self, _server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        """Take a recipient at the inbound domain whose token is good, and no other: nothing is relayed."""
        if len(envelope.rcpt_tos) >= MAX_RECIPIENTS:
            return "452 4.5.3 Too many recipients"
        try:
            await self._run(check, self._lib, address, _peer(session), envelope.mail_from or "")
        except Problem as problem:
            return _refusal(problem.status, problem.detail, "5.1.1")
        except Exception:
            log.exception("a recipient could not be checked")
            return AGAIN
        envelope.rcpt_tos.append(address)
        envelope.rcpt_options.extend(options)
        return "250 2.1.5 OK"

    async def handle_DATA(self, _server: SMTP, session: Session, envelope: Envelope) -> str:
        """Write the mail down and say 250, or say why not."""
        content = envelope.content or b""
        raw = content if isinstance(content, bytes) else content.encode("utf-8", "surrogateescape")
        headers = {
            "X-Envelope-From": f"<{envelope.mail_from or ''}>",
            "X-Envelope-To": ", ".join(envelope.rcpt_tos),
            "X-Helo": session.host_name or "",
        }
        arrival = Arrival(TRANSPORT, CaseInsensitiveDict(headers), raw, _peer(session), len(raw))
        try:
            answer: Answer = await self._run(receive, self._lib, arrival)
        except Problem as problem:
            return _refusal(problem.status, problem.detail, "5.7.1")
        except Exception:
            log.exception("a mail could not be written down")
            return AGAIN
        if answer.status < 300:
            return f"250 2.0.0 Taken as {answer.body.get('delivery', 'known')}"
        return _refusal(answer.status, str(answer.body.get("detail", "Refused.")), "5.7.1")

    async def handle_exception(self, error: Exception) -> str:
        """What is said where the session itself broke; what was sent is not repeated in any log."""
        log.warning("a session broke: %s", type(error).__name__)
        return AGAIN

    async def _run(self, work: Any, *arguments: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work, *arguments)


def _peer(session: Session) -> str:
    peer: Any = session.peer
    return str(peer[0]) if isinstance(peer, tuple) else str(peer or "")


def _refusal(status: int, detail: str, enhanced: str) -> str:
    """What may do better later is told so (4xx); anything else is final."""
    if status in (423, 429) or status >= 500:
        return f"451 4.3.0 {_ascii(detail)}"
    return f"550 {enhanced} {_ascii(detail)}"


def _ascii(text: str) -> str:
    return one_line(text, MAX_REPLY).encode("ascii", "replace").decode()
