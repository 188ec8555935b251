"""Credentials of other services: made, listed, revoked. A secret is shown once; its hashes are kept."""

import secrets
from collections.abc import Sequence
from urllib.parse import urlsplit, urlunsplit

import bcrypt

from agent_contracts.api.wakes import (
    LARGEST_RATE,
    MOST_AGENTS,
    AllowedWakes,
    MadeCredentials,
    NewCredentials,
    RevokedCredentials,
)
from agent_contracts.api.wire import Page
from agent_contracts.errors import Rejected
from agent_contracts.ids import AgentId
from agent_contracts.wakes import LARGEST_WAKE
from agent_domain.tokens.register import SECRET_BYTES, hash_of, token_of
from agent_domain.wakes.credentials import WAKE_TOKEN, CredentialsRegister, WakeCredentials
from agent_platform.nats.accounts import wake_user
from agent_platform.process.clock import Clock, rfc3339
from gateway.operations.ports import KnownAgents

_ROUNDS = 4
"""The least: nobody can try 256 random bits, and the server takes its time at each connection."""


def without_user(url: str) -> str:
    """A server's address without the user and password that may stand in it."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


class CredentialsOfOthers:
    """Lets other services in, and no longer."""

    def __init__(
        self, register: CredentialsRegister, agents: KnownAgents, clock: Clock, nats_url: str
    ) -> None:
        self._register = register
        self._agents = agents
        self._clock = clock
        self._nats_url = without_user(nats_url)

    async def list(self) -> Page[AllowedWakes]:
        """Every one."""
        found = await self._register.all()
        return Page[AllowedWakes](items=[_shown(name, one) for name, one in found.items()])

    async def create(self, new: NewCredentials) -> MadeCredentials:
        """Make some. `Rejected`: `conflict` (the name is taken), `not_found` (no such agent)."""
        if not 1 <= new.rate <= LARGEST_RATE or not 1 <= new.size <= LARGEST_WAKE:
            raise Rejected(
                f"A rate is 1 to {LARGEST_RATE:,} wakes a minute, a size 1 to {LARGEST_WAKE:,} bytes",
                kind="invalid_request",
            )
        name, agents = new.name, tuple(AgentId(one) for one in new.agents)
        for agent_id in _at_most(agents):
            await self._agents.require(agent_id)
        token = token_of(WAKE_TOKEN, name, secrets.token_urlsafe(SECRET_BYTES))
        made = WakeCredentials(
            created_at=rfc3339(self._clock.now()),
            token=hash_of(token),
            nats_password=bcrypt.hashpw(token.encode(), bcrypt.gensalt(_ROUNDS)).decode(),
            agents=agents,
            rate=new.rate,
            size=new.size,
        )
        await self._register.add(name, made)
        user = wake_user(name)
        return MadeCredentials(
            credentials=_shown(name, made),
            token=token,
            nats_user=user,
            nats_inbox=f"_INBOX.{user}",
            nats_url=self._nats_url,
        )

    async def revoke(self, name: str) -> RevokedCredentials:
        """End some. `Rejected(kind="not_found")` if there are none of this name."""
        await self._register.revoke(name)
        return RevokedCredentials(name=name)

    async def nats_users(self) -> str:
        """The lines for a NATS server that runs by itself: who may come in, and hashes of passwords."""
        return "\n".join(["# Who may wake sessions over NATS.", *await self._register.nats_lines(), ""])


def _at_most(agents: Sequence[AgentId]) -> Sequence[AgentId]:
    if len(agents) > MOST_AGENTS:
        raise Rejected(f"Name at most {MOST_AGENTS} agents", kind="invalid_request")
    return agents


def _shown(name: str, one: WakeCredentials) -> AllowedWakes:
    return AllowedWakes(
        name=name, created_at=one.created_at, agents=list(one.agents), rate=one.rate, size=one.size
    )
