"""A folded session as JSON, for people and programs."""

import msgspec

from agent_contracts.json_value import Json
from session_domain.domain.state import Message, Session, ToolCall


def session_view(state: Session) -> dict[str, Json]:
    """Everything a session folds to. Sequences are the log's; usage is of the whole session, in tokens."""
    return {
        "session_id": state.session_id,
        "agent_id": state.agent_id,
        "status": state.status.value,
        "title": state.title,
        "model": state.model,
        "parent_id": state.parent_id,
        "depth": state.depth,
        "token_limit": state.token_limit,
        "usage": {
            "input": state.totals.input,
            "output": state.totals.output,
            "cached_input": state.totals.cached_input,
        },
        "error": msgspec.to_builtins(state.failure),
        "open_calls": [call_view(call) for call in state.open_calls()],
        "queue": [message_view(message) for message in state.queue],
        "messages": [message_view(message) for message in state.messages()],
        "children": [msgspec.to_builtins(child) for child in state.children],
        "forked_from": msgspec.to_builtins(state.forked_from),
        "last_sequence": state.last_sequence,
        "rest_at": state.rest_at,
        "events": state.position,
        "model_calls": state.model_calls,
    }


def message_view(message: Message) -> dict[str, Json]:
    """One message with its calls."""
    return {
        "sequence": message.sequence,
        "role": message.role,
        "text": message.text,
        "files": list(message.files),
        "tool_calls": [call_view(call) for call in message.tool_calls],
    }


def call_view(call: ToolCall) -> dict[str, Json]:
    """One tool call."""
    view: dict[str, Json] = msgspec.to_builtins(call)
    return view
