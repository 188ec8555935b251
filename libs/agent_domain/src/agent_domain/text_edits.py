"""Edits of a text by operation. Pure; every text is taken literally, no character means anything else."""

import msgspec

from agent_contracts.api.state import Operation
from agent_contracts.errors import ErrorKind, Rejected

LARGEST_TEXT = 1024 * 1024
"""Bytes of UTF-8 that an edited text may have."""


class TextEdit(msgspec.Struct, frozen=True):
    """One edit. Which texts it needs depends on the operation; those that it doesn't are ignored."""

    operation: Operation
    content: str | None = None
    find: str | None = None
    replace: str | None = None
    replace_all: bool = False


def edited(text: str, edit: TextEdit) -> str:
    """The text after the edit.

    Raises `Rejected`: kind `invalid_arguments` for an edit that lacks a text it needs, or looks for an empty
    one; `rejected` where the text it looks for isn't there; `too_large` over `LARGEST_TEXT`.
    """
    match edit.operation:
        case Operation.REPLACE:
            made = _needed(edit.content, "content", edit)
        case Operation.APPEND:
            made = text + _needed(edit.content, "content", edit)
        case Operation.PREPEND:
            made = _needed(edit.content, "content", edit) + text
        case Operation.FIND_REPLACE:
            made = _replaced(
                text, _sought(edit.find, "find", edit), _needed(edit.replace, "replace", edit), edit
            )
        case Operation.DELETE:
            made = _replaced(text, _sought(edit.content, "content", edit), "", edit)
    check_size(made)
    return made


def check_size(text: str) -> None:
    """`Rejected(kind="too_large")` for a text over `LARGEST_TEXT`."""
    size = len(text) if len(text) > LARGEST_TEXT else len(text.encode(errors="surrogatepass"))
    if size > LARGEST_TEXT:
        raise _too_large()


def _replaced(text: str, find: str, replace: str, edit: TextEdit) -> str:
    found = text.count(find)
    if not found:
        name = "content" if edit.operation is Operation.DELETE else "find"
        raise Rejected(
            f"Nothing was changed: the text doesn't contain the {name} given, character by character",
            path=f"/{name}",
        )
    times = found if edit.operation is Operation.FIND_REPLACE and edit.replace_all else 1
    if len(text) + times * (len(replace) - len(find)) > LARGEST_TEXT:
        raise _too_large()  # before it is made: many short finds and a long replacement fill any memory
    return text.replace(find, replace, times)


def _needed(given: str | None, name: str, edit: TextEdit) -> str:
    if given is None:
        raise Rejected(f"{edit.operation} needs {name}", kind=ErrorKind.INVALID_ARGUMENTS, path=f"/{name}")
    return given


def _sought(given: str | None, name: str, edit: TextEdit) -> str:
    text = _needed(given, name, edit)
    if not text:
        raise Rejected(
            f"{edit.operation} needs a {name} that is not empty",
            kind=ErrorKind.INVALID_ARGUMENTS,
            path=f"/{name}",
        )
    return text


def _too_large() -> Rejected:
    return Rejected(
        f"Nothing was changed: the text would have more than {LARGEST_TEXT} bytes", kind=ErrorKind.TOO_LARGE
    )
