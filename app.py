"""The whole box: `python app.py [--host H] [--port P] [--workers N] [--demo]`.

Starts Valkey, web, workers and cron on the settings of the environment and ends them together. Also
what `flask --app app …` finds the application by. A larger site starts the parts by hand instead:
`gunicorn -c python:switchboard.box.gunicorn wsgi:app`, `python -m jobs.worker`, `python -m jobs.cron`.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from switchboard import create_app
from switchboard.box.lock import Refused
from switchboard.box.run import Box, Extra
from switchboard.config import PREFIX, ROOT
from switchboard.errors import SettingsError

__all__ = ["create_app"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the box. 0: stopped by a signal; 1: refused, or a part of it ended; 2: bad settings."""
    options = _parser().parse_args(arguments)
    os.chdir(ROOT)  # relative paths in settings mean the same to every process
    os.umask(0o077)  # database, keys and socket are for this user alone
    environ = dict(os.environ)
    for name in ("host", "workers"):
        if (given := getattr(options, name)) is not None:
            environ[PREFIX + name.upper()] = str(given)
    try:
        return Box(environ, options.port, _demo(environ) if options.demo else None).run()
    except SettingsError as error:
        print(f"Switchboard cannot start: {error}", file=sys.stderr)
        return 2
    except Refused as error:
        print(f"Switchboard cannot start: {error}", file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Run the whole of Switchboard until Ctrl-C.")
    parser.add_argument("--host", help="address to listen on (SWITCHBOARD_HOST)")
    parser.add_argument("--port", type=_port, help="port; 0 is any free one (SWITCHBOARD_PORT)")
    parser.add_argument("--workers", type=int, help="how many workers (SWITCHBOARD_WORKERS)")
    parser.add_argument(
        "--demo", action="store_true", help="a fresh instance that shows one delivery answered"
    )
    return parser


def _port(text: str) -> int:
    port = int(text)
    if not 0 <= port < 65_536:
        raise argparse.ArgumentTypeError("a port is a number from 0 to 65535")
    return port


def _demo(environ: dict[str, str]) -> Extra:
    from switchboard.demo.setup import extra  # late: a box in earnest needs none of it

    return extra(environ)


if __name__ == "__main__":
    sys.exit(main())
