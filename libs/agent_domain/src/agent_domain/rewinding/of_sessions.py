"""What follows for the agent when a session is rewound."""

from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.rewinds import DATABASE, Rewind
from agent_contracts.ids import SessionId
from agent_contracts.kinds.rewound import SESSION_PART
from agent_contracts.selection import Selection
from agent_contracts.session_events.decisions import Rewound
from agent_contracts.session_events.inputs import RewindPart

_KINDS: dict[RewindPart, tuple[str, ...]] = {
    "conversation": (),
    "agent": tuple(kind.value for kind in SESSION_PART),
    "files": (EntityKind.FILE.value,),
    "database": (DATABASE,),
}


def rewind_of(session_id: SessionId, sequence: int, decided: Rewound) -> Rewind | None:
    """The rewind of the agent that the session's decision (event `sequence`) calls for, if it does."""
    kinds = [kind for part in decided.parts for kind in _KINDS[part]]
    if not kinds:
        return None
    return Rewind(
        id=f"{session_id}.rewind.{sequence}",
        to=decided.to,
        chosen=tuple(Selection(kind) for kind in kinds),
        session_id=session_id,
        including=decided.including,
    )
