"""Browser sessions: each login is one of its own, with an end, listed and revocable.

The browser has a random secret. What is kept, in a bucket beside the log, is its hash: nobody comes in with
what is stored.
"""

import hashlib
import hmac
import secrets
from datetime import timedelta

import msgspec
import structlog
from cachetools import LRUCache, TTLCache

from agent_contracts.api.logins import Login, RevokedLogins
from agent_contracts.api.wire import Page
from agent_contracts.errors import Rejected, Transient
from agent_platform.log.bucket import Bucket
from agent_platform.process.clock import Clock, rfc3339

log = structlog.get_logger()

LIVES = timedelta(days=30)
"""So long after it was last used, a login ends."""
_NOTED_EVERY = timedelta(hours=1)
_TRUSTED_S = 5.0
_REMEMBERED = 1000
_SECRET_BYTES, _SECRET_LENGTH = 32, 43


class _LoginRecord(msgspec.Struct, frozen=True):
    token: str
    created_at: str
    seen_at: str
    ends_at: str
    address: str
    browser: str


class LoginRegister:
    """Keeps them. A login counts for the token by which it was made: another token ends all.

    What was looked up is trusted for 5 s, and for as long as NATS can't be reached: so a revoked login ends
    within 5 s at every gateway.
    """

    def __init__(self, bucket: Bucket, clock: Clock, token: str | None) -> None:
        self._bucket = bucket
        self._clock = clock
        key = (token or "").encode()
        self._ours = hmac.new(key, b"foldline login v1", hashlib.sha256).hexdigest()
        self._fresh: TTLCache[str, _LoginRecord | None] = TTLCache(_REMEMBERED, _TRUSTED_S)
        self._last: LRUCache[str, _LoginRecord] = LRUCache(_REMEMBERED)

    async def begin(self, address: str, browser: str) -> str:
        """A new login; the secret that the browser keeps."""
        secret = secrets.token_urlsafe(_SECRET_BYTES)
        now = rfc3339(self._clock.now())
        await self._keep(_id_of(secret), _LoginRecord(self._ours, now, now, "", address, browser[:200]))
        return secret

    async def admits(self, secret: str) -> bool:
        """Whether a login with this secret is going on. `Transient` while that can't be known."""
        if len(secret) != _SECRET_LENGTH:
            return False
        id = _id_of(secret)
        kept = await self._found(id)
        now = self._clock.now()
        if kept is None or not hmac.compare_digest(kept.token, self._ours):
            return False
        if kept.ends_at <= rfc3339(now):
            return False
        if kept.seen_at <= rfc3339(now - _NOTED_EVERY):
            await self._note(id, kept)
        return True

    async def list(self) -> Page[Login]:
        """Every login that is going on."""
        found = await self._all()
        shown = [
            Login(
                id=id,
                created_at=kept.created_at,
                seen_at=kept.seen_at,
                ends_at=kept.ends_at,
                address=kept.address,
                browser=kept.browser,
            )
            for id, kept in found.items()
        ]
        return Page[Login](items=sorted(shown, key=lambda one: one.created_at, reverse=True))

    async def revoke(self, id: str) -> RevokedLogins:
        """End one. `Rejected(kind="not_found")` if there is no such login."""
        if id not in await self._all():
            raise Rejected(f"There is no login {id}", kind="not_found")
        await self._end(id)
        return RevokedLogins(revoked=1)

    async def revoke_all(self) -> RevokedLogins:
        """End every one."""
        found = await self._all()
        for id in found:
            await self._end(id)
        return RevokedLogins(revoked=len(found))

    async def end(self, secret: str) -> None:
        """A browser logs out."""
        await self._end(_id_of(secret))

    async def _all(self) -> dict[str, _LoginRecord]:
        now = rfc3339(self._clock.now())
        found = {id: _read(entry.value) for id, entry in (await self._bucket.list()).items()}
        return {id: one for id, one in found.items() if one and one.token == self._ours and one.ends_at > now}

    async def _found(self, id: str) -> _LoginRecord | None:
        if id in self._fresh:
            return self._fresh[id]
        try:
            entry = await self._bucket.get(id)
        except Transient:
            if id not in self._last:
                raise
            return self._last[id]
        kept = _read(entry.value) if entry else None
        self._fresh[id] = kept
        if kept is None:
            self._last.pop(id, None)
        else:
            self._last[id] = kept
        return kept

    async def _note(self, id: str, kept: _LoginRecord) -> None:
        try:
            await self._keep(id, msgspec.structs.replace(kept, seen_at=rfc3339(self._clock.now())))
        except Transient as error:
            log.info("login.not_noted", reason=error.message)  # it counts all the same

    async def _keep(self, id: str, kept: _LoginRecord) -> None:
        kept = msgspec.structs.replace(kept, ends_at=rfc3339(self._clock.now() + LIVES))
        await self._bucket.put(id, msgspec.json.encode(kept), ttl_s=LIVES.total_seconds())
        self._fresh[id] = self._last[id] = kept

    async def _end(self, id: str) -> None:
        await self._bucket.delete(id)
        self._fresh.pop(id, None)
        self._last.pop(id, None)


def _id_of(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()[:32]


def _read(value: bytes) -> _LoginRecord | None:
    try:
        return msgspec.json.decode(value, type=_LoginRecord)
    except msgspec.DecodeError:
        return None  # of another version: that browser logs in again
