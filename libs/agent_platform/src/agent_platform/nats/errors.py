"""What NATS and JetStream answer when something is wrong, as one of the three failures."""

from typing import Any

from agent_contracts.errors import Conflict, Failure, Permanent, Rejected, Transient

WRONG_LAST_SEQUENCE = (10071, 10164)
DUPLICATE_IN_BATCH = 10201
NOT_FOUND = (10014, 10037, 10059)
_DUPLICATE_IN_PROCESS = 10158
_INCOMPLETE_BATCH = 10176
"""The server doesn't know the batch's beginning, as after it was restarted in the middle."""
_PASSING = (_DUPLICATE_IN_PROCESS, _INCOMPLETE_BATCH)
_TOO_LARGE = 10054


class PermissionDenied(Rejected):
    """The connection's user may not publish there, or not subscribe to it."""

    def __init__(self, user: str, verb: str, subject: str) -> None:
        super().__init__(
            f"NATS user {user!r} may not {verb} {subject!r}: its service declares its rights in service.py",
            kind="not_permitted",
        )
        self.user = user
        self.subject = subject


class ApiError(Exception):
    """An error answer of JetStream: HTTP-like `code`, precise `err_code`, and its description."""

    def __init__(self, code: int, err_code: int, description: str) -> None:
        super().__init__(f"{description} ({code}/{err_code})")
        self.code = code
        self.err_code = err_code
        self.description = description

    @classmethod
    def of(cls, error: dict[str, Any]) -> "ApiError":
        """From the `error` object of an answer."""
        return cls(
            int(error.get("code", 500)), int(error.get("err_code", 0)), str(error.get("description", ""))
        )

    def as_failure(self, doing: str) -> Failure:
        """Which of the three failures this is; `doing` says what was tried."""
        message = f"{doing}: {self}"
        if self.err_code in WRONG_LAST_SEQUENCE:
            return Conflict(message)
        if self.err_code == _TOO_LARGE:
            return Rejected(message, kind="too_large")
        if self.code >= 500 or self.code in (408, 429) or self.err_code in _PASSING:
            return Transient(message)
        return Permanent(message, kind="jetstream")
