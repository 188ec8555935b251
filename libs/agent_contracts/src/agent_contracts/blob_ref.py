"""References to content-addressed blobs."""

import hashlib

import msgspec


class BlobRef(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where bytes are stored, and what they are."""

    sha256: str
    size: int
    media_type: str = "application/json"


class Excerpt(msgspec.Struct, frozen=True, omit_defaults=True):
    """Both ends of a result that is too large for the model, and where the whole is."""

    head: str
    """The first characters."""
    tail: str
    """The last characters."""
    blob: BlobRef
    """Where the whole is stored."""
    file_id: str | None = None
    """Id of the file from which the model can read the whole; null: there was no room for one more file."""


def sha256_of(data: bytes) -> str:
    """The blob's address: SHA-256 in hex."""
    return hashlib.sha256(data).hexdigest()
