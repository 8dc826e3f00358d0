"""Children of the box: started, their lines relayed, the first end noticed, all ended in order.

Written on asyncio, because what process managers bring along (a process of theirs beside each child,
a poll ten times a second, all children stopped at once) is what the box must not have: a helper
process that is killed leaves its child unwatched, and Valkey has to outlast those who need it.
"""

from __future__ import annotations

import asyncio
import signal
from asyncio.subprocess import DEVNULL, PIPE, STDOUT, Process
from collections.abc import AsyncIterator, Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

from switchboard.box.console import Console
from switchboard.box.lifeline import tied_to_this_process

T = TypeVar("T")

STOP_SECONDS = 7.0  # a worker's current job and the web's current requests may take this long
LAST_STOP_SECONDS = 1.5
MAX_LINE_BYTES = 1 << 16


@dataclass(frozen=True)
class Child:
    """A running process; `name` is what its lines and its end are reported under."""

    name: str
    process: Process
    last: bool
    relay: asyncio.Task[str] = field(repr=False)

    async def how_it_ended(self) -> str:
        """Such as `worker (process 12) was ended by SIGKILL`; with what a quiet one said last."""
        code = await self.process.wait()
        how = (
            f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"
        )
        words = await self.relay if code > 0 else ""
        return f"{self.name} (process {self.process.pid}) {how}" + (words and f" saying: {words}")


class ChildEnded(Exception):
    """A child that should run as long as the box has ended."""


class Supervisor:
    """The children of this box."""

    def __init__(self, console: Console, environ: Mapping[str, str]) -> None:
        self._console = console
        self._environ = environ
        self._children: list[Child] = []

    async def start(
        self,
        name: str,
        command: Sequence[str],
        *,
        fds: Sequence[int] = (),
        last: bool = False,
        quiet: bool = False,
    ) -> None:
        """Start a child that inherits `fds`. Of a `quiet` one only its last words are shown.

        Others need the one that is `last`, so it is stopped after them.
        """
        process = await self._spawn(command, fds, stderr=STDOUT)
        relay = asyncio.create_task(self._relay(name, process.stdout, quiet=quiet))
        self._children.append(Child(name, process, last, relay))

    async def output_of(self, name: str, command: Sequence[str]) -> tuple[int, bytes]:
        """Run a child to its end: its exit code and stdout; what it says on stderr is relayed."""
        process = await self._spawn(command, (), stderr=PIPE)
        assert process.stdout is not None
        try:
            said, _ = await asyncio.gather(process.stdout.read(), self._relay(name, process.stderr))
            return await process.wait(), said
        finally:
            _signal([process], signal.SIGKILL)

    async def _spawn(self, command: Sequence[str], fds: Sequence[int], *, stderr: int) -> Process:
        return await asyncio.create_subprocess_exec(
            *command,
            env=self._environ,
            stdin=DEVNULL,
            stdout=PIPE,
            stderr=stderr,
            pass_fds=fds,
            start_new_session=True,  # a Ctrl-C is for us alone: we stop them in order
            preexec_fn=tied_to_this_process(),
        )

    async def _relay(
        self, name: str, stream: asyncio.StreamReader | None, *, quiet: bool = False
    ) -> str:
        """Show every line as it comes; or, if `quiet`, return the last one."""
        assert stream is not None
        last = b""
        async for line in _lines(stream):
            if quiet:
                last = line
            else:
                self._console.relay(name, line)
        return last.decode("utf-8", "replace")

    async def during(self, work: Coroutine[Any, Any, T]) -> T:
        """What `work` returns. Raises ChildEnded as soon as a child ends before it does."""
        task = asyncio.create_task(work)
        waits = {asyncio.create_task(each.process.wait()): each for each in self._children}
        try:
            await asyncio.wait([task, *waits], return_when=asyncio.FIRST_COMPLETED)
            for wait, child in waits.items():
                if wait.done():
                    raise ChildEnded(await child.how_it_ended())
            return task.result()
        finally:
            for each in (task, *waits):
                each.cancel()

    async def stop(self) -> None:
        """End all children, giving each the time to finish what it is at."""
        await self._end([each for each in self._children if not each.last], STOP_SECONDS)
        await self._end([each for each in self._children if each.last], LAST_STOP_SECONDS)
        with suppress(TimeoutError):  # what a child left behind may still hold the pipe
            async with asyncio.timeout(1):
                await asyncio.gather(*(each.relay for each in self._children))

    async def _end(self, children: Sequence[Child], seconds: float) -> None:
        running = [each.process for each in children]
        _signal(running, signal.SIGTERM)
        try:
            async with asyncio.timeout(seconds):
                await asyncio.gather(*(each.wait() for each in running))
        except TimeoutError:
            _signal(running, signal.SIGKILL)
            await asyncio.gather(*(each.wait() for each in running))

    def kill(self) -> None:
        """End all children at once."""
        _signal([each.process for each in self._children], signal.SIGKILL)


def _signal(processes: Sequence[Process], number: signal.Signals) -> None:
    for process in processes:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.send_signal(number)


async def _lines(stream: asyncio.StreamReader) -> AsyncIterator[bytes]:
    """Lines of a child's output without their ends; an endless one comes in pieces."""
    rest = b""
    while chunk := await stream.read(MAX_LINE_BYTES):
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            yield line
        if len(rest) > MAX_LINE_BYTES:
            yield rest
            rest = b""
    if rest:
        yield rest
