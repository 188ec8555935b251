"""Changes that last beyond a session, judged before a run makes them."""

from agent_contracts.entities.entity import EntityWritten
from agent_contracts.json_value import Json
from agent_contracts.policies import Verdict
from agent_contracts.tool_spec import ToolSpec
from agent_domain.policies.policy_request import change_of
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey
from agent_tools.context import CallContext
from agent_tools.running.gate import RequestGate

MOST_LOOKED_AT = 50
"""Versions of a thing, from the newest on, in which is looked for how it was made."""


class JudgedChanges:
    """`LastingChanges` by the call's own policy gate."""

    def __init__(self, gate: RequestGate, entities: Entities, call: CallContext) -> None:
        self._gate = gate
        self._entities = entities
        self._call = call

    async def require(
        self, tool: ToolSpec, arguments: dict[str, Json], changes: EntityKey | None = None
    ) -> None:
        """See `LastingChanges`. Without a session (a page's button) nobody is asked, but a *deny* counts."""
        asked = change_of(tool, lasting=True)
        judged = await self._gate.judged(asked)
        if judged.verdict is Verdict.ALLOW:
            return
        if judged.verdict is Verdict.ASK:
            if self._call.session is None:
                return
            if changes is not None and await self._is_of_this_session(changes):
                asked = change_of(tool, lasting=False)
        await self._gate.require_call(asked, arguments)

    async def _is_of_this_session(self, key: EntityKey) -> bool:
        """Whether this session made it, with material from outside: then that can have no more undone than it
        had done. What a person brought, or had made before, is another matter."""
        entity = await self._entities.current(key)
        if entity is None:
            return True  # nothing is lost
        seen = 0
        async for one in self._entities.versions(key):
            event, seen = one.event, seen + 1
            if isinstance(event, EntityWritten) and event.version == 1:
                return event.session_id == self._call.session and bool(event.outside)
            if seen == MOST_LOOKED_AT:
                break
        return False
