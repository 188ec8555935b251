"""Addresses of model servers, as people paste them, and where on a server each thing is asked for. Pure."""

import re
from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit, urlunsplit

_ENDPOINTS = re.compile(
    r"/(chat/completions|completions|embeddings|responses|messages|models(/[^/]*)?"
    r"|api/(chat|generate|tags|show|ps|version))$",
    re.IGNORECASE,
)
"""What may stand behind the address of an API, where somebody pasted that of a whole request."""
_VERSION = re.compile(r"/v\d+\w*(?=/|$)", re.IGNORECASE)
_UNSEEN = re.compile("[\u200b-\u200d\u2060\ufeff]")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)


def base_url_of(text: str) -> str:
    """The address of the API out of what was pasted: with a scheme, without the request that it was one of,
    without a slash at its end. A query stays: some servers want it with each request."""
    cleaned = _UNSEEN.sub("", text).strip()
    if not cleaned:
        return cleaned
    if not _SCHEME.match(cleaned):
        host = cleaned.lstrip("/")
        cleaned = f"{'http' if _is_near(host) else 'https'}://{host}"
    try:
        parts = urlsplit(cleaned)
    except ValueError:
        return cleaned  # whoever checks it says what is wrong
    path = re.sub(r"/{2,}", "/", parts.path).rstrip("/")
    path = _VERSION.sub(lambda found: found[0].lower(), _ENDPOINTS.sub("", path))
    return urlunsplit((parts.scheme.lower(), parts.netloc, path, parts.query, ""))


def endpoint(base_url: str, path: str) -> str:
    """Where `path` is asked for, below the address of an API: before its query, if it has one."""
    parts = urlsplit(base_url)
    return urlunsplit(parts._replace(path=parts.path.rstrip("/") + path))


def with_version(base_url: str) -> str | None:
    """The same address with `/v1`, where nearly all servers have their API; None if it names a version."""
    parts = urlsplit(base_url)
    if _VERSION.search(parts.path):
        return None
    return endpoint(base_url, "/v1")


def likely(base_url: str) -> tuple[str, ...]:
    """Other addresses of the same server at which an API may be, the likeliest first."""
    parts = urlsplit(base_url)
    own = with_version(base_url)
    paths = ("/v1", "/api/v1", "/openai/v1")
    others = [urlunsplit(SplitResult(parts.scheme, parts.netloc, path, parts.query, "")) for path in paths]
    return tuple(dict.fromkeys(one for one in (own, *others) if one is not None and one != base_url))


def _is_near(text: str) -> bool:
    """Whether a host without a scheme is one that seldom has TLS: in a network of one's own."""
    host = urlsplit(f"//{text}").hostname or "" if "[" in text else re.split(r"[/:?#]", text, maxsplit=1)[0]
    try:
        return ip_address(host).is_private
    except ValueError:
        return "." not in host or host.endswith((".local", ".localhost", ".lan", ".internal", ".home.arpa"))
