"""The tools that a person pinned: an agent's models get their definitions with each request."""

import difflib
import re
from collections.abc import Sequence
from typing import Protocol

from agent_contracts.definitions import TOOL
from agent_contracts.errors import Rejected
from agent_contracts.ids import AgentId
from agent_contracts.pinned_tools import MOST_PINNED, PINNED_KIND, PINNED_NAME, pinned_in
from agent_platform.entities.entity import Change, Entity, EntityKey, Write
from gateway.operations.agents.edits import Edits, Target, expecting
from gateway.operations.agents.written import Versions, Written, versions, written
from gateway.operations.asked import Asked
from gateway.operations.ports import KnownAgents

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


class PinnedTools(Written):
    """Their names, in order."""

    names: list[str]


class BuiltInTools(Protocol):
    """Who knows the tools that every agent has."""

    async def names(self) -> Sequence[str]:
        """Their names now."""
        ...


class Pins:
    """Pins and unpins. `Rejected(kind="not_found")` where there is no such agent or version."""

    def __init__(self, edits: Edits, agents: KnownAgents, built_in: BuiltInTools) -> None:
        self._edits = edits
        self._agents = agents
        self._built_in = built_in

    async def read(self, agent_id: AgentId, at: int | None = None) -> PinnedTools:
        """Which are pinned now, or were after event `at`."""
        key, entities = await self._key(agent_id), self._edits.entities
        return _shown(await (entities.current(key) if at is None else entities.as_of(key, at)))

    async def write(
        self, agent_id: AgentId, names: Sequence[str], version: int | None, request: Asked
    ) -> PinnedTools:
        """Pin these, and no others. The same again makes no version.

        `Rejected` for a name that no tool has (unless it is pinned already), for more than `MOST_PINNED`, and
        with `conflict` if they aren't at `version` (None: any) any more; nothing changes then.
        """
        key = await self._key(agent_id)
        wanted = sorted(set(names))
        if len(wanted) > MOST_PINNED:
            raise Rejected(
                f"At most {MOST_PINNED} tools can be pinned: each costs tokens in every request",
                kind="too_large",
            )
        await self._check(agent_id, wanted, _shown(await self._edits.entities.current(key)).names)

        def decide(before: Entity | None) -> Change:
            expecting(version, before)
            return None if _shown(before).names == wanted else Write({"names": wanted})

        writer = self._edits.writer(request, key.subject, "write")
        return _shown((await self._edits.change(key, writer, request, decide)).after)

    async def versions(self, agent_id: AgentId, before: int | None, limit: int) -> Versions:
        """Who pinned and unpinned, newest first."""
        return versions(await self._edits.page(await self._key(agent_id), before, limit))

    async def revert(self, agent_id: AgentId, target: Target, request: Asked) -> PinnedTools:
        """Pin what was pinned at an earlier version. Nothing is taken out of the history."""
        changed = await self._edits.revert(await self._key(agent_id), request, target)
        return _shown(changed.after)

    async def _check(self, agent_id: AgentId, wanted: Sequence[str], pinned: Sequence[str]) -> None:
        new = [name for name in wanted if name not in pinned]
        if not new:
            return
        own = await self._edits.entities.list(agent_id, TOOL.kind)
        known = {*await self._built_in.names(), *(entity.key.name for entity in own)}
        for name in new:
            if name not in known:
                near = difflib.get_close_matches(name[:100], known, n=1, cutoff=0.6)
                hint = f"; did you mean {near[0]}?" if near else ""
                shown = name if _NAME.fullmatch(name) else name[:64].encode("unicode_escape").decode()
                raise Rejected(f"There is no tool named {shown!r}{hint}", kind="not_found", path="/names")

    async def _key(self, agent_id: AgentId) -> EntityKey:
        await self._agents.require(agent_id)
        return EntityKey(agent_id, PINNED_KIND, PINNED_NAME)


def _shown(found: Entity | None) -> PinnedTools:
    return PinnedTools(names=sorted(pinned_in(found.value)) if found else [], **written(found))
