"""Which pool holds a session's browser context: one entry a session, in the bucket of leases."""

import msgspec
import structlog

from agent_contracts.errors import Conflict
from agent_contracts.ids import SessionId
from agent_contracts.subjects import browser_lease_key
from agent_platform.log.bucket import Bucket
from browser_pool.limits import KEPT_S

log = structlog.get_logger()


class Lease(msgspec.Struct, frozen=True, omit_defaults=True):
    """`pool` holds the context; or nobody does, and `lost` says why the session has none any more."""

    pool: str | None = None
    lost: str | None = None


class Held(msgspec.Struct, frozen=True):
    """A lease as it stands. `revision` 0: there is none."""

    lease: Lease = Lease()
    revision: int = 0


class Leases:
    """Compare-and-set on the bucket, in the name of one pool. An entry that is not written again is gone
    after a day."""

    def __init__(self, bucket: Bucket, me: str) -> None:
        """`me` is this process: no other has, or had, its name."""
        self.me = me
        self._bucket = bucket

    async def find(self, session: SessionId) -> Held:
        """The session's lease. One that can't be read is nobody's."""
        entry = await self._bucket.get(browser_lease_key(session))
        if entry is None:
            return Held()
        try:
            return Held(msgspec.json.decode(entry.value, type=Lease), entry.revision)
        except msgspec.DecodeError as error:
            log.warning("lease.unreadable", session_id=session, error=str(error))
            return Held(Lease(), entry.revision)

    async def take(self, session: SessionId, held: Held) -> bool:
        """Take over the lease as it was found, or renew one's own. False: another was quicker."""
        return await self._put(session, Lease(self.me), held.revision)

    async def lose(self, session: SessionId, held: Held, lost: str) -> bool:
        """Take the lease from a pool that is gone: it is nobody's then. False: another was quicker."""
        return await self._put(session, Lease(None, lost), held.revision)

    async def release(self, session: SessionId, lost: str | None) -> None:
        """Give one's own lease back; `lost` is what the session's next call is told. Another's stays."""
        held = await self.find(session)
        if held.lease.pool == self.me:
            await self._put(session, Lease(None, lost), held.revision)

    async def _put(self, session: SessionId, lease: Lease, revision: int) -> bool:
        body = msgspec.json.encode(lease)
        try:
            await self._bucket.put(browser_lease_key(session), body, expect=revision, ttl_s=KEPT_S)
        except Conflict:
            return False
        return True
