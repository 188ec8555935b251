"""Tokens that people make for programs: named, shown once, kept as hashes in a bucket."""

import hashlib
import hmac
from collections.abc import Mapping
from typing import Generic, Protocol, TypeVar

import msgspec

from agent_contracts.errors import Conflict, Rejected
from agent_contracts.wakes import check_source
from agent_platform.log.bucket import Bucket


class HashedToken(Protocol):
    """What is kept of a token."""

    @property
    def token(self) -> str:
        """The SHA-256 of it. It has 256 random bits, so nobody can guess it from that."""
        ...


SECRET_BYTES = 32
"""Random ones in each token."""

K = TypeVar("K", bound=HashedToken)


def token_of(prefix: str, name: str, secret: str) -> str:
    """What a program is given: it names what it belongs to. At most 72 bytes, of which bcrypt sees all."""
    return f"{prefix}_{check_source(name)}_{secret}"


def name_in(prefix: str, token: str) -> str | None:
    """The name in a token of this prefix; None if it isn't such a token."""
    kind, _, rest = token.partition("_")
    name, _, secret = rest.partition("_")
    return name if kind == prefix and name and secret else None


def hash_of(token: str) -> str:
    """What is kept of it."""
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()


class TokenRegister(Generic[K]):
    """Keeps them by name. Each look reads the bucket: what was revoked counts at once, everywhere.

    `prefix` is that of the tokens, `noun` what people call several of them.
    """

    prefix: str
    noun: str
    shape: type[K]

    def __init__(self, bucket: Bucket) -> None:
        self._bucket = bucket

    async def find(self, name: str) -> K | None:
        """Those of this name."""
        try:
            check_source(name)
        except Rejected:
            return None
        entry = await self._bucket.get(name)
        return None if entry is None else msgspec.json.decode(entry.value, type=self.shape)

    async def of_token(self, token: str) -> tuple[str, K] | None:
        """Whose token this is, and what they may; takes as long for a wrong one."""
        name = name_in(self.prefix, token)
        if name is None:
            return None
        found = await self.find(name)
        right = hmac.compare_digest(found.token if found is not None else "", hash_of(token))
        return (name, found) if right and found is not None else None

    async def all(self) -> Mapping[str, K]:
        """Every one, by name."""
        found = await self._bucket.list()
        return {
            name: msgspec.json.decode(entry.value, type=self.shape) for name, entry in sorted(found.items())
        }

    async def add(self, name: str, one: K) -> None:
        """`Rejected(kind="conflict")` if there are some of this name."""
        try:
            await self._bucket.put(check_source(name), msgspec.json.encode(one), expect=0)
        except Conflict as error:
            raise Rejected(
                f"There are {self.noun} named {name} already: revoke them first, or choose another name",
                kind="conflict",
            ) from error

    async def replace(self, name: str, one: K) -> None:
        """Keep this in place of those of this name, if there are any."""
        await self._bucket.put(check_source(name), msgspec.json.encode(one))

    async def revoke(self, name: str) -> None:
        """`Rejected(kind="not_found")` if there are none of this name."""
        if await self.find(name) is None:
            raise Rejected(f"There are no {self.noun} named {name[:40]!r}", kind="not_found")
        await self._bucket.delete(name)
