"""What Playwright raises, as what a call is told."""

import re

from playwright.async_api import Error

from agent_contracts.errors import ErrorKind, Failure, Permanent, Rejected, Transient

_NET = re.compile(r"net::(ERR_[A-Z0-9_]+)")
_SHOWN = 500
_WORDS = {
    "ERR_NAME_NOT_RESOLVED": "there is no such host",
    "ERR_CONNECTION_REFUSED": "nothing listens there",
    "ERR_CONNECTION_RESET": "the server broke the connection off",
    "ERR_CONNECTION_CLOSED": "the server broke the connection off",
    "ERR_EMPTY_RESPONSE": "the server answered nothing",
    "ERR_TOO_MANY_REDIRECTS": "it redirects without end",
    "ERR_TIMED_OUT": "the server did not answer in time",
    "ERR_CONNECTION_TIMED_OUT": "the server did not answer in time",
    "ERR_INVALID_RESPONSE": "the server's answer is not HTTP",
    "ERR_ABORTED": "the page broke the navigation off, or the answer has no content",
}


def no_answer(*, closed: bool) -> Failure:
    """The page doesn't answer; `closed`, since nothing of it does."""
    why = ", since a script of it runs without end: the page was closed" if closed else ""
    return Permanent(f"the page did not answer in time{why}", kind=ErrorKind.TIMEOUT)


def failure_of(error: Error) -> Failure:
    """For a page that lives: whatever a call wanted of it can't be had."""
    text = str(error)
    found = _NET.search(text)
    if found is not None:
        return _of_network(found.group(1))
    if "Timeout" in type(error).__name__:
        return no_answer(closed=False)
    if "crash" in text.lower():
        return Permanent("the page crashed, as by too much memory, and is gone", kind=ErrorKind.UPSTREAM)
    if "closed" in text.lower():
        return Permanent("the page was closed while the call ran", kind=ErrorKind.UPSTREAM)
    first = text.splitlines()[0] if text else type(error).__name__
    return Rejected(first.partition(": ")[2][:_SHOWN] or first[:_SHOWN])


def _of_network(name: str) -> Failure:
    if name in ("ERR_BLOCKED_BY_CLIENT", "ERR_BLOCKED_BY_RESPONSE", "ERR_BLOCKED_BY_ADMINISTRATOR"):
        return Rejected(f"the address may not be opened ({name})", kind=ErrorKind.BLOCKED)
    if name in ("ERR_UNKNOWN_URL_SCHEME", "ERR_UNSAFE_PORT", "ERR_DISALLOWED_URL_SCHEME"):
        return Rejected(f"a browser does not open such addresses ({name})", kind=ErrorKind.BLOCKED)
    if "CERT" in name or "SSL" in name:
        return Transient(f"its certificate is not valid ({name})", kind=ErrorKind.UPSTREAM)
    return Transient(f"{_WORDS.get(name, 'it could not be loaded')} ({name})", kind=ErrorKind.UPSTREAM)
