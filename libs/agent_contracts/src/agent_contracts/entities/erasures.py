"""What an `erased` entity says: a session, or an agent, is gone, or is about to be."""

from typing import Literal

import msgspec


class Erasure(msgspec.Struct, frozen=True, omit_defaults=True):
    """Who was erased with whom, and why. Its name is the session's id, or the agent's.

    `named` is what was asked for, `sessions` are all that go with it. `by` says who carries it out: of what a
    user deletes the projector, of what an administrator erases their command. `done_at` is when nothing was
    left.
    """

    what: Literal["session", "agent"]
    named: str
    sessions: tuple[str, ...]
    reason: str
    at: str
    by: Literal["user", "administrator"] = "administrator"
    done_at: str | None = None
