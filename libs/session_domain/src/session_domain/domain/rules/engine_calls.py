"""What the tools that run in the fold have in common: their arguments, and what ends their calls."""

from typing import Annotated, TypeVar

import msgspec

from agent_contracts.errors import ErrorKind, ToolError
from agent_contracts.flaw_places import located
from agent_contracts.json_value import Json
from agent_contracts.log.record.session_subjects import ENGINE_AS_RUNNER
from agent_contracts.outside import Sources
from agent_contracts.session_events.decisions import Decision
from agent_contracts.session_events.results import (
    ToolCallCompleted,
    ToolCallEnd,
    ToolCallFailed,
)
from agent_contracts.whole_numbers import whole
from session_domain.domain.messages import SessionToolCall

Decided = Decision | ToolCallEnd
"""What `decide` may decide: the engine writes the results of its own tools itself."""

Text = Annotated[str, msgspec.Meta(min_length=1)]
T = TypeVar("T", bound=msgspec.Struct)


class CallRefused(Exception):
    """A rule says no to a call; `error` ends it."""

    def __init__(self, kind: ErrorKind, message: str, path: str | None = None) -> None:
        super().__init__(message)
        self.error = ToolError(kind, message, path)


def arguments_of(call: SessionToolCall, shape: type[T]) -> T:
    """The call's arguments. Raises `CallRefused` for those that don't fit."""
    try:
        return msgspec.convert(whole(call.arguments), shape)
    except msgspec.ValidationError as error:
        message, path = located(error)
        raise CallRefused(ErrorKind.INVALID_ARGUMENTS, message, path) from error


def completed(call: SessionToolCall, result: Json, outside: Sources = ()) -> ToolCallCompleted:
    """The call has this result."""
    return ToolCallCompleted(call.call_id, result, ENGINE_AS_RUNNER, outside=outside)


def failed(call: SessionToolCall, kind: ErrorKind, message: str) -> ToolCallFailed:
    """The call fails."""
    return ToolCallFailed(call.call_id, ToolError(kind, message), ENGINE_AS_RUNNER)
