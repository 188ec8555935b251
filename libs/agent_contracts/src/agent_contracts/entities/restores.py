"""Restores of a whole agent: what the entity `restored` says. An agent has one; its versions tell of all."""

from collections.abc import Iterable
from typing import Literal

import msgspec

from agent_contracts.entities.entity import EntityKind
from agent_contracts.errors import Rejected
from agent_contracts.ids import AgentId
from agent_contracts.json_value import Json

DATABASE = "database"
"""In the place of a kind: the agent's database, as a whole."""
STAYING_KINDS = frozenset(
    (
        EntityKind.AGENT,
        EntityKind.NOTEPAD,
        EntityKind.PLAN,
        EntityKind.INBOX,
        EntityKind.RUN,
        EntityKind.SECRET,
        EntityKind.ERASED,
        EntityKind.CALL,
        EntityKind.MCP_TOOLS,
        EntityKind.RESTORED,
        EntityKind.BISECTION,
        EntityKind.MODEL_ADAPTATIONS,
    )
)
"""What no restore changes: the agent itself; what belongs to sessions, which stay; what came from outside or
became of something; secrets, whose values no event holds; and what says that a path is taken."""
RESTORED_KINDS = tuple(
    kind for kind in EntityKind if kind not in STAYING_KINDS and kind is not EntityKind.PATH
)
"""The kinds that go back. Paths go with their files."""

Why = Literal["changed_meanwhile", "path_taken"]
"""Why something stays: somebody wrote it after the restore had begun, or another file has its path."""


class Chosen(msgspec.Struct, frozen=True, omit_defaults=True):
    """What goes back: all of one kind that changed since, or only the things of these names.

    `kind` is that of an entity, or `database`.
    """

    kind: str
    names: tuple[str, ...] | None = None


class Stays(msgspec.Struct, frozen=True):
    """One thing that was to go back and didn't."""

    kind: str
    name: str
    why: Why


class Restored(msgspec.Struct, frozen=True, omit_defaults=True):
    """The agent is to be what it was after event `to`, as of the event that says so first; `chosen` alone, if
    given. `undoes`: only where this event is still the last of a thing by then.

    What follows from it is written in batches whose events' ids begin with `id`; whoever finds one that is
    not `done` completes it. Then the next version says how many things of each kind went back (`restored`),
    and what `stays` (at most so many of them).
    """

    id: str
    to: int
    chosen: tuple[Chosen, ...] | None = None
    undoes: int | None = None
    done: bool = False
    restored: dict[str, int] = {}
    stays: tuple[Stays, ...] = ()

    def includes(self, kind: str, name: str) -> bool:
        """Whether something goes back."""
        if self.chosen is None:
            return True
        return any(one.kind == kind and (one.names is None or name in one.names) for one in self.chosen)


def check_kinds(kinds: Iterable[str]) -> None:
    """`Rejected` where a restore changes no such things."""
    known = [*(kind.value for kind in RESTORED_KINDS), DATABASE]
    for kind in kinds:
        if kind not in known:
            raise Rejected(
                f"Things of the kind {kind!r} can't be restored: choose among {', '.join(known)}",
                kind="invalid_request",
            )


def is_secret_setting(value: Json) -> bool:
    """Whether a setting's value is kept elsewhere, and only its newest: it goes neither back nor along."""
    return isinstance(value, dict) and set(value) == {"revision"}


def restored_name(agent_id: AgentId) -> str:
    """The name of the agent's entity `restored`: its id, as of the entity `agent`."""
    return agent_id


def restored_from(value: Json) -> Restored:
    """What a value of the kind `restored` says."""
    return msgspec.convert(value, Restored)
