"""What becomes of a call that a server refuses, or doesn't answer."""

from collections.abc import Mapping

import mcp_types as types

from agent_contracts.errors import ErrorKind, Permanent, Transient

_NO_SUCH_RESOURCE = -32002
"""How servers of protocols up to 2025-11-25 say so."""
KINDS: Mapping[int, ErrorKind] = {
    _NO_SUCH_RESOURCE: ErrorKind.NOT_FOUND,
    types.INVALID_PARAMS: ErrorKind.INVALID_ARGUMENTS,
    types.METHOD_NOT_FOUND: ErrorKind.NOT_AVAILABLE,
}
"""What a server's codes are to the model; any other is `upstream`."""


def no_answer(why: str, *, acts: bool) -> Permanent | Transient:
    """What is said of a call that got none: of one that `acts`, nobody knows what became of it."""
    if acts:
        message = (
            f"the server gave no answer ({why}); the call may or may not have taken effect, and it was not "
            "tried again: find out before you repeat it"
        )
        return Permanent(message, kind=ErrorKind.OUTCOME_UNKNOWN)
    return Transient(f"the server gave no answer ({why})", kind=ErrorKind.UPSTREAM)


def unusable_answer(why: str, *, acts: bool) -> Permanent:
    """What is said of a call whose answer can't be read: one that `acts` was made, and isn't to be repeated
    for that."""
    if acts:
        message = (
            f"the server answered the call, but its answer can't be used ({why}); the call may have taken "
            "effect: find out before you repeat it"
        )
        return Permanent(message, kind=ErrorKind.OUTCOME_UNKNOWN)
    return Permanent(f"the server's answer can't be used: {why}", kind=ErrorKind.UPSTREAM)


def root(error: BaseException) -> BaseException:
    """The one failure of a group of one."""
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    return error
