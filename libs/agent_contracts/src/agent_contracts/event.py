"""What every session event has in common."""

import msgspec


class Event(msgspec.Struct, frozen=True, tag_field="type", omit_defaults=True):
    """A fact in a stream. Its tag is its literal, versioned wire name, never derived from the class.

    Fields that were added after version 1 was first written have a default, so older events decode.
    """
