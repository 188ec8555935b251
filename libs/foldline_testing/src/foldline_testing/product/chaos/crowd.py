"""Many sessions at once on one stack, followed by one reader of everything."""

import asyncio
import uuid
from collections import Counter
from dataclasses import dataclass

from agent_contracts.log.address import Address
from agent_contracts.session_events import results
from foldline_testing.product.chaos.conversation import Told, check, tell
from foldline_testing.product.chaos.follower import Follower
from foldline_testing.product.chaos.invariants import Calls
from foldline_testing.product.chaos.stage import Stage

_PATIENCE_S = 30.0
_SHOWN = 9
_CHECKED_AT_ONCE = 8


@dataclass(frozen=True)
class Crowd:
    """What came of it: what is broken, how calls ended, by which runner, and the seconds the telling took."""

    broken: list[str]
    calls: list[Calls]
    by_runner: Counter[str]
    took_s: float

    @property
    def unknown(self) -> int:
        """How many external calls ended with unknown outcome."""
        return sum(calls.unknown for calls in self.calls)


async def tell_crowd(stage: Stage, sessions: int, turns: int, patience_s: float = _PATIENCE_S) -> Crowd:
    """Tell so many sessions of so many turns at once; then check each, and the joined stream of all."""
    prefix = uuid.uuid4().hex[:6]
    names = [f"{prefix}c{number}" for number in range(sessions)]
    loop = asyncio.get_running_loop()
    async with stage.client() as client, stage.view() as view:
        began = loop.time()
        async with Follower(client, None) as follower:
            told = await asyncio.gather(*(tell(client, follower, name, turns, patience_s) for name in names))
            took_s = loop.time() - began
            await follower.until_seen(Address(await view.log.last_sequence()), patience_s)
            stored = await view.addresses()
            await follower.until_seen(stored[-1], patience_s)
            joined = follower.addresses[: len(stored)]
        broken = [] if joined == stored else [_differs(joined, stored)]
        acts = stage.acts.by_call()
        few = asyncio.Semaphore(_CHECKED_AT_ONCE)

        async def checked(one: Told) -> tuple[tuple[str, ...], Calls]:
            async with few:
                found = await check(one, client, view, acts)
                return found.broken, found.calls

        found = await asyncio.gather(*map(checked, told))
        by_runner = Counter(
            [
                one.event.runner
                for story in told
                for one in await view.events(story.session_id)
                if isinstance(one.event, results.ToolCallCompleted)
            ]
        )
    broken += [one for session, _ in found for one in session]
    return Crowd(broken, [calls for _, calls in found], by_runner, took_s)


def _differs(joined: list[Address], stored: list[Address]) -> str:
    missing, astray = sorted(set(stored) - set(joined)), sorted(set(joined) - set(stored))
    return f"I7: joined {len(joined)}, stored {len(stored)}; missing {_told(missing)}, astray {_told(astray)}"


def _told(addresses: list[Address]) -> str:
    return ", ".join(map(str, addresses[:_SHOWN]))
