"""Tokens of programs, which use the API or an agent's `/mcp`."""

import msgspec

from agent_contracts.api.program_tokens import ProgramRight
from agent_contracts.ids import AgentId
from agent_domain.tokens.register import TokenRegister

PROGRAM_TOKEN = "pt"


class ProgramToken(msgspec.Struct, frozen=True):
    """What a program may do that has it: this, with this agent; with any, where it names none.

    `token` is the SHA-256 of it. `service`: Foldline made it for a service that it starts.
    """

    created_at: str
    token: str
    agent_id: AgentId | None
    rights: tuple[ProgramRight, ...]
    service: bool = False


class ProgramTokenRegister(TokenRegister[ProgramToken]):
    """Keeps them by name."""

    prefix = PROGRAM_TOKEN
    noun = "program tokens"
    shape = ProgramToken
