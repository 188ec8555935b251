"""Tools that a person chose for something, by name: one entity for each such thing."""

import re
from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import TypeVar

from agent_contracts.api.tool_names import ChosenTools
from agent_contracts.entities.chosen_tools import CHOSEN_KIND, names_in
from agent_contracts.errors import Rejected
from agent_contracts.ids import AgentId
from agent_contracts.json_value import Json
from agent_contracts.nearest import nearest
from agent_platform.entities.entity import Change, Entity, EntityKey, Write
from gateway.operations.agents.edits import expecting
from gateway.operations.agents.things import Things
from gateway.operations.idempotency import IdempotentRequest

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


C = TypeVar("C", bound=ChosenTools)


class ToolNames(Things[AgentId, C]):
    """Reads and writes which are chosen. At most so many, or `too_many` says why not."""

    name: str
    most: int
    too_many: str

    @abstractmethod
    async def known(self, agent_id: AgentId) -> set[str]:
        """The names that can be chosen."""

    @abstractmethod
    def _chosen(self, found: Entity | None) -> C:
        """The choice, as those see it who read it."""

    @abstractmethod
    def _value(self, names: list[str], before: Entity | None) -> Json:
        """What is kept where these are chosen after `before`."""

    async def write(
        self, agent_id: AgentId, names: Sequence[str], version: int | None, request: IdempotentRequest
    ) -> C:
        """Choose these, and no others. The same again makes no version.

        `Rejected` for a name that no tool has (unless it is chosen already), for too many, and with
        `conflict` if they aren't at `version` (None: any) any more; nothing changes then.
        """
        return await self._choose(agent_id, names, self._value, version, request)

    async def _choose(
        self,
        agent_id: AgentId,
        names: Sequence[str],
        value: Callable[[list[str], Entity | None], Json],
        version: int | None,
        request: IdempotentRequest,
    ) -> C:
        key = await self._key(agent_id)
        wanted = sorted(set(names))
        if len(wanted) > self.most:
            raise Rejected(self.too_many, kind="too_large")
        await self._check(agent_id, wanted, self._names(await self._edits.entities.current(key)))

        def decide(before: Entity | None) -> Change:
            expecting(version, before)
            new = value(wanted, before)
            return None if new == (before.value if before else {"names": []}) else Write(new)

        writer = self._edits.writer(request, key.subject, "write")
        return self._chosen((await self._edits.change(key, writer, request, decide)).after)

    async def _check(self, agent_id: AgentId, wanted: Sequence[str], chosen: Sequence[str]) -> None:
        new = [name for name in wanted if name not in chosen]
        known = await self.known(agent_id) if new else set()
        for name in new:
            if name not in known:
                near = nearest(name, known)
                hint = f"; did you mean {near}?" if near else ""
                shown = name if _NAME.fullmatch(name) else name[:64].encode("unicode_escape").decode()
                raise Rejected(f"There is no tool named {shown!r}{hint}", kind="not_found", path="/names")

    async def _key(self, place: AgentId) -> EntityKey:
        await self._agents.require(place)
        return EntityKey(place, CHOSEN_KIND, self.name)

    async def _shown(self, found: Entity | None, place: AgentId, at: int | None = None) -> C:
        return self._chosen(found)

    def _names(self, found: Entity | None) -> list[str]:
        return sorted(names_in(found.value, self.most)) if found else []
