"""Where logins are: sealed in the vault, bound to their agent and server.

Those that wait for their person are, by their state, sealed in the bucket of leases: for ten minutes, and
each is taken once.
"""

import hashlib

import msgspec

from agent_contracts.errors import Conflict
from agent_contracts.ids import AgentId
from agent_contracts.log.lease_keys import mcp_begun_key
from agent_contracts.questions.mcp_logins import BEGUN_S, login_name
from agent_domain.secrets.vault import Vault
from agent_platform.log.bucket import Bucket
from mcp_host.connecting.server_opener import ServerKey
from mcp_host.login.records import McpLogin, PendingLogin

_BEGUN = AgentId("mcp-begun")
"""To whom the seals of those that wait are bound: to no agent."""


class LoginVault:
    """Reads and writes them. `Rejected` where the vault can't be opened."""

    def __init__(self, vault: Vault, leases: Bucket) -> None:
        self._vault = vault
        self._leases = leases

    async def find(self, key: ServerKey, url: str) -> tuple[McpLogin | None, int]:
        """The login for the server at this address, and the revision of what is kept; 0: nothing is."""
        found = await self._vault.find(key.agent_id, login_name(key.server))
        if found is None:
            return None, 0
        login = msgspec.json.decode(found[0], type=McpLogin)
        return (login if login.url == url else None), found[1]

    async def put(self, key: ServerKey, login: McpLogin, expect: int | None = None) -> bool:
        """Keep it in place of what was kept. False: that isn't `expect` any more."""
        try:
            body = msgspec.json.encode(login).decode()
            await self._vault.put(key.agent_id, login_name(key.server), body, expect=expect)
        except Conflict:
            return False
        return True

    async def forget(self, key: ServerKey) -> None:
        """Whatever is kept of this server."""
        await self._vault.delete(key.agent_id, login_name(key.server))

    async def begin(self, state: str, begun: PendingLogin) -> None:
        """Keep it until its person comes back, or until it is over."""
        digest = _digest(state)
        sealed = self._vault.sealed(_BEGUN, digest, msgspec.json.encode(begun).decode())
        await self._leases.put(mcp_begun_key(digest), sealed, ttl_s=BEGUN_S)

    async def take(self, state: str, now: float) -> PendingLogin | None:
        """What was begun with this state. Whoever takes it is the only one: None for all others, and where
        it is over."""
        digest = _digest(state)
        entry = await self._leases.get(mcp_begun_key(digest))
        if entry is None:
            return None
        try:
            await self._leases.delete(mcp_begun_key(digest), expect=entry.revision, ttl_s=BEGUN_S)
        except Conflict:
            return None
        begun = msgspec.json.decode(self._vault.opened(_BEGUN, digest, entry.value), type=PendingLogin)
        return begun if now < begun.ends_at else None


def _digest(state: str) -> str:
    """What is kept doesn't say how a login is finished."""
    return hashlib.sha256(state.encode()).hexdigest()
