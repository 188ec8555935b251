"""Credentials of other services, which may wake sessions and nothing else. Kept as hashes, in a bucket."""

import hashlib
import hmac
from collections.abc import AsyncGenerator, Mapping

import msgspec

from agent_contracts.errors import Conflict, Rejected
from agent_contracts.ids import AgentId
from agent_contracts.wakes import check_source
from agent_platform.log.bucket import Bucket
from agent_platform.nats.accounts import WakeUser, wake_users_lines

RATE = 60
"""Wakes a minute, unless the credentials say otherwise."""
SIZE = 64 * 1024
"""Bytes of one wake, unless the credentials say otherwise."""
_TOKEN = "wk"


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


def token_of(name: str, secret: str) -> str:
    """What the service is given: it names the credentials. At most 72 bytes, of which bcrypt sees all."""
    return f"{_TOKEN}_{check_source(name)}_{secret}"


def name_in(token: str) -> str | None:
    """The credentials that a token names; None if it isn't such a token."""
    kind, _, rest = token.partition("_")
    name, _, secret = rest.partition("_")
    return name if kind == _TOKEN and name and secret else None


def hash_of(token: str) -> str:
    """What is kept of it."""
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()


class CredentialsRegister:
    """Keeps them by name. Each look reads the bucket: what was revoked counts at once, everywhere."""

    def __init__(self, bucket: Bucket) -> None:
        self._bucket = bucket

    async def find(self, name: str) -> WakeCredentials | None:
        """Those of this name."""
        try:
            check_source(name)
        except Rejected:
            return None
        entry = await self._bucket.get(name)
        return None if entry is None else msgspec.json.decode(entry.value, type=WakeCredentials)

    async def of_token(self, token: str) -> str | None:
        """The name of the credentials whose token this is; takes as long for a wrong one."""
        name = name_in(token)
        if name is None:
            return None
        found = await self.find(name)
        known = found.token if found is not None else ""
        return name if hmac.compare_digest(known, hash_of(token)) else None

    async def all(self) -> Mapping[str, WakeCredentials]:
        """Every one, by name."""
        found = await self._bucket.list()
        return {
            name: msgspec.json.decode(entry.value, type=WakeCredentials)
            for name, entry in sorted(found.items())
        }

    async def add(self, name: str, credentials: WakeCredentials) -> None:
        """`Rejected(kind="conflict")` if there are some of this name."""
        try:
            await self._bucket.put(check_source(name), msgspec.json.encode(credentials), expect=0)
        except Conflict as error:
            raise Rejected(
                f"There are wake credentials named {name} already: revoke them first, or choose another name",
                kind="conflict",
            ) from error

    async def revoke(self, name: str) -> None:
        """`Rejected(kind="not_found")` if there are none of this name."""
        if await self.find(name) is None:
            raise Rejected(f"There are no wake credentials named {name[:40]!r}", kind="not_found")
        await self._bucket.delete(name)

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
