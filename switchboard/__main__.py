"""`python -m switchboard NOUN VERB …`: the command line's entry."""

from __future__ import annotations

import logging

from switchboard.cli.root import root

if __name__ == "__main__":
    # a command says in its own words what matters; that Valkey is away matters to doctor alone
    logging.getLogger("switchboard").setLevel(logging.ERROR)
    root.main(prog_name="python -m switchboard")
