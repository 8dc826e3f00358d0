"""Starting and ending the box, step by step."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from switchboard import __version__
from switchboard.box import address, valkey
from switchboard.box.console import Console
from switchboard.box.listening import answers, listen
from switchboard.box.lock import Refused, lock
from switchboard.box.memory import give_back
from switchboard.box.supervisor import ChildEnded, Supervisor
from switchboard.config import PREFIX, make_keys, read_settings


@dataclass(frozen=True)
class Extra:
    """What a demo adds to a box.

    `before` gets the locked data folder, `prepare` is run to its end on the migrated database, `words`
    are for the console, and `command` is one more child, which inherits `sockets`.
    """

    before: Callable[[Path], None]
    prepare: Sequence[str]
    words: Callable[[Path], Sequence[str]]
    name: str
    command: Sequence[str]
    sockets: Sequence[socket.socket]


class Box:
    """One box with the settings in `environ`. `port` goes before theirs; 0 is any free one."""

    def __init__(
        self, environ: dict[str, str], port: int | None = None, extra: Extra | None = None
    ) -> None:
        self._environ = environ
        self._settings = read_settings(environ)
        self._port = self._settings["PORT"] if port is None else port
        self._extra = extra
        self._console = Console(self._settings["LOG_FORMAT"])

    def run(self) -> int:
        """Run until a signal (0) or the end of a child (1). Raises Refused, SettingsError."""
        _leave_on_signals()
        with ExitStack() as stack:
            data = self._settings.data
            lock(data)
            if self._extra:
                self._extra.before(data)
                self._settings = read_settings(self._environ)
            self._say_keys(make_keys(self._settings))
            web = stack.enter_context(listen(self._settings["HOST"], self._port))
            self._set("PORT", str(web.getsockname()[1]))
            stack.enter_context(address.left_in(data, self._settings.own_url))
            path = None
            if not self._settings["REDIS_URL"]:
                path = stack.enter_context(valkey.socket_path(data))
                self._set("REDIS_URL", f"unix://{path}")
            give_back()
            return asyncio.run(self._live(web, path))

    def _set(self, name: str, value: str) -> None:
        self._environ[PREFIX + name] = value
        self._settings = read_settings(self._environ)

    async def _live(self, web: socket.socket, path: Path | None) -> int:
        supervisor = Supervisor(self._console, self._environ)
        life = asyncio.create_task(self._start_and_watch(supervisor, web, path))
        _on_signals(life, supervisor)
        try:
            await life
        except asyncio.CancelledError:
            self._console.event("info", "stopping")
            return 0
        except ChildEnded as end:
            self._console.event("critical", f"{end}, so the box stops; start it again")
        finally:
            await supervisor.stop()
        return 1

    async def _start_and_watch(
        self, supervisor: Supervisor, web: socket.socket, path: Path | None
    ) -> None:
        setup_token, server = await self._prepare(supervisor)
        if path:
            command = valkey.command(server, path)
            await supervisor.start("valkey", command, last=True, quiet=True)
            await supervisor.during(valkey.answers(path))
        gunicorn = ("gunicorn", "-c", "python:switchboard.box.gunicorn")
        bind = ("--bind", f"fd://{web.fileno()}")
        await supervisor.start("web", _python(*gunicorn, *bind, "wsgi:app"), fds=[web.fileno()])
        await supervisor.start("worker", _python("jobs.worker"))
        await supervisor.start("cron", _python("jobs.cron"))
        if self._settings.receives_mail:
            await supervisor.start("smtp", _python("switchboard.smtp"))
        if self._extra:
            fds = [each.fileno() for each in self._extra.sockets]
            await supervisor.start(self._extra.name, self._extra.command, fds=fds)
        await supervisor.during(answers(web))
        self._say_ready(setup_token)
        await supervisor.during(asyncio.Event().wait())

    async def _prepare(self, supervisor: Supervisor) -> tuple[str | None, str]:
        """The setup token, if an account is wanted, and the path of the embedded Valkey's program."""
        _, said = await supervisor.output_of("prepare", _python("switchboard.box.prepare"))
        found = json.loads(said or '{"refused": "The database was not made ready, see above."}')
        if "refused" in found:
            raise Refused(found["refused"])
        if self._extra:
            code, _ = await supervisor.output_of(self._extra.name, self._extra.prepare)
            if code:
                raise Refused(f"The {self._extra.name} was not made ready, see above.")
            return None, found["valkey"]
        return found["setup_token"], found["valkey"]

    def _say_keys(self, made: Sequence[Path]) -> None:
        for path in made:
            self._console.say(f"A fresh key was written to {path}: keep a copy with your backups.")

    def _say_ready(self, setup_token: str | None) -> None:
        url, say = self._settings.base_url, self._console.say
        say("", f"Switchboard {__version__} is at {url}", "")
        if setup_token:
            say(f"  First account  {url}/setup?token={setup_token}")
        for words in self._extra.words(self._settings.data) if self._extra else ():
            say(f"  {words}")
        say(f"  Data           {self._settings.data}", "  To stop        press Ctrl-C", "")


def _leave_on_signals() -> None:
    """Until there is something to stop in order, a signal just ends the start, and that well."""

    def leave(*_: object) -> None:
        raise SystemExit(0)

    for number in _signals():
        signal.signal(number, leave)


def _signals() -> list[signal.Signals]:
    """What ends the box; not a hang-up that is ignored already, which is what nohup asks for."""
    hang_up = [] if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN else [signal.SIGHUP]
    return [signal.SIGINT, signal.SIGTERM, *hang_up]


def _on_signals(life: asyncio.Task[None], supervisor: Supervisor) -> None:
    """The first signal stops the box in order, another one at once."""

    def stop() -> None:
        if not life.cancel():
            supervisor.kill()

    loop = asyncio.get_running_loop()
    for number in _signals():
        loop.add_signal_handler(number, stop)


def _python(*module_and_arguments: str) -> list[str]:
    return [sys.executable, "-m", *module_and_arguments]
