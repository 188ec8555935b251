"""Idempotency: ids derived from a key, so that any replica and any door recognises a repeat."""

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import msgspec

from agent_contracts.errors import Rejected
from agent_contracts.ids import SessionId
from agent_contracts.json_value import Json

MAX_KEY = 255
_CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz"
_used: ContextVar[set[str] | None] = ContextVar("keys used", default=None)


@contextmanager
def keys_used() -> Iterator[set[str]]:
    """The keys under which anything is asked for within the block, as they are used."""
    used: set[str] = set()
    token = _used.set(used)
    try:
        yield used
    finally:
        _used.reset(token)


def erased_answer() -> Rejected:
    """What a repeated request is told whose first answer was about something that was deleted since."""
    return Rejected(
        "What the first request with this Idempotency-Key wrote was deleted since. Nothing was written now; "
        "use a fresh key to make it anew",
        kind="erased",
    )


class IdempotentRequest(msgspec.Struct, frozen=True):
    """A request to write: its idempotency key, if it has one, and the digest of what it asks for.

    `creates` tells a session's creation from what is asked of a session, so that one key may serve for both.
    """

    key: str | None
    digest: str
    creates: bool

    @property
    def recorded_digest(self) -> str | None:
        """The digest that is kept with what comes of the request; None without a key, for nobody compares."""
        return None if self.key is None else self.digest

    def derived_id(self, prefix: str, *scope: str) -> str | None:
        """The id that this key stands for within a scope; None without a key."""
        if self.key is None:
            return None
        named = "\x00".join((*scope, "creation" if self.creates else "session", self.key))
        number = int.from_bytes(hashlib.sha256(named.encode()).digest()[:16], "big")
        return f"{prefix}_{''.join(_CROCKFORD[(number >> shift) & 31] for shift in range(125, -1, -5))}"

    def check_same(self, recorded_digest: str | None) -> None:
        """`Rejected(kind="idempotency_mismatch")` if the recorded request asked for something else."""
        if recorded_digest != self.digest:
            raise Rejected(
                "This Idempotency-Key was used for a request with another body; use a fresh key",
                kind="idempotency_mismatch",
            )


def asked(
    key: str | None = None, content: Json = None, session_id: SessionId | None = None
) -> IdempotentRequest:
    """What a request asks for, of a session or (None) of all. `content` is what its digest tells apart.

    The key must be 1 to 255 printable ASCII characters.
    """
    if key is not None and not (0 < len(key) <= MAX_KEY and key.isascii() and key.isprintable()):
        raise Rejected(
            f"Idempotency-Key must be 1 to {MAX_KEY} printable ASCII characters", kind="invalid_request"
        )
    used = _used.get()
    if key is not None and used is not None:
        used.add(key)
    canonical = json.dumps([session_id, content], sort_keys=True, separators=(",", ":"))
    return IdempotentRequest(key, hashlib.sha256(canonical.encode()).hexdigest(), creates=session_id is None)
