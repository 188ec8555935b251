"""What a model saw, by content hash: the blob that `ModelCallCompleted.context` names."""

import msgspec


class ContextPart(msgspec.Struct, frozen=True):
    """One part of the system prompt: its name and the SHA-256 of its text."""

    name: str
    sha256: str


class ModelContext(msgspec.Struct, frozen=True):
    """The parts of a request that are shared between calls, each a blob of its own.

    `system` in the order shown; `tools` the SHA-256 of each offered tool's definition (JSON, as sent).
    Messages are not here: they are the session's fold at the request. Nor is the clock: it is the time
    of the turn's start (`clock` says whether and where it was shown: the index in `system`).
    """

    system: list[ContextPart]
    tools: list[str]
    clock: int | None = None
    timezone: str = "UTC"
