"""Tools that compute, on one runner process and on two."""

from pathlib import Path

from bench.table import Figure, at_least
from foldline_testing.product.chaos.burning import burn

GROUP = "runners"
_BURN_MS = 150


async def measure(folder: Path, *, calls: int) -> list[Figure]:
    """One turn of many calls that only compute: with one runner, with two."""
    one = await burn(folder / "one", 1, calls, _BURN_MS)
    two = await burn(folder / "two", 2, calls, _BURN_MS)
    note = f"{calls} calls of one turn, {_BURN_MS} ms of processor time each"
    return [
        Figure(GROUP, "computing calls/s, 1 runner", calls / one.took_s, "1/s", note=note),
        Figure(GROUP, "computing calls/s, 2 runners", calls / two.took_s, "1/s"),
        Figure(GROUP, "2 runners against 1", one.took_s / two.took_s, "x", at_least(1.5)),
    ]
