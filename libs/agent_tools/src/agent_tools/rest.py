"""Requests of tools to the JSON API of a service, with a secret; its failures in our kinds and its own words.

The secret is the user's, by its name: it is put in at the way out, for the hosts that the user named.
"""

from typing import Any

import msgspec

from agent_contracts.entities.secrets import placeholder
from agent_contracts.errors import ErrorKind, Failure, Permanent, Rejected, Transient
from agent_contracts.json_value import Json
from agent_contracts.tool_spec import FixedHost
from agent_tools.ports.outside import AgentEgress
from egress.fetching import FetchRequest, FetchResponse
from egress.targets import target_of

_SAID = 300
"""Characters of a service's own words in an error."""


class RestService(msgspec.Struct, frozen=True):
    """An API: what people call it, where it is, the secret it takes, and how that is written in the header
    `Authorization` (`Bearer`, `Bot`)."""

    name: str
    url: str
    secret: str
    scheme: str
    headers: tuple[tuple[str, str], ...] = ()

    def asked_by(self, method: str = "GET") -> FixedHost:
        """What a tool declares that asks nobody else."""
        return FixedHost(target_of(self.url).host, method)


class RestRequest(msgspec.Struct, frozen=True):
    """One request: its path below the service's address, and the JSON of its body, if it has one."""

    path: str
    method: str = "GET"
    body: Json | msgspec.UnsetType = msgspec.UNSET
    accept: str = "application/json"


async def asked(service: RestService, egress: AgentEgress, ask: RestRequest) -> FetchResponse:
    """A successful answer.

    Failures begin with `Error: ` and say what the service said. `not_available` without the secret,
    `blocked` where the service refuses it or what is asked, `not_found`, and `upstream` for everything
    else: to be tried again where it may help, which a 429 says when.
    """
    request = FetchRequest(
        f"{service.url}{ask.path}",
        ask.method,
        (
            ("Authorization", f"{service.scheme} {placeholder(service.secret)}"),
            ("Accept", ask.accept),
            *((("Content-Type", "application/json"),) if ask.body is not msgspec.UNSET else ()),
            *service.headers,
        ),
        None if ask.body is msgspec.UNSET else msgspec.json.encode(ask.body),
    )
    try:
        answer = await egress.fetch(request)
    except Rejected as refused:
        if refused.kind != ErrorKind.NOT_FOUND:
            raise
        raise Rejected(
            f"Error: {service.name} needs the secret {service.secret}, which this agent doesn't have: "
            f"a person adds it, for the host {service.url.split('/')[2]}",
            kind=ErrorKind.NOT_AVAILABLE,
        ) from refused
    if not answer.ok:
        raise _failure(service, answer)
    return answer


def object_of(service: RestService, answer: FetchResponse) -> dict[str, Any]:
    """The answer's JSON object. `Permanent(kind="upstream")` for an answer that isn't one."""
    found: dict[str, Any] = _json(service, answer, dict[str, Any])
    return found


def objects_of(service: RestService, answer: FetchResponse) -> list[dict[str, Any]]:
    """The answer's list of JSON objects. `Permanent(kind="upstream")` for an answer that isn't one."""
    found: list[dict[str, Any]] = _json(service, answer, list[dict[str, Any]])
    return found


def _json(service: RestService, answer: FetchResponse, shape: Any) -> Any:
    begin = f"Error: {service.name} answered {answer.status} with"
    try:
        return msgspec.json.decode(answer.body, type=shape)
    except msgspec.ValidationError as error:
        raise Permanent(f"{begin} JSON of another shape ({error})", kind=ErrorKind.UPSTREAM) from error
    except msgspec.DecodeError as error:
        raise Permanent(f"{begin} something that is not JSON", kind=ErrorKind.UPSTREAM) from error


def _failure(service: RestService, answer: FetchResponse) -> Failure:
    said = _words(answer)
    begin = f"Error: {service.name} answered {answer.status}"
    headers = answer.headers
    limited = answer.status == 403 and (
        "retry-after" in headers or headers.get("x-ratelimit-remaining") == "0"
    )
    match answer.status:
        case 429 | 403 if answer.status == 429 or limited:
            return Transient(f"{begin} (rate limit): {_when(answer)}{said}", kind=ErrorKind.UPSTREAM)
        case 401:
            return Rejected(
                f"{begin}: it doesn't accept the secret {service.secret}, which a person must replace{said}",
                kind=ErrorKind.BLOCKED,
            )
        case 403:
            return Rejected(
                f"{begin}: the secret {service.secret} may not do this{said}", kind=ErrorKind.BLOCKED
            )
        case 404 | 410:
            return Rejected(
                f"{begin}: there is no such thing, or the secret {service.secret} may not see it{said}",
                kind=ErrorKind.NOT_FOUND,
            )
        case status if status >= 500:
            return Transient(f"{begin}{said}", kind=ErrorKind.UPSTREAM)
        case _:
            return Permanent(f"{begin}{said}", kind=ErrorKind.UPSTREAM)


def _when(answer: FetchResponse) -> str:
    document = _document(answer)
    wait = document.get("retry_after", answer.headers.get("retry-after"))
    try:
        seconds = float(str(wait))
    except ValueError:
        return "try again later"
    return f"try again after {seconds:g} s (retry_after)"


def _words(answer: FetchResponse) -> str:
    message = _document(answer).get("message")
    return f". It says: {' '.join(message.split())[:_SAID]}" if isinstance(message, str) and message else ""


def _document(answer: FetchResponse) -> dict[str, Any]:
    try:
        found = msgspec.json.decode(answer.body)
    except msgspec.DecodeError:
        return {}
    return found if isinstance(found, dict) else {}
