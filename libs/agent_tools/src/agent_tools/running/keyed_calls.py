"""Calls under an idempotency key from outside of any turn: each runs once, and the log keeps its answer."""

import asyncio
from datetime import datetime, timedelta

import msgspec
import structlog

from agent_contracts.entities.definitions import OWN_TIMEOUT_S
from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.tool_answers import KeyedCall, ToolAnswer
from agent_contracts.errors import Conflict, ErrorKind, Failure
from agent_contracts.event_sources import Actor
from agent_contracts.ids import AgentId, CallId
from agent_contracts.json_value import Json
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import Entity, EntityKey, EntityWriter
from agent_platform.process.clock import Clock
from agent_tools.running.failures import outcome_unknown

_LONGEST = timedelta(seconds=OWN_TIMEOUT_S + 20)
"""After this a function's call without an answer is taken to have died with its runner."""
_LOOK_AGAIN_S = 0.25

log = structlog.get_logger()


def call_key(agent_id: AgentId, call_id: CallId) -> EntityKey:
    """Where such a call is kept."""
    return EntityKey(agent_id, EntityKind.CALL, call_id)


class KeyedCalls:
    """An entity each: written once when it begins, which one runner can, and again with its answer."""

    def __init__(self, entities: Entities, clock: Clock) -> None:
        self._entities = entities
        self._clock = clock

    async def begin(self, key: EntityKey, made: KeyedCall) -> int | None:
        """Claim the call; the claim's event. None if it was claimed before, here or elsewhere."""
        try:
            return await self._write(key, made, expect=0)
        except Conflict:
            return None

    async def end(self, key: EntityKey, claim: int, made: KeyedCall, answer: ToolAnswer) -> None:
        """Keep the answer. Where that fails, a repeat is told that the outcome is unknown."""
        error = answer.error
        if error is not None and error.kind == ErrorKind.OUTCOME_UNKNOWN:
            log.warning("call.outcome_unknown", call_id=key.name, reason=error.message)
        try:
            await self._write(key, msgspec.structs.replace(made, answer=answer), expect=claim)
        except Failure as failure:
            log.error("call.answer_not_kept", call_id=key.name, reason=failure.message)

    async def answer(self, key: EntityKey, request: str, longest: timedelta = _LONGEST) -> ToolAnswer | None:
        """How an earlier call under the key ended, once it has; None if there was none.

        One that asked for something else is answered at once, with nothing but its `request`. One that has
        been in hand for longer than a call can be, `longest`, died with its runner: its outcome stays
        unknown.
        """
        while (entity := await self._entities.current(key)) is not None:
            found = msgspec.convert(entity.value, KeyedCall)
            if found.request != request:
                return ToolAnswer(request=found.request)
            if found.answer is not None:
                return found.answer
            if self._clock.now() - datetime.fromisoformat(entity.time) > longest:
                await self._give_up(entity, found)
            else:
                await asyncio.sleep(_LOOK_AGAIN_S)
        return None

    async def _give_up(self, entity: Entity, found: KeyedCall) -> None:
        unknown = ToolAnswer(error=outcome_unknown("the runner that called it died"), request=found.request)
        await self.end(entity.key, entity.sequence, found, unknown)

    async def _write(self, key: EntityKey, value: KeyedCall, *, expect: int) -> int:
        writer = EntityWriter(self._clock.new_id("e"), Actor.SERVICE, call_id=CallId(key.name))
        made: Json = msgspec.json.decode(msgspec.json.encode(value))
        changed = await self._entities.write(key, made, writer, expect=expect)
        return changed.sequence or 0
