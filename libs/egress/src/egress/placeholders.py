"""Secrets in requests: put in at the last moment, for hosts that may have them."""

import json
import re
from collections.abc import Callable, Sequence
from urllib.parse import quote

import msgspec

from agent_contracts.entities.secrets import PLACEHOLDER
from agent_contracts.errors import ErrorKind, Rejected
from egress.redaction import Redaction
from egress.redirects import Hop

_ENCODED = re.compile(r"(?:\{\{|%7B%7B)secret(?::|%3A)([A-Z][A-Z0-9_]{0,63})(?:\}\}|%7D%7D)", re.IGNORECASE)


class KnownSecret(msgspec.Struct, frozen=True):
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


def filled(hop: Hop, secrets: Sequence[KnownSecret], *, safe: bool) -> Hop:
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


def require_kept(hop: Hop, secrets: Sequence[KnownSecret], *, safe: bool) -> None:
    """`Rejected(kind="blocked")` for a request that holds the value of a secret which its host may not have,
    or which its connection isn't `safe` for; and for any in a host's name, which resolvers see. For values
    that code was shown, and those that a server puts into a redirect."""
    for secret in secrets:
        if secret.value.lower() in hop.target.host:
            message = f"the host's name holds the value of the secret {secret.name}"
            raise Rejected(message, kind=ErrorKind.BLOCKED)
    for secret in secrets:
        if safe and secret.may_go_to(hop.target.host):
            continue
        if holds(hop, secret):
            where = f"{hop.target.authority}{'' if safe else ' without https'}"
            message = f"the request holds the secret {secret.name}, which may not go to {where}"
            raise Rejected(message, kind=ErrorKind.BLOCKED)


def holds(hop: Hop, secret: KnownSecret) -> bool:
    """Whether the value stands in the hop, in any spelling."""
    headers = [text for header in hop.request.headers for text in header]
    return redaction_of([secret]).finds(hop.target.path, hop.request.body or b"", *headers)


def redaction_of(secrets: Sequence[KnownSecret]) -> Redaction:
    """What takes their values out."""
    return Redaction({secret.name: secret.value for secret in secrets})


def _in_json(value: str) -> str:
    return json.dumps(value)[1:-1]
