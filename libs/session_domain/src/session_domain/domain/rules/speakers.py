"""Who speaks in a session: what people look for in a list of chats."""

from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import inputs, results
from agent_contracts.session_events.union import SessionEvent


def is_spoken(event: SessionEvent) -> bool:
    """Whether a person or the agent says something: a message, an answer, a question. What a session does
    otherwise, such as to fail and to try again, moves it nowhere in a list."""
    match event:
        case inputs.UserMessage() | inputs.ToolResponse() | ev.Waiting():
            return True
        case results.ModelCallCompleted(text=text, purpose="turn"):
            return bool(text.strip())
        case _:
            return False
