"""References to content-addressed blobs."""

import hashlib

import msgspec


class BlobRef(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where a blob is and what it holds: SHA-256 in hex, size in bytes, media type."""

    sha256: str
    size: int
    media_type: str = "application/json"


class Excerpt(msgspec.Struct, frozen=True, omit_defaults=True):
    """What stands in for a result too large for the model: both ends, and where the whole is.

    `file_id` is the file that the model can read it from; None where there was no room for one more.
    """

    head: str
    tail: str
    blob: BlobRef
    file_id: str | None = None


def sha256_of(data: bytes) -> str:
    """The blob's address: SHA-256 in hex."""
    return hashlib.sha256(data).hexdigest()
