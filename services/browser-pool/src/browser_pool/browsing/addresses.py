"""Which addresses a page may be opened at."""

from agent_contracts.errors import ErrorKind, Rejected
from egress.targets import target_of

BLANK = "about:blank"
_LONGEST = 8_000


def checked_address(url: str) -> str:
    """The address as it is opened.

    `Rejected`: `invalid_arguments` for what is no URL, `blocked` for one that is neither http nor https, or
    holds a password. Where it leads is judged when it is opened.
    """
    url = url.strip()
    if url == BLANK:
        return url
    if len(url) > _LONGEST:
        raise Rejected(
            f"the URL is longer than {_LONGEST} characters", kind=ErrorKind.INVALID_ARGUMENTS, path="/url"
        )
    if ":" not in url.partition("/")[0]:
        raise Rejected(
            "this URL has no scheme: it must begin with https:// or http://",
            kind=ErrorKind.INVALID_ARGUMENTS,
            path="/url",
        )
    target_of(url)
    return url
