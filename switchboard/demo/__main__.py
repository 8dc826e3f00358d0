"""The demo's process: `python -m switchboard.demo FD` is GitHub on that socket and plays the story."""

from __future__ import annotations

import logging
import socket
import sys
import threading

from switchboard.config import read_settings
from switchboard.demo import folder, github
from switchboard.demo.play import play
from switchboard.lib import logs

log = logging.getLogger("switchboard.demo")


def main() -> None:
    """Serve for as long as the box runs; the story is played once, as soon as the web answers."""
    settings = read_settings()
    logs.configure(settings["LOG_FORMAT"])
    server = github.server(socket.socket(fileno=int(sys.argv[1])))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    permalink = play(folder.read(settings.data), settings.base_url)
    log.info(
        "the story is told: %s/deliveries (the reply would be at %s)", settings.base_url, permalink
    )
    threading.Event().wait()


if __name__ == "__main__":
    main()
