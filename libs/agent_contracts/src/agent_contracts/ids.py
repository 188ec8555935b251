"""Identifiers: what they may look like, how ours are made, and which partition a session belongs to.

An id becomes part of a NATS subject, a file name and a primary key, so it is checked before it
reaches any of them. Ours begin with 48 bits of time, so they sort by creation.
"""

import hashlib
import re
from typing import NewType

from agent_contracts.errors import Rejected

AgentId = NewType("AgentId", str)
SessionId = NewType("SessionId", str)
CallId = NewType("CallId", str)

PARTITIONS = 64
"""How many partitions sessions are spread over. Part of every stored subject: never changes."""

ID_PATTERN = r"^[A-Za-z0-9_-]{1,64}$"
"""What every id of an agent, a session or a call matches, as schemas say it."""
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz"
_FNV_OFFSET = 0x811C9DC5
_FNV_PRIME = 0x01000193


def check_id(text: str, what: str = "id") -> str:
    """Return `text` if it is a well-formed id, else raise `Rejected` naming `what`."""
    if not isinstance(text, str) or not _ID.fullmatch(text):
        raise Rejected(f"{what} must be 1 to 64 letters, digits, '_' or '-'", kind="invalid_id")
    return text


def new_id(prefix: str, at_ms: int, randomness: bytes) -> str:
    """Make an id such as `s_01jd3…` from Unix milliseconds and at least 10 random bytes.

    Pure: the caller brings clock and randomness. The encoding is ULID's (Crockford base 32, lower case).
    """
    number = (at_ms << 80) | int.from_bytes(randomness[:10], "big")
    digits = [_CROCKFORD[(number >> shift) & 31] for shift in range(125, -1, -5)]
    return f"{prefix}_{''.join(digits)}"


def partition_of(session_id: SessionId) -> int:
    """The session's partition, 0 to 63: FNV-1a of its UTF-8 bytes, 32 bits, modulo `PARTITIONS`."""
    digest = _FNV_OFFSET
    for byte in session_id.encode():
        digest = ((digest ^ byte) * _FNV_PRIME) & 0xFFFFFFFF
    return digest % PARTITIONS


def model_call_id(position: int) -> CallId:
    """The id of the model call whose request is event number `position` of its session.

    Derived, not drawn, so that `decide` stays a pure function. Unique within the session: positions
    count every event of the session, those a rewind hides included.
    """
    return CallId(f"m{position:06d}")


def child_session_id(parent: SessionId, call_id: CallId) -> SessionId:
    """The id of the sub-session that a call spawns.

    Derived, so that `decide` stays pure and whoever acts on the decision twice names the same child. The
    only ids of ours that don't sort by time: lists are sorted by the time of creation.
    """
    digest = hashlib.sha256(f"{parent}/{call_id}".encode()).digest()
    number = int.from_bytes(digest[:16], "big")
    return SessionId("c_" + "".join(_CROCKFORD[(number >> shift) & 31] for shift in range(125, -1, -5)))


def tool_call_id(model_call: CallId, index: int) -> CallId:
    """The id of the `index`-th (from 0) tool call that a model call asked for.

    The provider's own call id is data only: some send `call_1` in every turn, some none.
    """
    return CallId(f"{model_call}-{index:02d}")
