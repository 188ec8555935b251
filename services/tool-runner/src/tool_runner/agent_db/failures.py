"""What SQLite raises, as one of our failures."""

import apsw

from agent_contracts.errors import Failure, Rejected, Transient
from tool_runner.agent_db.limits import STATEMENT_S, VALUE_BYTES

_COPY_UNUSABLE = (
    apsw.CorruptError,
    apsw.NotADBError,
    apsw.IOError,
    apsw.CantOpenError,
    apsw.NoMemError,
    apsw.PermissionsError,
)


class CopyUnusable(Transient):
    """This runner's copy of a database can't be read or written any more; another is made from the log."""

    def __init__(self, message: str) -> None:
        super().__init__(f"the local copy of the database is unusable: {message}", kind="copy_unusable")


def failure_of(error: apsw.Error | UnicodeDecodeError, *, preparing: bool, most_bytes: int) -> Failure:
    """The failure for what a statement met while it was prepared, or while it ran."""
    text = str(error)
    match error:
        case UnicodeDecodeError():
            return Rejected("a text in the result is not UTF-8: CAST it AS BLOB", path="/sql")
        case apsw.InterruptError():
            return Rejected(
                f"the statement was stopped after {STATEMENT_S:g} seconds; nothing was changed",
                kind="timeout",
            )
        case apsw.FullError():
            return Rejected(
                f"the database may have at most {most_bytes} bytes (FOLDLINE_AGENT_DATABASE_LIMIT); nothing "
                "was changed. Delete what is not needed",
                kind="too_large",
            )
        case apsw.TooBigError():
            return Rejected(f"a value or row may have at most {VALUE_BYTES} bytes", kind="too_large")
        case apsw.BindingsError():
            return Rejected(f"the parameters don't fit: {text}", kind="invalid_arguments", path="/params")
        case _ if isinstance(error, _COPY_UNUSABLE):
            return CopyUnusable(text)
        case apsw.SQLError() if "VACUUM" in text:  # of all statements this one alone has no authorizer's code
            return Rejected("VACUUM is not available", kind="blocked", path="/sql")
        case apsw.SQLError() if preparing:
            offset = getattr(error, "error_offset", -1)
            where = f" (at byte {offset})" if offset >= 0 else ""
            return Rejected(f"{text}{where}", kind="invalid_arguments", path="/sql")
        case _:
            return Rejected(text)
