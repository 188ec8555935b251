"""What an `erased` entity says: a session, old runs of tasks, or an agent, are gone, or are about to be."""

from typing import Literal

import msgspec


class Erasure(msgspec.Struct, frozen=True, omit_defaults=True):
    """Who was erased with whom, and why. Its name is the session's id, the agent's, or that of some `runs`.

    `named` is what was asked for, `sessions` are all that go with it. `by` says who carries it out: of what a
    user deletes, and of what was kept long enough by settings (`retention`), the projector; of what an
    administrator erases their command. `records` are those of the log that told what became of the runs.
    `done_at` is when nothing was left; then the mark of runs doesn't list them any more, but has their
    `count`.
    """

    what: Literal["session", "agent", "runs"]
    named: str
    sessions: tuple[str, ...]
    reason: str
    at: str
    by: Literal["user", "administrator", "retention"] = "administrator"
    done_at: str | None = None
    records: tuple[int, ...] = ()
    count: int = 0
