"""What litellm raises, as our faults. Measured with litellm 1.106 against a server with each fault."""

import json
import math
from collections.abc import Iterator, Mapping
from email.utils import parsedate_to_datetime
from typing import Any

from agent_contracts.session_events.results import ModelFailure
from model_caller.answers.failures import ModelFault
from model_caller.providers.http_faults import fault_in_stream, is_refusal
from model_caller.providers.litellm_events import BrokenOff
from model_caller.providers.no_api import is_no_route, no_api
from model_caller.providers.said_errors import error_in
from model_caller.providers.too_long import is_too_long, too_long

_UNREACHABLE = (
    "ConnectError",
    "ClientConnectorError",
    "ConnectionRefusedError",
    "gaierror",
    "ConnectTimeout",
)
_CUT = (
    "ReadError",
    "RemoteProtocolError",
    "ClientPayloadError",
    "ServerDisconnectedError",
    "ConnectionResetError",
)
_SILENT = ("ReadTimeout", "Timeout", "APITimeoutError", "TimeoutError", "ServerTimeoutError")
_NO_QUOTA = "insufficient_quota"


def fault_of(error: Exception) -> ModelFault:
    """The fault that this exception of litellm's stands for: our own, where our reader raised it."""
    own = next((link for link in _chain(error) if isinstance(link, ModelFault)), None)
    if own is not None:
        return own
    fault = _fault_of(error)
    fault.status = _status(error) if _answered(error) else None
    fault.named = error_in(dict(_body(list(_chain(error))))).named
    return fault


def broken_off(error: Exception) -> ModelFault | None:
    """With which fault the server itself broke the answer off; None if it didn't."""
    return next((link.fault for link in _chain(error) if isinstance(link, BrokenOff)), None)


def _fault_of(error: Exception) -> ModelFault:
    chain = list(_chain(error))
    names = {cls.__name__ for link in chain for cls in type(link).__mro__}
    said = _words(error, chain)
    body = _body(chain)
    code = str(body.get("code") or "")
    if "ContextWindowExceededError" in names or is_too_long([code], said):
        return too_long(said, body)
    if type(error).__name__ == "MidStreamFallbackError":
        told = error_in(dict(body))
        if told.status is not None:
            return fault_in_stream(told)
        return ModelFault(_broken_stream(names, code), said)
    status = _status(error)
    if "LLM Provider NOT provided" in str(error):
        return ModelFault(ModelFailure.UNKNOWN_MODEL, "")
    if names.intersection(_UNREACHABLE) and not _answered(error):
        return ModelFault(ModelFailure.UNREACHABLE, said)
    match status:
        case 401 | 403:
            return ModelFault(ModelFailure.AUTHENTICATION, said)
        case 404 | 405 if is_no_route(said) or "<html" in said.lower():
            return no_api(status, said)
        case 404:
            return ModelFault(ModelFailure.UNKNOWN_MODEL, said)
        case 408:
            return ModelFault(ModelFailure.TIMEOUT, said)
        case 429:
            return ModelFault(
                ModelFailure.RATE_LIMITED,
                said,
                transient=code != _NO_QUOTA,
                retry_after=_retry_after(error),
            )
        case int() if 400 <= status < 500:
            return ModelFault(ModelFailure.BAD_REQUEST, said)
        case _:
            pass
    if names.intersection(_CUT):
        return ModelFault(ModelFailure.CUT_STREAM, said)
    if "JSONDecodeError" in names:
        return ModelFault(ModelFailure.MALFORMED_ANSWER, said)
    if status is not None and status >= 500 and _answered(error) and is_refusal(said):
        return ModelFault(ModelFailure.BAD_REQUEST, said)
    if status is not None and status >= 500 and _answered(error):
        return ModelFault(ModelFailure.OVERLOADED, said, retry_after=_retry_after(error))
    if "APIConnectionError" in names and "OSError" in names:
        return ModelFault(ModelFailure.UNREACHABLE, said)
    return ModelFault(ModelFailure.INTERNAL, said, transient=True)


def _broken_stream(names: set[str], code: str) -> ModelFailure:
    """Why an answer that had begun went on no more."""
    if code == "rate_limit_exceeded":
        return ModelFailure.RATE_LIMITED
    if "JSONDecodeError" in names:
        return ModelFailure.MALFORMED_ANSWER
    if names.intersection(_CUT):
        return ModelFailure.CUT_STREAM
    if names.intersection(_SILENT):
        return ModelFailure.TIMEOUT
    if names.intersection({"AttributeError", "TypeError", "RecursionError"}):
        return ModelFailure.MALFORMED_ANSWER  # litellm tripped over the shape of a chunk
    return ModelFailure.OVERLOADED


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """The exception and everything it came from."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _status(error: Exception) -> int | None:
    """The true HTTP status: litellm gives some errors another."""
    response = getattr(error, "response", None)
    for value in (getattr(response, "status_code", None), getattr(error, "status_code", None)):
        if isinstance(value, int) and value >= 400:
            return value
    return None


def _answered(error: Exception) -> bool:
    """Whether the server sent a status, rather than litellm inventing one."""
    return _headers(error) is not None or bool(_body(list(_chain(error))))


def _headers(error: Exception) -> Mapping[str, str] | None:
    headers = getattr(error, "litellm_response_headers", None)
    return headers if headers else None


def _retry_after(error: Exception) -> float | None:
    """For how many seconds the server wants to be left alone; None if it doesn't say so."""
    headers = _headers(error) or {}
    text = headers.get("retry-after")
    if text is None:
        return None
    try:
        seconds = float(text)
    except ValueError:
        seconds = _seconds_until(text, headers.get("date"))
    return seconds if math.isfinite(seconds) and seconds >= 0 else None


def _seconds_until(date: str, now: str | None) -> float:
    """Until an HTTP date, by the server's own clock; NaN if it doesn't tell both."""
    try:
        return (parsedate_to_datetime(date) - parsedate_to_datetime(now or "")).total_seconds()
    except (ValueError, TypeError):
        return math.nan


def _body(chain: list[BaseException]) -> Mapping[str, Any]:
    """The provider's error object."""
    for link in chain:
        body = getattr(link, "body", None)
        if isinstance(body, Mapping):
            inner = body.get("error")
            return inner if isinstance(inner, Mapping) else body
    return {}


def _words(error: Exception, chain: list[BaseException]) -> str:
    """The provider's own words, else the network's, without litellm's prefixes."""
    bodies = (getattr(link, "body", None) for link in chain)
    said = next((words for body in bodies if (words := error_in(body).said)), "")
    if said:
        return said
    if type(error).__name__ == "MidStreamFallbackError" and len(chain) > 1:
        return str(chain[1]) or type(chain[1]).__name__
    innermost = chain[-1]
    if isinstance(innermost, OSError | json.JSONDecodeError) and str(innermost):
        return str(innermost)
    return str(getattr(error, "message", error)).rpartition("Exception - ")[2]
