"""The agents there are: one entity each, and one agent that is always there."""

import asyncio

import msgspec
import structlog

from agent_contracts.api.agents import MAX_NAME, Agent
from agent_contracts.api.wire import Page
from agent_contracts.entities.agent_settings import SYSTEM_AGENT
from agent_contracts.entities.agent_texts import DEFAULT_AGENT, SYSTEM_PROMPT
from agent_contracts.entities.bisections import is_probe
from agent_contracts.entities.entity import EntityKind
from agent_contracts.errors import Failure, Permanent, Rejected, Transient
from agent_contracts.event_sources import Actor
from agent_contracts.ids import AgentId
from agent_contracts.json_value import Json
from agent_domain.text_edits import check_size
from agent_platform.entities.entity import (
    Change,
    Delete,
    Entity,
    EntityChange,
    EntityKey,
    EntityWriter,
    InitialEntity,
    Write,
)
from agent_platform.observing.health import Check
from agent_platform.process.clock import Clock, rfc3339
from agent_platform.process.interruption import Interruption
from gateway.operations.agents.beginnings import beginning
from gateway.operations.agents.edits import Edits
from gateway.operations.idempotency import IdempotentRequest

log = structlog.get_logger()

_AGAIN_S = 1.0


class NewAgent(msgspec.Struct, frozen=True):
    """A new agent. Without an `id` it gets one; without a `prompt`, the built-in one; unless `starters` is
    false, tools, a page and a skill that are its own from then on."""

    name: str
    id: AgentId | None = None
    prompt: str | None = None
    starters: bool = True


class AgentRegistry:
    """Reads and makes agents, straight in the log."""

    def __init__(self, edits: Edits, clock: Clock, log_is_whole: Check) -> None:
        """`log_is_whole` raises if the log lost something: the agent that is missing may be what it lost."""
        self._edits = edits
        self._clock = clock
        self._log_is_whole = log_is_whole

    async def require(self, agent_id: AgentId) -> None:
        """`Rejected(kind="not_found")` if there is no such agent, or it was deleted."""
        if agent_id != DEFAULT_AGENT:
            await self._found(agent_id)

    async def find(self, agent_id: AgentId) -> Agent:
        """The agent; `Rejected(kind="not_found")` if there is none."""
        return _agent(await self._found(agent_id))

    async def list(self) -> Page[Agent]:
        """All of them, by id."""
        found = await self._edits.entities.list_of_everyone(EntityKind.AGENT)
        return Page[Agent](items=[_agent(entity) for entity in found if not is_probe(entity.key.agent_id)])

    async def make(self, new: NewAgent, request: IdempotentRequest) -> Agent:
        """Make an agent with its prompt and the starters, all or nothing.

        Of what there was under its id before, nothing is replaced. `Rejected(kind="conflict")` if the id is
        taken; a repeat of the same key gets the agent as it was made.
        """
        check_name(new.name)
        if new.prompt is not None:
            check_size(new.prompt)
        if new.id == SYSTEM_AGENT or (new.id is not None and is_probe(new.id)):
            raise Rejected(f"The id {new.id} is reserved: choose another one.", kind="invalid_id")
        agent_id = AgentId(new.id or request.derived_id("a", "agents") or self._clock.new_id("a"))
        writer = self._edits.writer(request, "agents", "create")
        text = SYSTEM_PROMPT.initial if new.prompt is None else new.prompt
        more = beginning(agent_id, text, writer, starters=new.starters)
        first = InitialEntity(key_of(agent_id), self._value(new.name), writer)
        changed = await self._edits.make(first, more, request)
        if changed.sequence is None:
            raise Rejected(f"There is an agent {agent_id} already; choose another id", kind="conflict")
        return _made(changed)

    async def rename(self, agent_id: AgentId, name: str, request: IdempotentRequest) -> Agent:
        """Give an agent another name; its id stays."""
        check_name(name)
        await self._found(agent_id)

        def decide(before: Entity | None) -> Change:
            value = before.value if before else self._value(name)
            return None if value["name"] == name and before else Write({**value, "name": name})

        writer = self._edits.writer(request, "agents", agent_id, "rename")
        return _made(await self._edits.change(key_of(agent_id), writer, request, decide))

    async def delete(self, agent_id: AgentId, request: IdempotentRequest) -> EntityChange:
        """Delete an agent, which is then found no more; one made under its id has its prompt and state again.

        `Rejected`: `not_found` if there never was one, `conflict` for the agent that is always there.
        """
        if agent_id == DEFAULT_AGENT:
            raise Rejected(f"Agent {agent_id} always exists and can't be deleted", kind="conflict")
        key = key_of(agent_id)
        if not (await self._edits.entities.history(key)):
            raise Rejected(f"There is no agent {agent_id}", kind="not_found")
        writer = self._edits.writer(request, "agents", agent_id, "delete")
        return await self._edits.change(key, writer, request, lambda _: Delete())

    async def make_default(self) -> None:
        """Make the agent that is always there, with the built-in prompt as version 1 and the starters, unless
        it is there. Never over a log that lost something: that raises what is missing."""
        key = key_of(DEFAULT_AGENT)
        if await self._edits.entities.current(key) is not None:
            return
        await self._log_is_whole()
        writer = EntityWriter(f"first:{key.subject}", Actor.SERVICE)
        more = beginning(DEFAULT_AGENT, SYSTEM_PROMPT.initial, writer, starters=True)
        changed = await self._edits.entities.make(
            InitialEntity(key, self._value(DEFAULT_AGENT), writer), more
        )
        if changed.sequence is not None and not changed.repeated:
            log.info("agent.made", agent_id=DEFAULT_AGENT, sequence=changed.sequence)

    async def default_is_there(self) -> None:
        """A check of health: raises until the agent that is always there was made."""
        if await self._edits.entities.current(key_of(DEFAULT_AGENT)) is None:
            await self._log_is_whole()
            raise Transient(f"Agent {DEFAULT_AGENT} is not made yet")

    async def keep_default(self) -> None:
        """`make_default` as soon as the log can be reached."""
        interruption = Interruption("default_agent", agent_id=DEFAULT_AGENT)
        while True:
            try:
                await self.make_default()
                interruption.over()
                return
            except Transient as error:
                interruption.hit(error.message)
                await asyncio.sleep(error.retry_after or _AGAIN_S)
            except Failure as error:
                log.error("agent.not_made", agent_id=DEFAULT_AGENT, kind=error.kind, reason=error.message)
                return

    async def _found(self, agent_id: AgentId) -> Entity:
        found = await self._edits.entities.current(key_of(agent_id))
        if found is None and agent_id == DEFAULT_AGENT:
            await self.make_default()
            found = await self._edits.entities.current(key_of(agent_id))
        if found is None:
            raise Rejected(f"There is no agent {agent_id}", kind="not_found")
        return found

    def _value(self, name: str) -> dict[str, Json]:
        return {"name": name, "created_at": rfc3339(self._clock.now())}


def key_of(agent_id: AgentId) -> EntityKey:
    """Where an agent itself is stored: it is named by its id."""
    return EntityKey(agent_id, EntityKind.AGENT, agent_id)


def check_name(name: str) -> None:
    """`Rejected` for a text that can't be an agent's name."""
    if not name.strip() or len(name) > MAX_NAME:
        raise Rejected(f"A name has 1 to {MAX_NAME} characters, not only blanks", kind="invalid_request")


def _made(changed: EntityChange) -> Agent:
    if changed.after is None:
        raise Permanent("An agent is gone right after it was written", kind="internal")
    return _agent(changed.after)


def _agent(entity: Entity) -> Agent:
    return Agent(
        id=entity.key.agent_id,
        name=entity.value["name"],
        version=entity.version,
        created_at=entity.value["created_at"],
        updated_at=entity.time,
    )
