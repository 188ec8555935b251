"""Secrets in requests: put in at the last moment, for hosts that may have them, and taken out of what comes
back."""

import base64
import html
import json
import re
from collections.abc import Callable, Sequence
from urllib.parse import quote, quote_plus

import msgspec

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.secrets import PLACEHOLDER, placeholder
from agent_platform.egress.fetching import FetchResponse
from agent_platform.egress.redirects import Hop

_ENCODED = re.compile(r"(?:\{\{|%7B%7B)secret(?::|%3A)([A-Z][A-Z0-9_]{0,63})(?:\}\}|%7D%7D)", re.IGNORECASE)


class Secret(msgspec.Struct, frozen=True):
    """A secret whose value is known here. `hosts` may have it: names, or `*.example.org` for those below."""

    name: str
    value: str
    hosts: tuple[str, ...]

    def __repr__(self) -> str:
        return f"Secret({self.name})"

    def may_go_to(self, host: str) -> bool:
        """Whether a host may be sent it."""
        return any(
            host == allowed or (allowed.startswith("*.") and host.endswith(allowed[1:]))
            for allowed in self.hosts
        )


def filled(hop: Hop, secrets: Sequence[Secret], *, safe: bool) -> Hop:
    """The hop with values in place of placeholders, in its headers, its body, and its URL if that is the
    caller's own (a server's redirect gets none filled in).

    `Rejected`: `not_found` for a secret there isn't, `blocked` for a host that may not have it, or where the
    connection isn't `safe`.
    """
    known = {secret.name: secret for secret in secrets}

    def value_of(name: str, encode: Callable[[str], str]) -> str:
        secret = known.get(name)
        if secret is None:
            raise Rejected(f"there is no secret named {name[:64]!r}", kind=ErrorKind.NOT_FOUND)
        if not secret.may_go_to(hop.target.host):
            raise Rejected(
                f"the secret {name} may not be sent to {hop.target.host}: the user says who may have it",
                kind=ErrorKind.BLOCKED,
            )
        if not safe:
            raise Rejected(f"the secret {name} is only sent over https", kind=ErrorKind.BLOCKED)
        return encode(secret.value)

    def plain(text: str, encode: Callable[[str], str] = str) -> str:
        return PLACEHOLDER.sub(lambda found: value_of(found[1], encode), text)

    def encoded(text: str) -> str:
        return _ENCODED.sub(
            lambda found: value_of(found[1].upper(), lambda value: quote(value, safe="")), text
        )

    request, target = hop.request, hop.target
    headers = tuple((name, plain(value)) for name, value in request.headers)
    kind = next((value for name, value in request.headers if name == "content-type"), "").lower()
    body = request.body
    if body is not None:
        text = body.decode("utf-8", "surrogateescape")
        if "x-www-form-urlencoded" in kind:
            text = encoded(text)
        else:
            text = plain(text, _in_json if "json" in kind else str)
        body = text.encode("utf-8", "surrogateescape")
    if hop.first:
        target = msgspec.structs.replace(target, path=encoded(target.path))
    return Hop(target, msgspec.structs.replace(request, headers=headers, body=body), hop.first)


def redacted(response: FetchResponse, secrets: Sequence[Secret]) -> FetchResponse:
    """The answer with each secret's value, as it is or as text formats write it, replaced by its
    placeholder."""
    if not secrets:
        return response
    spellings = sorted(
        ((spelling, placeholder(secret.name)) for secret in secrets for spelling in _spellings(secret.value)),
        key=lambda pair: -len(pair[0]),
    )

    def clean(text: str) -> str:
        for spelling, instead in spellings:
            text = text.replace(spelling, instead)
        return text

    body = response.body
    for spelling, instead in spellings:
        body = body.replace(spelling.encode(), instead.encode())
    if response.truncated:
        body = body[: len(body) - max(_begun(body, spelling.encode()) for spelling, _ in spellings)]
    headers = {clean(name): clean(value) for name, value in response.headers.items()}
    return msgspec.structs.replace(response, body=body, headers=headers, url=clean(response.url))


def _spellings(value: str) -> set[str]:
    escaped = _in_json(value)
    coded = base64.b64encode(value.encode()).decode()
    return {
        value, quote(value, safe=""), quote(value), quote_plus(value), escaped, escaped.replace("/", "\\/"),
        json.dumps(value, ensure_ascii=False)[1:-1], html.escape(value), coded, coded.rstrip("="),
    }  # fmt: skip


def _in_json(value: str) -> str:
    return json.dumps(value)[1:-1]


def _begun(body: bytes, spelling: bytes) -> int:
    """How many bytes at the end of a cut body are the beginning of a value."""
    longest = min(len(spelling) - 1, len(body))
    return next((size for size in range(longest, 0, -1) if body.endswith(spelling[:size])), 0)
