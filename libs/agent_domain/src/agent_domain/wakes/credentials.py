"""Credentials of other services, which may wake sessions and nothing else. Kept as hashes, in a bucket."""

from collections.abc import AsyncGenerator

import msgspec

from agent_contracts.api.wakes import RATE, SIZE
from agent_contracts.ids import AgentId
from agent_domain.tokens.register import TokenRegister
from agent_platform.nats.accounts import WakeUser, wake_users_lines

WAKE_TOKEN = "wk"


class WakeCredentials(msgspec.Struct, frozen=True):
    """What a service may do that has them: wake sessions of these `agents` (none named: of any), so often a
    minute, by wakes of so many bytes.

    `token` is the SHA-256 of the secret, for HTTP; `nats_password` its bcrypt hash, for the NATS server. The
    secret has 256 random bits, so neither can be guessed from.
    """

    created_at: str
    token: str
    nats_password: str
    agents: tuple[AgentId, ...] = ()
    rate: int = RATE
    size: int = SIZE

    def allow(self, agent_id: AgentId) -> bool:
        """Whether sessions of this agent may be woken."""
        return not self.agents or agent_id in self.agents


class CredentialsRegister(TokenRegister[WakeCredentials]):
    """Keeps them by name, and says whom the NATS server is to let in."""

    prefix = WAKE_TOKEN
    noun = "wake credentials"
    shape = WakeCredentials

    async def nats_users(self) -> list[WakeUser]:
        """Whom the NATS server is to let in."""
        return [WakeUser(name, one.nats_password) for name, one in (await self.all()).items()]

    async def nats_lines(self) -> list[str]:
        """The same as lines of the server's configuration."""
        return wake_users_lines(await self.nats_users())

    async def changes(self) -> AsyncGenerator[list[WakeUser], None]:
        """Whom the NATS server is to let in: now, and after each change."""
        revision = await self._bucket.last_revision()
        yield await self.nats_users()
        async for _ in self._bucket.changes(after=revision):
            yield await self.nats_users()
