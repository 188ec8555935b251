"""Pictures that a model is to see: of a message, or of what a tool gave."""

import msgspec

SEEN_TYPES = frozenset(("image/png", "image/jpeg", "image/gif", "image/webp"))
"""What providers take as a picture."""


class Picture(msgspec.Struct, frozen=True):
    """A picture."""

    blob: str
    media_type: str
    size: int
    name: str
    """What a model that can't see it reads instead."""
