"""The values of secrets, encrypted, in a bucket of their own: never in the log."""

import os

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from agent_contracts.errors import Rejected
from agent_contracts.ids import AgentId
from agent_domain.secrets.key import SecretsKey
from agent_platform.nats.bucket import Bucket

_FORMAT = b"\x01"
_NONCE = 12


class Vault:
    """AES-256-GCM under the installation's key. A value is bound to its agent and name: moved, it can't be
    read."""

    def __init__(self, bucket: Bucket, key: SecretsKey) -> None:
        self._bucket = bucket
        self._key = key

    async def put(self, agent_id: AgentId, name: str, value: str) -> int:
        """Store a value in place of the one before; its revision."""
        nonce = os.urandom(_NONCE)
        sealed = AESGCM(self._key.read_or_make()).encrypt(nonce, value.encode(), _about(agent_id, name))
        return await self._bucket.put(_entry(agent_id, name), _FORMAT + nonce + sealed)

    async def get(self, agent_id: AgentId, name: str) -> str:
        """The value. `Rejected` if there is none (any more), or it was encrypted with another key."""
        entry = await self._bucket.get(_entry(agent_id, name))
        if entry is None:
            raise Rejected(f"the secret {name} has no value (any more)", kind="not_found")
        sealed = entry.value.removeprefix(_FORMAT)
        try:
            opened = AESGCM(self._key.read()).decrypt(
                sealed[:_NONCE], sealed[_NONCE:], _about(agent_id, name)
            )
        except InvalidTag as error:
            raise Rejected(
                f"the secret {name} was encrypted with another key: set it anew", kind="no_secrets_key"
            ) from error
        return opened.decode()

    async def delete(self, agent_id: AgentId, name: str) -> None:
        """Forget a value, if there is one."""
        await self._bucket.delete(_entry(agent_id, name))


def _entry(agent_id: AgentId, name: str) -> str:
    return f"{agent_id}.{name}"


def _about(agent_id: AgentId, name: str) -> bytes:
    return f"{agent_id}/{name}".encode()
