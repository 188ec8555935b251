"""Tokens of programs that use the API, or an agent by MCP."""

from typing import Annotated

from fastapi import Path

from agent_contracts.api.program_tokens import (
    AllowedProgram,
    MadeProgramToken,
    NewProgramToken,
    RevokedProgramToken,
)
from agent_contracts.api.wire import Page
from agent_contracts.ids import AgentId
from gateway.http.wire.one_of import one_of
from gateway.http.wire.parameters import AgentFilter, Using
from gateway.http.wire.resource import resource

router = resource("program-tokens", "/program-tokens")

NamePath = Annotated[
    str, Path(max_length=64, description="Name of the program: 1 to 24 of a-z, 0-9 and `-`, a letter first.")
]


@router.get("", operation_id="listProgramTokens")
async def list_tokens(operations: Using, agent_id: AgentFilter) -> Page[AllowedProgram]:
    """The programs that have a token; those that may use one agent, or all."""
    return await operations.program_tokens.list(agent_id)


@router.post("", status_code=201, operation_id="createProgramToken")
async def create(operations: Using, body: NewProgramToken) -> MadeProgramToken:
    """Let a program in. The token is shown this once.

    What it says in a chat carries its name. Whatever its rights don't open answers 403."""
    agent_id = None if body.agent_id is None else AgentId(body.agent_id)
    return await operations.program_tokens.create(body.name, agent_id, body.rights)


@router.get("/{name}", operation_id="getProgramToken")
async def get_token(operations: Using, name: NamePath) -> AllowedProgram:
    """What a program may do."""
    programs = await operations.program_tokens.list()
    return one_of(programs, lambda one: one.name == name, f"program token named {name!r}")


@router.delete("/{name}", operation_id="revokeProgramToken")
async def revoke(operations: Using, name: NamePath) -> RevokedProgramToken:
    """Let a program in no longer, at once."""
    return await operations.program_tokens.revoke(name)
