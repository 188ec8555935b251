"""The delegates of an agent: other agents and models that people let it hand work to."""

from collections.abc import Sequence

import msgspec

from agent_contracts.api.delegates import DelegatesOfAgent, TriedDelegate
from agent_contracts.entities.delegates import (
    DELEGATES_KIND,
    DELEGATES_NAME,
    MOST_DELEGATES,
    Delegate,
    delegates_in,
)
from agent_contracts.errors import Rejected
from agent_contracts.ids import AgentId
from agent_contracts.questions.user_questions import TryDelegate
from agent_platform.entities.entity import Change, Entity, EntityKey, Write
from gateway.operations.agents.edits import Edits, expecting
from gateway.operations.agents.things import Things
from gateway.operations.agents.version_records import written
from gateway.operations.idempotency import IdempotentRequest
from gateway.operations.ports import KnownAgents, Runners


class Delegates(Things[AgentId, DelegatesOfAgent]):
    """Reads and writes them."""

    def __init__(self, edits: Edits, agents: KnownAgents, runners: Runners) -> None:
        super().__init__(edits, agents)
        self._runners = runners

    async def write(
        self, agent_id: AgentId, given: Sequence[Delegate], version: int | None, request: IdempotentRequest
    ) -> DelegatesOfAgent:
        """Let there be these, and no others. The same again makes no version.

        `Rejected` with the path of the first that can't be one, for two of one name, for more than
        `MOST_DELEGATES`, and with `conflict` if they aren't at `version` (None: any) any more.
        """
        key = await self._key(agent_id)
        _check(given)
        value = {"delegates": [msgspec.to_builtins(one) for one in given]}

        def decide(before: Entity | None) -> Change:
            expecting(version, before)
            return None if before is not None and before.value == value else Write(value)

        writer = self._edits.writer(request, key.subject, "write")
        return _shown((await self._edits.change(key, writer, request, decide)).after)

    async def try_out(self, agent_id: AgentId, name: str) -> TriedDelegate:
        """Ask one a short question, as the agent would. `Rejected` where there is none of this name, or it
        gives no answer, with why; a coding agent needs a session's workspace, and can't be asked without."""
        named = {one.name: one for one in (await self.read(agent_id)).delegates}
        if name not in named:
            raise Rejected(f"The agent has no delegate named {name!r}", kind="not_found", path="/name")
        if named[name].type == "acp":
            said = f"{name} runs in a session's workspace: try it in a chat, by `code_with`"
            raise Rejected(said, kind="invalid_request", path="/name")
        return TriedDelegate(answer=await self._runners.try_delegate(TryDelegate(agent_id, name)))

    async def _key(self, place: AgentId) -> EntityKey:
        await self._agents.require(place)
        return EntityKey(place, DELEGATES_KIND, DELEGATES_NAME)

    async def _shown(self, found: Entity | None, place: AgentId, at: int | None = None) -> DelegatesOfAgent:
        return _shown(found)


def _check(given: Sequence[Delegate]) -> None:
    if len(given) > MOST_DELEGATES:
        raise Rejected(f"An agent has at most {MOST_DELEGATES} delegates", kind="too_large")
    names = set[str]()
    for at, one in enumerate(given):
        path = f"/delegates/{at}"
        if one.name in names:
            message = f"Two delegates are named {one.name!r}"
            raise Rejected(message, kind="invalid_request", path=f"{path}/name")
        if one.flaw is not None:
            field, why = one.flaw
            message = f"The delegate {one.name!r} {why}"
            raise Rejected(message, kind="invalid_request", path=f"{path}/{field}")
        names.add(one.name)


def _shown(found: Entity | None) -> DelegatesOfAgent:
    delegates = delegates_in(found.value) if found is not None else ()
    return DelegatesOfAgent(delegates=list(delegates), **written(found))
