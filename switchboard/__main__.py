"""`python -m switchboard NOUN VERB …`: the command line's entry."""

from __future__ import annotations

from switchboard.cli.root import root

if __name__ == "__main__":
    root.main(prog_name="python -m switchboard")
