"""Whether a terminal shows an agent, or the shell that is left when the agent has ended.

What is pasted to a waiting shell and followed by Enter is a command: such a pane is nobody to answer.
"""

from __future__ import annotations

from pathlib import Path, PurePath

SHELLS = frozenset(
    (
        "ash",
        "bash",
        "csh",
        "dash",
        "elvish",
        "fish",
        "ksh",
        "mksh",
        "nu",
        "pwsh",
        "sh",
        "tcsh",
        "xonsh",
        "zsh",
    )
)
_PROC = Path("/proc")
_TPGID = 5  # of the fields behind the name in `stat`: the foreground process group of its terminal
_COMMAND_GIVEN = ("-c", "--command", "-Command")


def a_shell_waits(pid: int, command: str) -> bool:
    """Whether a shell without a script is in front in the terminal of process `pid`.

    `command` is the name tmux gives for what is in front: it decides where the kernel does not tell the
    arguments (not Linux, a server in another container); a shell with a script counts as waiting then.
    """
    arguments = _in_front(pid)
    if arguments is None:
        return _is_shell(command)
    options = arguments[1:]
    return _is_shell(arguments[0]) and all(_is_option(each) for each in options)


def _is_shell(program: str) -> bool:
    return PurePath(program).name.lstrip("-") in SHELLS  # a login shell's name begins with a dash


def _is_option(argument: str) -> bool:
    """Whether an argument leaves a shell waiting: `-i` and `--norc` do, `-c` and a script's name do not."""
    if not argument.startswith("-"):
        return False
    short = not argument.startswith("--")
    return argument not in _COMMAND_GIVEN and not (short and "c" in argument)


def _in_front(pid: int) -> list[str] | None:
    """The arguments of the leader of the foreground group of `pid`'s terminal; None where nobody says."""
    try:
        behind_name = (_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
        leader = int(behind_name[_TPGID])
        told = (_PROC / str(leader) / "cmdline").read_bytes()
    except (OSError, ValueError, IndexError):
        return None
    arguments = told.decode("utf-8", "replace").rstrip("\0").split("\0")
    return arguments if arguments[0] else None
