"""Strict replay of everything that tests made a Foldline do."""

import time
from functools import partial
from typing import Any

from foldline.cli.client import Gateway
from foldline_testing.product.chaos.patience import patiently
from foldline_testing.product.stack import Stack

_PATIENCE_S = 120.0
_PAGE = 200


def every_session_replays(stack: Stack) -> None:
    """Replay each session of a running Foldline strictly; patiently, since a test may have killed Postgres,
    which has the list of them.

    Raises `AssertionError` where the engine would now decide otherwise, or where that takes longer than two
    minutes: then tests make too many sessions to look at.
    """
    stack.wait_until_ready()
    deadline = time.monotonic() + _PATIENCE_S
    differing = []
    with stack.gateway() as door:
        sessions = _sessions(door)
        for number, session in enumerate(sessions, 1):
            report = patiently(partial(door.post, f"/sessions/{session}:replay", {"mode": "strict"}))
            if report["difference"] is not None:
                differing.append(report)
            assert time.monotonic() < deadline, f"only {number} of {len(sessions)} sessions were replayed"
    assert differing == [], f"of {len(sessions)} sessions {len(differing)} replay otherwise: {differing[:3]}"


def _sessions(door: Gateway) -> list[str]:
    found: list[str] = []
    cursor: str | None = None
    while True:
        page: Any = patiently(partial(door.get, "/sessions", cursor=cursor, limit=_PAGE))
        found += [one["id"] for one in page["items"]]
        cursor = page["next_cursor"]
        if cursor is None:
            return found
