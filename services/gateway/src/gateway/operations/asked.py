"""`Idempotency-Key`: ids derived from the key, so that any replica recognises a repeat."""

import hashlib
import json
from typing import Annotated

import msgspec
from fastapi import Header
from pydantic import BaseModel

from agent_contracts.ids import SessionId
from gateway.http.problems import Kind, ProblemError

MAX_KEY = 255
_CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz"

KeyHeader = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        max_length=MAX_KEY,
        description="The same key and body: the first answer again. Another body: refused.",
    ),
]


class Asked(msgspec.Struct, frozen=True):
    """A write request: its idempotency key, if it has one, and the digest of what it asks for.

    `creates` tells a session's creation from what is asked of a session, so that one key may serve for both.
    """

    key: str | None
    digest: str
    creates: bool

    def derived_id(self, prefix: str, *scope: str) -> str | None:
        """The id that this key stands for within a scope; None without a key."""
        if self.key is None:
            return None
        named = "\x00".join((*scope, "creation" if self.creates else "session", self.key))
        number = int.from_bytes(hashlib.sha256(named.encode()).digest()[:16], "big")
        return f"{prefix}_{''.join(_CROCKFORD[(number >> shift) & 31] for shift in range(125, -1, -5))}"

    def check_same(self, recorded_digest: str | None) -> None:
        """An `idempotency_mismatch` problem if the recorded request asked for something else."""
        if recorded_digest != self.digest:
            raise ProblemError(
                Kind.IDEMPOTENCY_MISMATCH,
                "this Idempotency-Key was used for a request with another body; use a fresh key",
            )


def asked(key: str | None, body: BaseModel | None = None, session_id: SessionId | None = None) -> Asked:
    """What a request asks for, of a session or (None) of all. The key must be printable ASCII."""
    if key is not None and not (key and key.isascii() and key.isprintable()):
        raise ProblemError(
            Kind.INVALID_REQUEST, "Idempotency-Key must be 1 to 255 printable ASCII characters"
        )
    content = body.model_dump(mode="json", exclude_unset=True) if body is not None else None
    canonical = json.dumps([session_id, content], sort_keys=True, separators=(",", ":"))
    return Asked(key, hashlib.sha256(canonical.encode()).hexdigest(), creates=session_id is None)
