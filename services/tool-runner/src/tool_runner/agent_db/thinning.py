"""Which snapshots of a database are kept as they age."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from agent_contracts.entities.database_snapshots import DatabaseSnapshot

NEWEST = 3
"""Snapshots that are kept however many there are."""
HOURLY = timedelta(days=1)
"""For so long one snapshot of each hour is kept; after that one of each day."""
DAYS = 31
"""For so many days, unless `FOLDLINE_AGENT_SNAPSHOT_DAYS` says otherwise."""


def thinned(
    kept: Sequence[DatabaseSnapshot],
    points: Sequence[int],
    now: datetime,
    days: int = DAYS,
    most_bytes: int = 0,
) -> tuple[DatabaseSnapshot, ...]:
    """Those to keep: the newest few, one of each hour of the last day, one of each day for `days` days, and
    the one before each of `points`. Of each hour and day the newest is kept.

    Over `most_bytes` (0: no bound) the oldest that no point needs go too; the newest one always stays.
    """
    ordered = sorted(kept, key=lambda one: one.sequence)
    needed = {_before(ordered, point) for point in points} - {None}
    slots: dict[tuple[str, str], DatabaseSnapshot] = {}
    for one in ordered:
        if slot := _slot(one, now, days):
            slots[slot] = one
    chosen = {one.sequence for one in (*ordered[-NEWEST:], *slots.values())} | needed
    left = [one for one in ordered if one.sequence in chosen]
    size = sum(one.size for one in left)
    for one in left[:-1]:
        if not most_bytes or size <= most_bytes:
            break
        if one.sequence not in needed:
            chosen.discard(one.sequence)
            size -= one.size
    return tuple(one for one in left if one.sequence in chosen)


def _slot(one: DatabaseSnapshot, now: datetime, days: int) -> tuple[str, str] | None:
    at = datetime.fromisoformat(one.at)
    age = now - at
    if age < HOURLY:
        return "hour", f"{at:%Y-%m-%dT%H}"
    return ("day", f"{at:%Y-%m-%d}") if age < timedelta(days=days) else None


def _before(ordered: Sequence[DatabaseSnapshot], point: int) -> int | None:
    return max((one.sequence for one in ordered if one.sequence <= point), default=None)
