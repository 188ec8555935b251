"""What goes wrong, in words that hold no secret: for logs, problems, health, traces and events.

Libraries put whole headers and addresses into their exceptions, also with secrets that Foldline doesn't know:
a server's cookie, a token in a redirect. So more is taken out of these texts than what is known.
"""

import re

from agent_platform.secrecy.known_secrets import KNOWN, MASK

_HEADERS = (
    "authorization",
    "proxy-authorization",
    "cookie",
    "set-cookie",
    "x-api-key",
    "api-key",
    "x-goog-api-key",
    "x-auth-token",
    "x-csrf-token",
    "x-amz-security-token",
)
_NAMES = "|".join(_HEADERS)
_PARAMETERS = (
    r"(?:access|refresh|id|auth|session)?_?token|api[-_]?key|key|sig|signature|(?:client_)?secret"
    r"|pass(?:word|wd)?|code|assertion|x-(?:amz|goog)-(?:signature|credential|security-token)"
)
_TAKEN_OUT = (
    # A header as HTTP has it, in a dict's or a list's repr, with its name in quotes or in bytes.
    (
        _HEADERS,
        rf"(?P<kept>\b(?:{_NAMES})\b\\*[\"']?\s?[:=,]\s?b?\\*[\"'])(?P<secret>.*?)(?=(?<!\\)\\*[\"']|$)",
    ),
    (_HEADERS, rf"(?P<kept>\b(?:{_NAMES})\s?[:=]\s?)(?P<secret>[^\s\"'][^\r\n\"'}}]*)"),
    (("bearer ",), r"(?P<kept>\bBearer\s)(?P<secret>(?![a-z]{1,14}(?![\w.-]))[^\s\"',;)]+)"),
    (
        ("basic ",),
        r"(?P<kept>\b(?-i:Basic)\s)(?P<secret>(?-i:(?=[A-Za-z0-9+/_-]*[0-9A-Z])[A-Za-z0-9+/_-]{8,}=*))",
    ),
    (("://",), r"(?P<kept>://)(?P<secret>[^/\s@\"'<>]{1,2000})(?=@)"),
    (("=",), rf"(?P<kept>[?&;#](?:{_PARAMETERS})=)(?P<secret>[^&\s\"'<>#;]+)"),
    (("/bot",), r"(?P<kept>/bot)(?P<secret>\d{1,20}:[A-Za-z0-9_-]{20,})"),
    (
        ("sk-", "sk_", "pk-", "pk_", "rk-", "rk_", "xai-", "xai_"),
        r"(?P<kept>)(?P<secret>(?-i:\b(?:sk|pk|rk|gsk|xai|csk)[-_][A-Za-z0-9*._-]{6,}))",
    ),
    (("aiza",), r"(?P<kept>)(?P<secret>(?-i:\bAIza[A-Za-z0-9_-]{10,}))"),
    (
        ("gh", "xox"),
        r"(?P<kept>)(?P<secret>\bgh[pousr]_[A-Za-z0-9]{16,}|\bgithub_pat_\w{16,}|\bxox[a-z]-[A-Za-z0-9-]{8,})",
    ),
    (("akia", "asia"), r"(?P<kept>)(?P<secret>(?-i:\b(?:AKIA|ASIA)[A-Z0-9]{16}\b))"),
    (("eyj",), r"(?P<kept>)(?P<secret>(?-i:\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*))"),
)
_PATTERNS = tuple((hints, re.compile(pattern, re.IGNORECASE | re.MULTILINE)) for hints, pattern in _TAKEN_OUT)
"""Each with what a text has in small letters that it can match: most log lines have none of these."""


def failure_text(text: str) -> str:
    """The text with `MASK` for every known secret, in any spelling, and for whatever stands where secrets do:
    in headers such as `Authorization` and `Cookie`, in an address before its `@` or in its query, and what
    has the form of a provider's key."""
    text = KNOWN.failure(text)
    small = text.lower()
    for hints, pattern in _PATTERNS:
        if any(hint in small for hint in hints):
            text = pattern.sub(rf"\g<kept>{MASK}", text)
    return text


def failure_of(error: BaseException) -> str:
    """What an exception says, in words that hold no secret: its text, or its class's name where it has none.

    Never its `repr`: that shows whatever objects a library raised it with, such as the headers of a request.
    """
    if isinstance(error, UnicodeError):
        return _of_unicode(error)
    return failure_text(str(error)) or type(error).__name__


def bug_text(error: BaseException) -> str:
    """What to tell of an exception that nobody foresaw. Its own text stays in the log: nobody knows what it
    holds."""
    return f"an unexpected error inside Foldline ({type(error).__name__}); the service's log has the details"


def _of_unicode(error: UnicodeError) -> str:
    match error:
        case UnicodeEncodeError(object=text, start=start, encoding=encoding):
            return f"a text has U+{ord(text[start]):04X} at position {start + 1}, which {encoding} can't hold"
        case UnicodeDecodeError(start=start, encoding=encoding):
            return f"bytes are not {encoding} from position {start + 1} on"
        case _:
            return type(error).__name__
