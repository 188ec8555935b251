"""What the product knows of one kind of thing that an agent has: each file beside this one declares one."""

from collections.abc import Mapping
from typing import Any, Generic, Literal, TypeVar

import msgspec

from agent_contracts.entities.entity import EntityKind
from agent_contracts.event_sources import ANYONE, ENGINE, GATEWAY, RUNNER, SCHEDULER, SERVICE, USER, Writers

Named = Literal["chosen", "id", "session", "agent", "one"]
"""How a thing comes by its name: who makes it chooses one; the product makes an id; it is the id of the
session whose it is, or of the agent; or there is only one name, so each agent has at most one such thing."""
Part = Literal["texts", "state", "code", "pages", "skills", "files", "schedules", "other"]
"""What its bytes are counted as, where people see what an agent keeps."""

BY_AGENTS: Writers = {GATEWAY: ANYONE, RUNNER: ANYONE}
"""People and agents write it; no rewind does."""
REWOUND: Writers = {**BY_AGENTS, ENGINE: USER}
"""As `BY_AGENTS`; engines complete rewinds, in the name of the person who asked."""
COPIED: Writers = {**BY_AGENTS, ENGINE: ANYONE}
"""As `BY_AGENTS`; a fork gets copies of it."""
SCHEDULED: Writers = {**REWOUND, SCHEDULER: SERVICE}
"""As `REWOUND`; the scheduler writes what became of its time."""
BY_PEOPLE: Writers = {GATEWAY: USER, ENGINE: USER}
"""Only people write it, themselves or by a rewind."""

V = TypeVar("V")


class ThingKind(msgspec.Struct, Generic[V], frozen=True, kw_only=True):
    """One kind. What isn't said is as with what agents make for themselves, such as a playbook."""

    kind: EntityKind
    """Its name in events, subjects and rows."""
    noun: str
    """What people call one, in messages and lists."""
    nouns: str
    """What people call several."""
    shape: type[V]
    """The struct of its value, which is also the request, the answer and the row; `object`: any JSON."""
    is_text: bool = False
    """Whether its value is a text, or an object whose member `text` is one."""
    initial: str | None = None
    """What such a text says while nobody has written it; None: it isn't there then."""
    named: Named = "chosen"
    """How it comes by its name."""
    name: str = ""
    """The rule for its name, as a regular expression; of `one` the name itself. Empty: any name."""
    label: str = ""
    """The member of its value that people call it by, rather than by its name."""
    most: int | None = None
    """The number of them that an agent may have (of what acts, before its time has come); None: only its
    quota bounds them."""
    writers: Writers = msgspec.field(default_factory=lambda: REWOUND)
    """Who may write it, in whose name. The services' NATS rights follow from it."""
    stays: str = ""
    """Why no rewind of an agent takes it back; empty: rewinds do."""
    with_session: bool = True
    """Whether a session's rewind takes back what the session changed of it."""
    copied_by_probes: bool = True
    """Whether a probe's copy of an agent has it."""
    acts: bool = False
    """Whether it acts when its time has come. A probe's copy of an agent loses it, and its times are
    cancelled with the agent."""
    counted_as: Part = "other"
    """What its bytes are counted as."""
    in_prompt: bool = False
    """Whether models are told of each by name."""
    made_by: str = ""
    """The tool with which an agent makes one, whose parameters people's own are checked by; empty: none."""
    shown: bool = True
    """Whether *History* and *Changes* show it."""
    has_row: bool = True
    """Whether `entities` in Postgres has a row for each. Those of the others are in `events` alone."""
    times: tuple[str, ...] = ()
    """The members of its value that are times: RFC 3339 in UTC."""
    session_in: str = ""
    """The member of its value that names the session whose it is, with which it is erased."""

    @property
    def is_restored(self) -> bool:
        """Whether a rewind of an agent takes it back."""
        return not self.stays

    @property
    def is_switchable(self) -> bool:
        """Whether one can be enabled and disabled."""
        return "enabled" in getattr(self.shape, "__struct_fields__", ())


AnyKind = ThingKind[Any]
Declared = Mapping[EntityKind, AnyKind]
