"""Of the calls that act outside, an agent makes so many in a minute: the others are over at once."""

from collections.abc import Sequence

import msgspec

from agent_contracts.errors import ErrorKind, ToolError
from agent_contracts.ids import AgentId
from agent_contracts.session_events.results import ResolvedCall
from agent_contracts.tool_spec import Effect
from agent_domain.budgets.pace import RateLimit

_OUTSIDE = (Effect.EXTERNAL, Effect.EXTERNAL_IDEMPOTENT)


async def paced(
    calls: Sequence[ResolvedCall], agent_id: AgentId, most: int | None, pace: RateLimit
) -> tuple[ResolvedCall, ...]:
    """The calls as they are to be recorded; of those that would act outside, the first so many may run."""
    wanted = sum(map(_acts, calls))
    if most is None or not wanted:
        return tuple(calls)
    left = await pace.take(agent_id, wanted, most)
    found = []
    for call in calls:
        if _acts(call):
            left -= 1
            if left < 0:
                call = msgspec.structs.replace(call, error=_too_many(most, pace.seconds_left()))
        found.append(call)
    return tuple(found)


def _acts(call: ResolvedCall) -> bool:
    return call.effect in _OUTSIDE and call.error is None and call.result is None


def _too_many(most: int, seconds: int) -> ToolError:
    return ToolError(
        ErrorKind.TOO_OFTEN,
        f"this call did not run: an agent makes at most {most} calls in a minute that act outside. The next "
        f"minute begins in {seconds} seconds. Do several things in one call, or fewer; the user can raise "
        "the bound (external_calls_limit)",
        retryable=True,
    )
