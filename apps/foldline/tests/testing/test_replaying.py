"""A session that the engine would decide otherwise does not pass."""

from contextlib import contextmanager
from typing import Any

import pytest

from foldline_testing.product.replaying import every_session_replays


class Answering:
    """A Foldline with 250 sessions, of which one replays otherwise; a stack and its gateway in one."""

    def __init__(self, differing: str | None) -> None:
        self.differing = differing
        self.replayed: list[str] = []

    def wait_until_ready(self) -> None:
        """It is."""

    @contextmanager
    def gateway(self) -> Any:
        """Itself."""
        yield self

    def get(self, path: str, **params: Any) -> Any:
        """A page of sessions."""
        first = int(params["cursor"] or 0)
        after = min(first + params["limit"], 250)
        sessions = [{"id": f"s_{number}"} for number in range(first, after)]
        return {"items": sessions, "next_cursor": str(after) if after < 250 else None}

    def post(self, path: str, body: Any) -> Any:
        """A replay."""
        session = path.split("/")[2].partition(":")[0]
        self.replayed.append(session)
        return {"session_id": session, "difference": {"address": "7"} if session == self.differing else None}


def test_every_session_is_replayed() -> None:
    foldline = Answering(None)
    every_session_replays(foldline)  # type: ignore[arg-type]
    assert len(set(foldline.replayed)) == 250


def test_one_that_differs_is_told() -> None:
    with pytest.raises(AssertionError, match="s_249"):
        every_session_replays(Answering("s_249"))  # type: ignore[arg-type]
