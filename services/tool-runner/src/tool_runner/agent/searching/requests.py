"""One request to a search service, through the guard, and its answer as data."""

from collections.abc import Mapping
from typing import TypeVar
from urllib.parse import urlencode

import msgspec

from agent_contracts.errors import ErrorKind, Failure, Rejected, Transient
from egress.fetching import FetchRequest, FetchResponse
from egress.guard import Egress
from tool_runner.agent.searching.port import WebResult

T = TypeVar("T")

_TIMEOUT_S = 10.0
_LONGEST_TITLE, _LONGEST_SNIPPET, _LONGEST_URL = 300, 1_000, 2_000


async def ask(egress: Egress, service: str, request: FetchRequest) -> FetchResponse:
    """The answer, if it is one. `Transient(kind="upstream")` names the service and what can be done."""
    try:
        answer = await egress.fetch(msgspec.structs.replace(request, timeout_s=_TIMEOUT_S))
    except Rejected as error:
        raise upstream(service, error.message) from error
    except Failure as error:
        raise upstream(service, f"it can't be reached: {error.message}") from error
    if answer.status in (401, 403):
        raise upstream(service, f"it refuses the request ({answer.status}): is its key right?")
    if answer.status == 429:
        raise upstream(service, "it was asked too often (429): wait, or use another service")
    if not answer.ok:
        raise upstream(service, f"it answered with status {answer.status}")
    return answer


def query_string(values: Mapping[str, str | int | None]) -> str:
    """Of the values that there are."""
    return urlencode({name: value for name, value in values.items() if value is not None})


def read(service: str, answer: FetchResponse, shape: type[T]) -> T:
    """The answer's JSON. `Transient(kind="upstream")` where it is something else."""
    try:
        return msgspec.json.decode(answer.body, type=shape)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise upstream(service, f"its answer can't be read: {error}") from error


def kept(results: list[WebResult], count: int) -> list[WebResult]:
    """The first so many results that lead anywhere, each address once, no text without end."""
    by_url = {
        one.url: msgspec.structs.replace(
            one,
            title=_plain(one.title)[:_LONGEST_TITLE],
            snippet=_plain(one.snippet)[:_LONGEST_SNIPPET],
            published=one.published[:_LONGEST_TITLE] if one.published else None,
        )
        for one in reversed(results)
        if one.url.startswith(("http://", "https://")) and len(one.url) <= _LONGEST_URL
    }
    return list(reversed(by_url.values()))[:count]


def upstream(service: str, why: str) -> Transient:
    """What the model is told when a service fails."""
    return Transient(f"{service}: {why}", kind=ErrorKind.UPSTREAM)


def _plain(text: str) -> str:
    return " ".join(text.split())
