"""Tokens of programs: made, listed, revoked. A token is shown once; its hash is kept."""

import secrets
from collections.abc import Sequence

from agent_contracts.api.program_tokens import (
    AllowedProgram,
    MadeProgramToken,
    ProgramRight,
    RevokedProgramToken,
)
from agent_contracts.api.wire import Page
from agent_contracts.errors import Rejected
from agent_contracts.ids import AgentId
from agent_domain.tokens.programs import PROGRAM_TOKEN, ProgramToken, ProgramTokenRegister
from agent_domain.tokens.register import SECRET_BYTES, hash_of, token_of
from agent_platform.process.clock import Clock, rfc3339
from gateway.operations.ports import KnownAgents

MOST_TOKENS = 200


class TokensOfPrograms:
    """Lets programs do what their rights say, and no longer."""

    def __init__(self, register: ProgramTokenRegister, agents: KnownAgents, clock: Clock) -> None:
        self._register = register
        self._agents = agents
        self._clock = clock

    async def list(self, agent_id: AgentId | None = None) -> Page[AllowedProgram]:
        """Every one; or those that may use this agent."""
        found = (await self._register.all()).items()
        return Page[AllowedProgram](
            items=[
                _shown(name, one)
                for name, one in found
                if agent_id is None or one.agent_id in (None, agent_id)
            ]
        )

    async def create(
        self, name: str, agent_id: AgentId | None, rights: Sequence[ProgramRight]
    ) -> MadeProgramToken:
        """Make one. `Rejected`: `conflict` (the name is taken), `not_found` (no such agent)."""
        if agent_id is not None:
            await self._agents.require(agent_id)
        if not rights:
            raise Rejected("Say what the token is for: a token without a right opens nothing", path="/rights")
        if len(await self._register.all()) >= MOST_TOKENS:
            raise Rejected(
                f"There are {MOST_TOKENS} program tokens already: revoke one first", kind="too_large"
            )
        token = token_of(PROGRAM_TOKEN, name, secrets.token_urlsafe(SECRET_BYTES))
        made = ProgramToken(rfc3339(self._clock.now()), hash_of(token), agent_id, tuple(sorted(set(rights))))
        await self._register.add(name, made)
        return MadeProgramToken(program=_shown(name, made), token=token)

    async def revoke(self, name: str) -> RevokedProgramToken:
        """End one. `Rejected(kind="not_found")` if there is none of this name."""
        await self._register.revoke(name)
        return RevokedProgramToken(name=name)


def _shown(name: str, one: ProgramToken) -> AllowedProgram:
    return AllowedProgram(
        name=name,
        created_at=one.created_at,
        agent_id=one.agent_id,
        rights=list(one.rights),
        service=one.service,
    )
