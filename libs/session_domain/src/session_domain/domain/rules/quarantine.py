"""Own tools that a model server refuses: not offered to that model again until they are edited. Pure."""

import msgspec

from agent_contracts.session_events.decisions import ToolQuarantined
from agent_contracts.session_events.results import ModelCallCompleted
from session_domain.domain.changes import SessionChanges
from session_domain.domain.state import Quarantine, SessionState


def found(state: SessionState, event: ModelCallCompleted) -> SessionChanges:
    """What a model call left out, so that its request was taken."""
    if not event.refused_tools:
        return {}
    refused = (Quarantine(model=event.model, **msgspec.structs.asdict(one)) for one in event.refused_tools)
    return {"refused_tools": (*state.refused_tools, *refused)}


def entering(refused: Quarantine) -> ToolQuarantined:
    """The decision that puts a tool into quarantine."""
    message = (
        f"The agent's tool {refused.tool} (version {refused.version}) is in quarantine: the model's server "
        f"refused the request because of it, and took it without. It said: “{refused.reason}” "
        "Nothing is lost; the tool is offered again as soon as it is edited."
    )
    return ToolQuarantined(message=message, **msgspec.structs.asdict(refused))


def entered(state: SessionState, event: ToolQuarantined) -> SessionChanges:
    """One tool is in quarantine; what was known of its earlier editions is over."""
    new = Quarantine(event.tool, event.version, event.written_at, event.model, event.reason)
    others = tuple(one for one in state.quarantined if (one.tool, one.model) != (new.tool, new.model))
    waiting = tuple(one for one in state.refused_tools if (one.tool, one.model) != (new.tool, new.model))
    return {"quarantined": (*others, new), "refused_tools": waiting}
