"""Which decisions tell those who work for a session to stop early; their results would be ignored anyway."""

from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events.union import SessionEvent


def told_to_stop(event: SessionEvent) -> str | None:
    """The id of the call that is over, "" for all of the session's calls, None where no call is."""
    match event:
        case ev.ToolCallCancelled(call_id=call_id):
            return call_id
        case ev.BecameIdle(cancelled_model_call=str(call_id)):
            return call_id
        case ev.Completed() | ev.Failed() | ev.Rewound(conversation=True):
            return ""
        case _:
            return None
