"""Rewinds of what an agent has: values of its one entity `rewind`, whose versions are all of them."""

from typing import Literal

import msgspec

from agent_contracts.ids import AgentId, SessionId
from agent_contracts.json_value import Json
from agent_contracts.selection import Selection, selects

DATABASE = "database"
"""In the place of a kind: the agent's database, as a whole."""

Why = Literal["changed_meanwhile", "changed_by_others", "path_taken", "inexact"]
"""Why something stays as it is: somebody wrote it after the rewind had begun; of a session's rewind, others
changed it too; another file has its path; or the database of that moment can't be made again."""


class NotRewound(msgspec.Struct, frozen=True):
    """One thing that was to go back and stays as it is."""

    kind: str
    """Kind of the thing, such as `skill`."""
    name: str
    """Its name, unique within its kind."""
    why: Why
    """`changed_meanwhile`: somebody changed it during the rewind. `changed_by_others`: another session or a
    person changed it too. `path_taken`: another file has its path. `inexact`: its earlier state can't be made
    again."""


class Rewind(msgspec.Struct, frozen=True, omit_defaults=True):
    """Things of the agent are to become what they were after event `to`; decided as of the event that says so
    first. What follows from it is written in batches by any engine, each write once.
    """

    id: str
    """The ids of the events that follow begin with it."""
    to: int
    chosen: tuple[Selection, ...] | None = None
    """What goes back; None: everything of `rewound.REWOUND_KINDS`, and the database."""
    undoes: int | None = None
    """Only what this event changed last."""
    session_id: SessionId | None = None
    """Only what this session changed since; of files, its sub-sessions too."""
    including: tuple[Selection, ...] = ()
    """With a session: what goes back although others changed it too."""
    source: AgentId | None = None
    """It becomes a copy of what this other agent was, for a probe: see `rewound.COPIED_KINDS`."""
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


def is_secret_setting(value: Json) -> bool:
    """Whether a setting's value is kept elsewhere, and only its newest: it goes neither back nor along."""
    return isinstance(value, dict) and set(value) == {"revision"}


def rewind_name(agent_id: AgentId) -> str:
    """The name of the agent's entity `rewind`: its id, as of the entity `agent`."""
    return agent_id


def rewind_from(value: Json) -> Rewind:
    """What a value of the kind `rewind` says."""
    return msgspec.convert(value, Rewind)
