"""Which kinds go back with a rewind, and which of them a probe's copy of an agent has."""

from collections.abc import Iterable

from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.rewinds import DATABASE, Rewind
from agent_contracts.errors import Rejected
from agent_contracts.kinds.registry import ACTING_KINDS, KINDS

REWOUND_KINDS = tuple(kind for kind, one in KINDS.items() if one.is_restored)
"""The kinds that go back with an agent. Paths go with their files."""
SESSION_PART = tuple(kind for kind, one in KINDS.items() if one.with_session)
"""The kinds that go back with a session's part `agent`. Files are another part."""
COPIED_KINDS = tuple(kind for kind, one in KINDS.items() if one.copied_by_probes)
"""What a probe's copy of an agent has, besides the database. It has nothing that acts by itself, and no
secret."""


def kinds_of(wanted: Rewind) -> tuple[EntityKind, ...]:
    """The kinds of which anything goes back."""
    if wanted.source is not None:
        return (*COPIED_KINDS, *ACTING_KINDS)  # what a probe itself made of the latter is deleted
    if wanted.chosen is None:
        return REWOUND_KINDS
    chosen = {one.kind for one in wanted.chosen}
    return tuple(kind for kind in KINDS if kind in chosen)


def check_kinds(kinds: Iterable[str], rewound: Iterable[EntityKind] = REWOUND_KINDS) -> None:
    """`Rejected` unless each of these is `database` or one of the kinds that a rewind takes back."""
    known = [*(kind.value for kind in rewound), DATABASE]
    for kind in kinds:
        if kind not in known:
            raise Rejected(
                f"Things of the kind {kind!r} can't be rewound: choose among {', '.join(known)}",
                kind="invalid_request",
            )
