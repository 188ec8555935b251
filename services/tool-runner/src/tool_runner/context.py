"""What a tool gets besides its arguments."""

import asyncio
from dataclasses import dataclass
from typing import Any, Protocol

import structlog

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.ids import AgentId, CallId, SessionId
from agent_domain.secrets.vault import Vault
from agent_platform.blobs.port import Blobs
from agent_platform.entities.entities import Entities
from agent_platform.process.clock import Clock
from egress.guard import Egress
from tool_runner.agent_database import AgentDatabase
from tool_runner.agent_db.databases import AgentDatabases
from tool_runner.agent_definitions import AgentDefinitions
from tool_runner.agent_egress import AgentEgress
from tool_runner.agent_state import AgentState
from tool_runner.agent_texts import AgentTexts
from tool_runner.built_in import BuiltIn
from tool_runner.call import Call
from tool_runner.call_writers import CallWriters, writers_of, writers_of_page
from tool_runner.code_check import CodeCheck
from tool_runner.compute import ComputeThread
from tool_runner.generation import Generator, ModelCallers
from tool_runner.sandbox.sandbox import Sandbox


class ToolLookup(Protocol):
    """The tools of this runner by name: code that runs here may use some of them."""

    def get(self, name: str) -> Any:
        """The `Tool`, or None."""
        ...


@dataclass(frozen=True)
class ToolContext:
    """Who calls, and the ports through which a tool reads and writes. Without a `session`, a page does.

    `sequence` is the request's place in the log: reading as of it is the same on every attempt. `attempt`
    counts from 1. `cancelled` is set when nobody wants the result any more; the tool's task is cancelled as
    well, so only work off the event loop need look at it.
    """

    agent_id: AgentId
    session: SessionId | None
    call_id: CallId
    sequence: int
    attempt: int
    state: AgentState
    texts: AgentTexts
    definitions: AgentDefinitions
    built_in: BuiltIn
    code_check: CodeCheck
    database: AgentDatabase
    blobs: Blobs
    egress: AgentEgress
    compute: ComputeThread
    clock: Clock
    models: Generator
    sandbox: Sandbox
    tools: ToolLookup
    cancelled: asyncio.Event
    log: Any

    @property
    def session_id(self) -> SessionId:
        """The session that calls. `Rejected(kind="not_available")` where a page does."""
        if self.session is None:
            raise Rejected(
                "there is no session here: a page called the function", kind=ErrorKind.NOT_AVAILABLE
            )
        return self.session

    @property
    def idempotency_key(self) -> str:
        """The same for every attempt at this call, and no other call's: for targets that take one."""
        return f"{self.session or self.agent_id}-{self.call_id}"


@dataclass(frozen=True)
class Resources:
    """What all calls of a runner share."""

    entities: Entities
    databases: AgentDatabases
    blobs: Blobs
    egress: Egress
    compute: ComputeThread
    clock: Clock
    built_in: BuiltIn
    code_check: CodeCheck
    vault: Vault
    model_callers: ModelCallers
    sandbox: Sandbox
    tools: ToolLookup

    def context_for(self, call: Call, attempt: int, cancelled: asyncio.Event) -> ToolContext:
        """The context of one attempt at a call."""
        key = call.key
        caller = _Caller(key.session.agent_id, key.session.session_id, key.call_id, call.sequence, attempt)
        return self._context(caller, writers_of(call), cancelled, call.tool)

    def context_for_page(
        self, agent_id: AgentId, call_id: CallId, sequence: int, function: str
    ) -> ToolContext:
        """The context of a function's call from a page, made after event `sequence`."""
        caller = _Caller(agent_id, None, call_id, sequence, 1)
        return self._context(caller, writers_of_page(call_id, sequence), asyncio.Event(), function)

    def _context(
        self, caller: "_Caller", writers: CallWriters, cancelled: asyncio.Event, tool: str
    ) -> ToolContext:
        agent_id = caller.agent_id
        return ToolContext(
            agent_id=agent_id,
            session=caller.session,
            call_id=caller.call_id,
            sequence=caller.sequence,
            attempt=caller.attempt,
            state=AgentState(self.entities, agent_id, writers),
            texts=AgentTexts(self.entities, agent_id, writers),
            definitions=AgentDefinitions(self.entities, agent_id, writers),
            built_in=self.built_in,
            code_check=self.code_check,
            database=AgentDatabase(self.databases, agent_id, writers),
            blobs=self.blobs,
            egress=AgentEgress(self.egress, self.entities, self.vault, agent_id),
            compute=self.compute,
            clock=self.clock,
            models=Generator(self.model_callers),
            sandbox=self.sandbox,
            tools=self.tools,
            cancelled=cancelled,
            log=structlog.get_logger().bind(session_id=caller.session, call_id=caller.call_id, tool=tool),
        )


@dataclass(frozen=True)
class _Caller:
    agent_id: AgentId
    session: SessionId | None
    call_id: CallId
    sequence: int
    attempt: int
