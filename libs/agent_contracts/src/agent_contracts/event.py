"""What every session event has in common."""

from functools import lru_cache

import msgspec


class Event(msgspec.Struct, frozen=True, tag_field="type", omit_defaults=True):
    """A fact in a stream. Its tag is its literal, versioned wire name, never derived from the class.

    Fields that were added after version 1 was first written have a default, so older events decode.
    """


@lru_cache(maxsize=256)
def kind_of(event_type: str) -> str:
    """The word between `foldline.session.` and the version: `user_message`."""
    return event_type.rsplit(".", 2)[1]
