"""How fast a model is: by what nine of ten answers don't exceed, so that slow ones aren't hidden."""

from collections.abc import Sequence
from typing import Any, cast

from gateway.queries.activity import models
from gateway.queries.database import ProjectionSnapshot


class Snapshot:
    """Gives these rows, as the database groups them: by model and kind of failure."""

    def __init__(self, *rows: tuple[str, Sequence[int], Sequence[int]]) -> None:
        self._rows = [
            {
                "name": "openai/a",
                "kind": kind,
                "calls": len(took),
                "first_token_ms": first,
                "latency_ms": took,
            }
            for kind, first, took in rows
        ]

    async def rows(self, _: str, **given: Any) -> list[dict[str, Any]]:
        return self._rows


async def pace(*rows: tuple[str, Sequence[int], Sequence[int]]) -> tuple[int | None, int | None, int]:
    found = (await models(cast(ProjectionSnapshot, Snapshot(*rows)), 300))["openai/a"]
    return found.first_token_ms, found.call_ms, found.calls


async def test_two_slow_answers_of_ten_are_the_pace_and_one_isnt() -> None:
    assert await pace(("", [300] * 8 + [20_000] * 2, [900] * 8 + [30_000] * 2)) == (20_000, 30_000, 10)
    assert await pace(("", [300] * 9 + [20_000], [900] * 9 + [30_000])) == (300, 900, 10)
    assert await pace(("", [20_000], [30_000])) == (20_000, 30_000, 1)


async def test_what_failed_says_nothing_of_the_pace() -> None:
    assert await pace(("", [300], [900]), ("timeout", [], [120_000])) == (300, 900, 2)
    assert await pace(("timeout", [], [120_000])) == (None, None, 1)
