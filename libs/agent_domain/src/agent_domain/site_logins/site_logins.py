"""The logins that a person kept, encrypted, in a bucket of their own: never in the log, so no rewind brings
one back."""

import base64
from collections.abc import Iterable

import msgspec
import structlog

from agent_contracts.errors import Rejected
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.log.subjects import site_logins_key
from agent_domain.secrets.key import SecretsKey
from agent_domain.site_logins.sites import StorageState, by_site
from agent_platform.log.bucket import Bucket
from agent_platform.process.clock import Clock, rfc3339

MOST_SITES = 50
"""Sites of one agent."""
LARGEST = 256 * 1024
"""Bytes of what is kept of one site."""
LONGEST_SITE = 253

log = structlog.get_logger()


class SiteLogin(msgspec.Struct, frozen=True):
    """A kept login as people see it: of which site, since when, and how many cookies it has. `session_id` is
    where it was kept."""

    site: str
    kept_at: str
    session_id: SessionId
    cookies: int


class _Entry(SiteLogin, frozen=True):
    sealed: bytes


class SiteLogins:
    """Cookies and local storage of sites, sealed with the key of the secrets and bound to agent and site."""

    def __init__(self, bucket: Bucket, key: SecretsKey, clock: Clock) -> None:
        self._bucket = bucket
        self._key = key
        self._clock = clock

    async def list(self, agent_id: AgentId) -> list[SiteLogin]:
        """What there is, by site; nothing is decrypted for it."""
        found = (await self._entries(agent_id)).values()
        shown = [SiteLogin(one.site, one.kept_at, one.session_id, one.cookies) for one in found]
        return sorted(shown, key=lambda one: one.site)

    async def keep(
        self, agent_id: AgentId, session_id: SessionId, state: StorageState, visited: Iterable[str]
    ) -> tuple[str, ...]:
        """Keep what a browser has of the visited sites, in place of what was kept of them before; which they
        are. `Rejected` where there is nothing to keep, or more than may be, or no key: then nothing was."""
        from agent_domain.secrets.sealing import seal  # heavy: only who keeps a login pays for it

        parts = by_site(state, visited)
        if not parts:
            raise Rejected("The visited pages stored nothing that would be a login", kind="nothing_to_keep")
        known = {one.site for one in (await self._entries(agent_id)).values()}
        if len(known | parts.keys()) > MOST_SITES:
            message = f"an agent has {MOST_SITES} kept logins at most: forget some of them first"
            raise Rejected(message, kind="too_many")
        key = self._key.read_or_make()
        sealed = {}
        for site, part in parts.items():
            text = msgspec.json.encode(part).decode()
            if len(text) > LARGEST or len(site) > LONGEST_SITE:
                kept = f"{site[:LONGEST_SITE]} stored {len(text):,} bytes: at most {LARGEST:,} are kept"
                raise Rejected(kept, kind="too_large")
            sealed[site] = seal(key, text, _about(agent_id, site))
        at = rfc3339(self._clock.now())
        for site, body in sealed.items():
            entry = _Entry(site, at, session_id, len(parts[site].cookies), body)
            await self._bucket.put(_key(agent_id, site), msgspec.msgpack.encode(entry))
        return tuple(sorted(parts))

    async def of(self, agent_id: AgentId) -> StorageState:
        """Everything that is kept for an agent. `Rejected` if it can't be decrypted with the key of now."""
        entries = await self._entries(agent_id)
        state = StorageState()
        if not entries:
            return state
        from agent_domain.secrets.sealing import unseal  # heavy: only who keeps a login pays for it

        key = self._key.read()
        for one in entries.values():
            text = unseal(key, one.sealed, _about(agent_id, one.site))
            if text is None:
                raise Rejected(
                    f"The kept login of {one.site} was encrypted with another key: forget it, log in anew",
                    kind="no_secrets_key",
                )
            state = state.plus(msgspec.json.decode(text, type=StorageState))
        return state

    async def forget(self, agent_id: AgentId, site: str) -> bool:
        """Forget one; whether there was one."""
        key = _key(agent_id, site)
        if await self._bucket.get(key) is None:
            return False
        await self._bucket.delete(key)
        return True

    async def forget_all(self, agent_id: AgentId) -> None:
        """Forget every one of an agent."""
        for key in await self._bucket.below(site_logins_key(agent_id)):
            await self._bucket.delete(key)

    async def _entries(self, agent_id: AgentId) -> dict[str, _Entry]:
        found = {}
        for key, entry in (await self._bucket.below(site_logins_key(agent_id))).items():
            try:
                found[key] = msgspec.msgpack.decode(entry.value, type=_Entry)
            except msgspec.DecodeError as error:
                log.warning("site_login.unreadable", agent_id=agent_id, error=str(error))
        return found


def _key(agent_id: AgentId, site: str) -> str:
    token = base64.urlsafe_b64encode(site.encode()).decode().rstrip("=")
    return f"{site_logins_key(agent_id)}.{token}"


def _about(agent_id: AgentId, site: str) -> bytes:
    return f"site-login/{agent_id}/{site}".encode()
