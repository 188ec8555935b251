"""Rewinds of what an agent has: values of its one entity `rewind`, whose versions are all of them."""

from collections.abc import Iterable
from typing import Literal

import msgspec

from agent_contracts.entities.entity import EntityKind
from agent_contracts.errors import Rejected
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.json_value import Json
from agent_contracts.selection import Selection, selects

DATABASE = "database"
"""In the place of a kind: the agent's database, as a whole."""
KEPT_KINDS = frozenset(
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
        EntityKind.REWIND,
        EntityKind.BISECTION,
        EntityKind.MODEL_ADAPTATIONS,
    )
)
"""What no rewind of an agent changes: the agent itself; what belongs to sessions, which stay; what came from
outside or became of something; secrets, whose values no event holds; and what says that a path is taken."""
REWOUND_KINDS = tuple(kind for kind in EntityKind if kind not in KEPT_KINDS and kind is not EntityKind.PATH)
"""The kinds that go back with an agent. Paths go with their files."""
_MADE_BY_SESSIONS = (
    EntityKind.PROMPT,
    EntityKind.NOTES,
    EntityKind.STATE,
    EntityKind.TOOL,
    EntityKind.FUNCTION,
    EntityKind.LIBRARY,
    EntityKind.COMPONENT,
    EntityKind.SKILL,
    EntityKind.PLAYBOOK,
)
SESSION_PART = (
    *_MADE_BY_SESSIONS,
    EntityKind.NOTEPAD,
    EntityKind.PLAN,
    EntityKind.INBOX,
    EntityKind.REMINDER,
    EntityKind.SCHEDULE,
)
"""The kinds that go back with a session's part `agent`. Files are another part."""
COPIED_KINDS = (*_MADE_BY_SESSIONS, EntityKind.FILE, EntityKind.SETTING)
"""What a probe's copy of an agent has, besides the database. It has nothing that acts by itself, and no
secret."""
_CLEARED_KINDS = (EntityKind.REMINDER, EntityKind.SCHEDULE)
"""What such a copy lacks. If a probe makes any of these, the next copy deletes it."""
WRITTEN_BY_REWINDS = frozenset((*REWOUND_KINDS, *SESSION_PART, EntityKind.PATH, EntityKind.REWIND))
"""What engines write when they complete rewinds."""

Why = Literal["changed_meanwhile", "changed_by_others", "path_taken", "inexact"]
"""Why something stays as it is: somebody wrote it after the rewind had begun; of a session's rewind, others
changed it too; another file has its path; or the database of that moment can't be made again."""


class NotRewound(msgspec.Struct, frozen=True):
    """One thing that was to go back and stays as it is."""

    kind: str
    name: str
    why: Why


class Rewind(msgspec.Struct, frozen=True, omit_defaults=True):
    """Things of the agent are to become what they were after event `to`; decided as of the event that says so
    first. What follows from it is written in batches by any engine, each write once.
    """

    id: str
    """The ids of the events that follow begin with it."""
    to: int
    chosen: tuple[Selection, ...] | None = None
    """What goes back; None: everything of `REWOUND_KINDS`, and the database."""
    undoes: int | None = None
    """Only what this event changed last."""
    session_id: SessionId | None = None
    """Only what this session changed since; of files, its sub-sessions too."""
    including: tuple[Selection, ...] = ()
    """With a session: what goes back although others changed it too."""
    source: AgentId | None = None
    """It becomes a copy of what this other agent was, for a probe: see `COPIED_KINDS`."""
    done: bool = False
    """Whether everything is written. The version that says so follows the one that began it."""
    rewound: dict[str, int] = {}
    """How many things of each kind went back, once it is done."""
    stays: tuple[NotRewound, ...] = ()
    """What stays, once it is done: at most 200 things."""

    def includes(self, kind: str, name: str) -> bool:
        """Whether this thing goes back."""
        return self.chosen is None or selects(self.chosen, kind, name)

    def includes_others(self, kind: str, name: str) -> bool:
        """Whether it goes back although others changed it too."""
        return self.session_id is None or selects(self.including, kind, name)

    @property
    def kinds(self) -> tuple[EntityKind, ...]:
        """The kinds of which anything goes back."""
        if self.source is not None:
            return (*COPIED_KINDS, *_CLEARED_KINDS)
        if self.chosen is None:
            return REWOUND_KINDS
        wanted = {one.kind for one in self.chosen}
        return tuple(kind for kind in EntityKind if kind in wanted)


def check_kinds(kinds: Iterable[str], rewound: Iterable[EntityKind] = REWOUND_KINDS) -> None:
    """`Rejected` unless each of these is `database` or one of the kinds that a rewind takes back."""
    known = [*(kind.value for kind in rewound), DATABASE]
    for kind in kinds:
        if kind not in known:
            raise Rejected(
                f"Things of the kind {kind!r} can't be rewound: choose among {', '.join(known)}",
                kind="invalid_request",
            )


def is_secret_setting(value: Json) -> bool:
    """Whether a setting's value is kept elsewhere, and only its newest: it goes neither back nor along."""
    return isinstance(value, dict) and set(value) == {"revision"}


def rewind_name(agent_id: AgentId) -> str:
    """The name of the agent's entity `rewind`: its id, as of the entity `agent`."""
    return agent_id


def rewind_from(value: Json) -> Rewind:
    """What a value of the kind `rewind` says."""
    return msgspec.convert(value, Rewind)
