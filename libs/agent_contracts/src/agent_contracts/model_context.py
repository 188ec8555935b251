"""What a model saw, as it is recorded: what calls share by content hash, messages by their place."""

import hashlib
from collections.abc import Sequence
from typing import Literal

import msgspec

Added = Literal["warning", "summary"]
"""What a model is asked for besides its turn: to note what matters, or to sum its messages up."""


class ContextPart(msgspec.Struct, frozen=True):
    """One part of the system prompt: its name and the SHA-256 of its text."""

    name: str
    sha256: str


class PictureRule(msgspec.Struct, frozen=True):
    """Which pictures a model is shown: the latest `most`, each of at most `largest` bytes and `longest`
    pixels on a side, `together` bytes in all. Of the earlier ones, `at_once` go together."""

    most: int
    at_once: int
    largest: int
    longest: int
    together: int


class ModelContext(msgspec.Struct, frozen=True):
    """The parts of a request that are shared between calls, each a blob of its own.

    `ModelCallCompleted.context` names the blob of it. `system` in the order shown; `tools` the SHA-256 of
    each offered tool's definition (JSON, as sent). Times are not among the parts: they stand beside the
    messages that turns began with, in `timezone` (None: nowhere). `shapes` is the SHA-256 of the shapes in
    which messages and times were put: with them, what was shown can be built again whatever today's prompt
    looks like. `pictures`: which pictures were shown; None: there were none, or the model saw none.
    """

    system: list[ContextPart]
    tools: list[str]
    shapes: str
    timezone: str | None = None
    pictures: PictureRule | None = None


class ShownMessages(msgspec.Struct, frozen=True, omit_defaults=True):
    """Which messages of the session, folded at the request, a model call showed. Grows with what is new."""

    digest: str
    """Hash of all of them."""
    kept: int = 0
    """They begin with this number of the messages of the last call before it whose answer is in the
    history."""
    new: tuple[int, ...] | None = None
    """The messages that follow: each by its index in the history; the summary of shadow k is -1 - k. Null:
    one, with the index `kept`."""
    added: Added | None = None
    """What the model was asked for besides, at the end; null: nothing."""

    @property
    def beyond(self) -> tuple[int, ...]:
        """What `new` says."""
        return (self.kept,) if self.new is None else self.new

    @property
    def count(self) -> int:
        """How many they are, without what was added."""
        return self.kept + len(self.beyond)


def digest_of(messages: Sequence[int]) -> str:
    """What tells one choice of messages from another: 48 bits of a SHA-256."""
    return hashlib.sha256(msgspec.json.encode(messages)).hexdigest()[:12]


def shown_after(
    before: ShownMessages | None,
    messages: Sequence[int],
    added: Added | None = None,
) -> ShownMessages:
    """How to record that these are shown, after a call that showed `before`."""
    kept = 0
    if before is not None and digest_of(messages[: before.count]) == before.digest:
        kept = before.count
    new = tuple(messages[kept:])
    return ShownMessages(digest_of(messages), kept, new if new != (kept,) else None, added)
