"""A source's day in small: one bar an hour, accepted, refused and failed stacked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from switchboard.inbound.activity import Hour

BAR, GAP, HEIGHT = 4, 1, 18
LEAST = 2  # so that one failure among a thousand is still seen
TONES = (("failed", "bad"), ("refused", "warn"), ("accepted", "good"))


@dataclass(frozen=True)
class Piece:
    """One rectangle, in user units from the top left."""

    x: int
    y: int
    height: int
    tone: str


@dataclass(frozen=True)
class Spark:
    """The picture, and the same in words."""

    pieces: tuple[Piece, ...]
    width: int
    height: int
    words: str


def draw(hours: Sequence[Hour]) -> Spark:
    """The picture of these hours, oldest first; the busiest fills the height."""
    most = max((hour.total for hour in hours), default=0)
    pieces = [
        piece
        for number, hour in enumerate(hours)
        for piece in _bar(hour, number * (BAR + GAP), most)
    ]
    return Spark(tuple(pieces), len(hours) * (BAR + GAP) - GAP, HEIGHT, _words(hours))


def _bar(hour: Hour, x: int, most: int) -> list[Piece]:
    pieces, top = [], HEIGHT
    for name, tone in TONES:
        if count := getattr(hour, name):
            height = min(top, max(LEAST, round(count / most * HEIGHT)))
            top -= height
            pieces.append(Piece(x, top, height, tone))
    return pieces


def _words(hours: Sequence[Hour]) -> str:
    said = [
        f"{total} {name}"
        for name in ("accepted", "refused", "failed")
        if (total := sum(getattr(hour, name) for hour in hours))
    ]
    return f"The last {len(hours)} hours: {', '.join(said) or 'nothing arrived'}"
