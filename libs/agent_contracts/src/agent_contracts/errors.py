"""The three failures, and the closed list of error kinds a tool result can carry."""

from enum import StrEnum

import msgspec

from agent_contracts.json_value import Json


class Failure(Exception):
    """What went wrong, in words for a person, with a `kind` for programs.

    `details` is what else whoever asked should know.
    """

    def __init__(self, message: str, *, kind: str, details: dict[str, Json] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.kind = kind
        self.details = details

    def __str__(self) -> str:
        """`message` as it is now: where something was taken out of it, no log may have it from here."""
        return self.message


class Rejected(Failure):
    """A rule said no. Trying again changes nothing; whoever asked must change the request.

    `path` is a JSON Pointer into what was asked, where one part of it is at fault.
    """

    def __init__(
        self,
        message: str,
        *,
        kind: str = "rejected",
        path: str | None = None,
        details: dict[str, Json] | None = None,
    ) -> None:
        super().__init__(message, kind=kind, details=details)
        self.path = path


class Transient(Failure):
    """Something was unreachable or busy. The same attempt may succeed after `retry_after` seconds."""

    def __init__(
        self,
        message: str,
        *,
        kind: str = "unavailable",
        retry_after: float | None = None,
        details: dict[str, Json] | None = None,
    ) -> None:
        super().__init__(message, kind=kind, details=details)
        self.retry_after = retry_after


class NotStarted(Transient):
    """What was asked for could not begin, and nothing of it was done: asking again can't do it twice."""


class Permanent(Failure):
    """This message can never be handled: it is set aside as a dead letter."""

    def __init__(
        self, message: str, *, kind: str = "permanent", details: dict[str, Json] | None = None
    ) -> None:
        super().__init__(message, kind=kind, details=details)


class Conflict(Rejected):
    """Someone else wrote first: the expected last sequence is not the last one any more."""

    def __init__(self, message: str) -> None:
        super().__init__(message, kind="conflict")


class LogCorrupt(Permanent):
    """A stream of events has a hole, or an event that its fold can't follow."""

    def __init__(self, message: str) -> None:
        super().__init__(message, kind="log_corrupt")


class ErrorKind(StrEnum):
    """Why a tool call has no ordinary result. The model reads it and can act on it."""

    MALFORMED_ARGUMENTS = "malformed_arguments"
    INVALID_ARGUMENTS = "invalid_arguments"
    WRITTEN_AS_TEXT = "written_as_text"
    UNKNOWN_TOOL = "unknown_tool"
    DISABLED_TOOL = "disabled_tool"
    NOT_AVAILABLE = "not_available"
    REJECTED = "rejected"
    NOT_FOUND = "not_found"
    CONFLICT = "conflict"
    TOO_LARGE = "too_large"
    TIMEOUT = "timeout"
    BLOCKED = "blocked"
    REFUSED = "refused"
    APPROVAL_NEEDED = "approval_needed"
    TOO_OFTEN = "too_often"
    UPSTREAM = "upstream"
    OUTCOME_UNKNOWN = "outcome_unknown"
    CANCELLED = "cancelled"
    EXPIRED = "expired"
    INTERNAL = "internal"


class ToolError(msgspec.Struct, frozen=True, omit_defaults=True):
    """Why a tool call failed, as the model sees it."""

    kind: ErrorKind
    """What went wrong, for programs."""
    message: str
    """What went wrong, in words; the model reads it."""
    path: str | None = None
    """JSON Pointer to the argument that is at fault; null: none is."""
    retryable: bool = False
    details: dict[str, Json] | None = None
    """For an error in the agent's own code: `name`, `stack`, `line`, `column` and `logs`. Null: another
    error."""
