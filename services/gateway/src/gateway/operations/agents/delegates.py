"""The delegates of an agent: other agents and models that people let it hand work to."""

from collections.abc import Sequence
from typing import Any

import msgspec

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
from gateway.operations.agents.edits import Edits, Target, expecting
from gateway.operations.agents.written import Versions, Written, versions, written
from gateway.operations.asked import Asked
from gateway.operations.ports import KnownAgents, Runners
from gateway.queries.view import View


class DelegatesOfAgent(Written):
    """All of them, in order; none holds a secret's value."""

    delegates: list[dict[str, Any]]


class TriedDelegate(View):
    """What it answered, as text."""

    answer: str


class Delegates:
    """Reads and writes them. `Rejected(kind="not_found")` where there is no such agent or version."""

    def __init__(self, edits: Edits, agents: KnownAgents, runners: Runners) -> None:
        self._edits = edits
        self._agents = agents
        self._runners = runners

    async def read(self, agent_id: AgentId, at: int | None = None) -> DelegatesOfAgent:
        """Which there are now, or were after event `at`."""
        key, entities = await self._key(agent_id), self._edits.entities
        return _shown(await (entities.current(key) if at is None else entities.as_of(key, at)))

    async def write(
        self, agent_id: AgentId, given: Sequence[dict[str, Any]], version: int | None, request: Asked
    ) -> DelegatesOfAgent:
        """Let there be these, and no others. The same again makes no version.

        `Rejected` with the path of the first that can't be one, for two of one name, for more than
        `MOST_DELEGATES`, and with `conflict` if they aren't at `version` (None: any) any more.
        """
        key = await self._key(agent_id)
        value = {"delegates": [msgspec.to_builtins(one) for one in _checked(given)]}

        def decide(before: Entity | None) -> Change:
            expecting(version, before)
            return None if before is not None and before.value == value else Write(value)

        writer = self._edits.writer(request, key.subject, "write")
        return _shown((await self._edits.change(key, writer, request, decide)).after)

    async def try_out(self, agent_id: AgentId, name: str) -> TriedDelegate:
        """Ask one a short question, as the agent would. `Rejected` where there is none of this name, or it
        gives no answer, with why; a coding agent needs a session's workspace, and can't be asked without."""
        named = {str(one["name"]): one for one in (await self.read(agent_id)).delegates}
        if name not in named:
            raise Rejected(f"The agent has no delegate named {name!r}", kind="not_found", path="/name")
        if named[name]["type"] == "acp":
            said = f"{name} runs in a session's workspace: try it in a chat, by `code_with`"
            raise Rejected(said, kind="invalid_request", path="/name")
        return TriedDelegate(answer=await self._runners.try_delegate(TryDelegate(agent_id, name)))

    async def versions(self, agent_id: AgentId, before: int | None, limit: int) -> Versions:
        """Who changed them and when, newest first."""
        return versions(await self._edits.page(await self._key(agent_id), before, limit))

    async def revert(self, agent_id: AgentId, target: Target, request: Asked) -> DelegatesOfAgent:
        """Make an earlier version the newest. Nothing is taken out of the history."""
        return _shown((await self._edits.revert(await self._key(agent_id), request, target)).after)

    async def _key(self, agent_id: AgentId) -> EntityKey:
        await self._agents.require(agent_id)
        return EntityKey(agent_id, DELEGATES_KIND, DELEGATES_NAME)


def _checked(given: Sequence[dict[str, Any]]) -> list[Delegate]:
    if len(given) > MOST_DELEGATES:
        raise Rejected(f"An agent has at most {MOST_DELEGATES} delegates", kind="too_large")
    delegates: list[Delegate] = []
    for at, one in enumerate(given):
        path = f"/delegates/{at}"
        try:
            delegate = msgspec.convert(one, Delegate)
        except msgspec.ValidationError as error:
            raise Rejected(
                f"Delegate {at + 1} can't be: {error}", kind="invalid_request", path=path
            ) from error
        if any(other.name == delegate.name for other in delegates):
            message = f"Two delegates are named {delegate.name!r}"
            raise Rejected(message, kind="invalid_request", path=f"{path}/name")
        if delegate.flaw is not None:
            field, why = delegate.flaw
            message = f"The delegate {delegate.name!r} {why}"
            raise Rejected(message, kind="invalid_request", path=f"{path}/{field}")
        delegates.append(delegate)
    return delegates


def _shown(found: Entity | None) -> DelegatesOfAgent:
    delegates = delegates_in(found.value) if found is not None else ()
    return DelegatesOfAgent(delegates=[msgspec.to_builtins(one) for one in delegates], **written(found))
