"""What a tool gets besides its arguments."""

import asyncio
from dataclasses import dataclass
from typing import Any, Protocol

import structlog

from agent_contracts.ids import AgentId, CallId, SessionId
from agent_platform.blobs import Blobs
from agent_platform.clock import Clock
from agent_platform.egress.guard import Egress
from agent_platform.entities import Entities
from agent_platform.secrets.vault import Vault
from tool_runner.agent_database import AgentDatabase
from tool_runner.agent_db.databases import AgentDatabases
from tool_runner.agent_definitions import AgentDefinitions
from tool_runner.agent_egress import AgentEgress
from tool_runner.agent_state import AgentState
from tool_runner.agent_texts import AgentTexts
from tool_runner.built_in import BuiltIn
from tool_runner.call import Call
from tool_runner.call_writers import CallWriters
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
    """Who calls, and the ports through which a tool reads and writes.

    `sequence` is the request's place in the log: reading as of it is the same on every attempt. `attempt`
    counts from 1. `cancelled` is set when nobody wants the result any more; the tool's task is cancelled as
    well, so only work off the event loop need look at it.
    """

    agent_id: AgentId
    session_id: SessionId
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
    def idempotency_key(self) -> str:
        """The same for every attempt at this call, and no other call's: for targets that take one."""
        return f"{self.session_id}-{self.call_id}"


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
        key, writers = call.key, CallWriters(call)
        return ToolContext(
            agent_id=key.agent_id,
            session_id=key.session_id,
            call_id=key.call_id,
            sequence=call.sequence,
            attempt=attempt,
            state=AgentState(self.entities, key.agent_id, writers),
            texts=AgentTexts(self.entities, key.agent_id, writers),
            definitions=AgentDefinitions(self.entities, key.agent_id, writers),
            built_in=self.built_in,
            code_check=self.code_check,
            database=AgentDatabase(self.databases, key.agent_id, writers),
            blobs=self.blobs,
            egress=AgentEgress(self.egress, self.entities, self.vault, key.agent_id),
            compute=self.compute,
            clock=self.clock,
            models=Generator(self.model_callers),
            sandbox=self.sandbox,
            tools=self.tools,
            cancelled=cancelled,
            log=structlog.get_logger().bind(session_id=key.session_id, call_id=key.call_id, tool=call.tool),
        )
