"""The values of secrets, encrypted, in a bucket of their own: never in the log."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import structlog

from agent_contracts.errors import Rejected
from agent_contracts.ids import AgentId
from agent_domain.secrets.key import SecretsKey
from agent_platform.log.bucket import Bucket
from agent_platform.process.background import in_background

_FORMAT = b"\x01"

log = structlog.get_logger()


class Vault:
    """AES-256-GCM under the installation's key. A value is bound to its agent and name: moved, it can't be
    read."""

    def __init__(self, bucket: Bucket, key: SecretsKey) -> None:
        self._bucket = bucket
        self._key = key

    async def put(self, agent_id: AgentId, name: str, value: str, *, expect: int | None = None) -> int:
        """Store a value in place of the one before; its revision. `expect` as in `Bucket.put`."""
        # Heavy: only who keeps secrets pays for it.
        from agent_domain.secrets.sealing import seal

        sealed = seal(self._key.read_or_make(), value, _about(agent_id, name))
        return await self._bucket.put(_entry(agent_id, name), _FORMAT + sealed, expect=expect)

    async def get(self, agent_id: AgentId, name: str) -> str:
        """The value. `Rejected` if there is none (any more), or it was encrypted with another key."""
        found = await self.find(agent_id, name)
        if found is None:
            raise Rejected(f"The secret {name} has no value (any more)", kind="not_found")
        return found[0]

    async def find(self, agent_id: AgentId, name: str) -> tuple[str, int] | None:
        """The value and its revision; None if there is none (any more). `Rejected` as by `get`."""
        entry = await self._bucket.get(_entry(agent_id, name))
        if entry is None:
            return None
        sealed = entry.value.removeprefix(_FORMAT)
        # Heavy: only who keeps secrets pays for it.
        from agent_domain.secrets.sealing import unseal

        opened = unseal(self._key.read(), sealed, _about(agent_id, name))
        if opened is None:
            raise Rejected(
                f"The secret {name} was encrypted with another key: set it anew", kind="no_secrets_key"
            )
        return opened, entry.revision

    async def learn_all(self) -> None:
        """Have this process know every value that is stored, and that will be, so that it keeps them out of
        texts (`agent_platform.secrecy`). Ends with the bucket's tail: never."""
        async for entry in self._bucket.changes(after=0):
            agent_id, _, name = entry.partition(".")
            try:
                await self.find(AgentId(agent_id), name)
            except Rejected as failure:  # sealed with another key: nobody here can have its value either
                log.warning("secret.not_learned", secret=name, kind=failure.kind)

    def sealed(self, agent_id: AgentId, name: str, value: str) -> bytes:
        """A value that isn't stored, for another process that has the same key."""
        # Heavy: only who keeps secrets pays for it.
        from agent_domain.secrets.sealing import seal

        return seal(self._key.read_or_make(), value, _about(agent_id, name))

    def opened(self, agent_id: AgentId, name: str, sealed: bytes) -> str:
        """What another process sealed. `Rejected` if it has another key."""
        # Heavy: only who keeps secrets pays for it.
        from agent_domain.secrets.sealing import unseal

        value = unseal(self._key.read(), sealed, _about(agent_id, name))
        if value is None:
            raise Rejected(
                f"{name} can't be read here: all services need the same FOLDLINE_SECRETS_KEY",
                kind="no_secrets_key",
            )
        return value

    async def delete(self, agent_id: AgentId, name: str) -> None:
        """Forget a value, if there is one."""
        await self._bucket.delete(_entry(agent_id, name))

    async def names(self, agent_id: AgentId, begin: str) -> Sequence[str]:
        """What has a value: that name, and those that begin with it and a dot."""
        found = await self._bucket.below(_entry(agent_id, begin))
        return sorted(key.removeprefix(_entry(agent_id, "")) for key in found)


@asynccontextmanager
async def secrets_known(vault: Vault) -> AsyncIterator[None]:
    """Inside, this process keeps all stored secrets out of what it stores and logs."""
    learning = in_background(vault.learn_all, "learning secrets")
    try:
        yield
    finally:
        learning.cancel()


def _entry(agent_id: AgentId, name: str) -> str:
    return f"{agent_id}.{name}"


def _about(agent_id: AgentId, name: str) -> bytes:
    return f"{agent_id}/{name}".encode()
