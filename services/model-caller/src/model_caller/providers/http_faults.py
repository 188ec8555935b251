"""What goes wrong with a server that speaks OpenAI's or Anthropic's interface, as our faults."""

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx
import msgspec

from agent_contracts.json_value import Json
from agent_contracts.session_events.results import ModelFailure
from model_caller.answers.failures import ModelFault
from model_caller.providers.too_long import is_too_long, too_long

_NOT_PAID = frozenset({"insufficient_quota", "billing_error"})
_IN_STREAM = {
    "rate_limit_exceeded": ModelFailure.RATE_LIMITED,
    "rate_limit_error": ModelFailure.RATE_LIMITED,
    "authentication_error": ModelFailure.AUTHENTICATION,
    "permission_error": ModelFailure.AUTHENTICATION,
    "not_found_error": ModelFailure.UNKNOWN_MODEL,
}


def fault_of_status(response: httpx.Response, body: bytes) -> ModelFault:
    """The fault that an answer with another status than success stands for."""
    fault = _fault_of_status(response, body)
    fault.status = response.status_code
    return fault


def _fault_of_status(response: httpx.Response, body: bytes) -> ModelFault:
    error = error_in(_decoded(body))
    said = _said(error) or f"{response.status_code} {response.reason_phrase}".strip()
    wait = _retry_after(response)
    if response.is_redirect:
        said = f"it redirects to {response.headers['location']}"
        return ModelFault(ModelFailure.UNREACHABLE, said, transient=False)
    if is_too_long(_names(error), _said(error)):
        return too_long(said, error)
    match response.status_code:
        case 401 | 403:
            return ModelFault(ModelFailure.AUTHENTICATION, said)
        case 402:
            return ModelFault(ModelFailure.RATE_LIMITED, said, transient=False)
        case 404:
            return ModelFault(ModelFailure.UNKNOWN_MODEL, said)
        case 408:
            return ModelFault(ModelFailure.TIMEOUT, said)
        case 413:
            return too_long(said, error)
        case 429:
            paid = _NOT_PAID.isdisjoint(_names(error))
            return ModelFault(ModelFailure.RATE_LIMITED, said, transient=paid, retry_after=wait)
        case status if status >= 500:
            return ModelFault(ModelFailure.OVERLOADED, said, retry_after=wait)
        case _:
            return ModelFault(ModelFailure.BAD_REQUEST, said)


def fault_in_stream(error: Mapping[str, Json]) -> ModelFault:
    """The fault that an error in the middle of an answer stands for."""
    said = _said(error) or "an error in the middle of the answer"
    if is_too_long(_names(error), _said(error)):
        return too_long(said, error)
    known = (_IN_STREAM[name] for name in _names(error) if name in _IN_STREAM)
    return ModelFault(next(known, ModelFailure.OVERLOADED), said)


def fault_of_network(error: httpx.HTTPError | httpx.InvalidURL) -> ModelFault:
    """The fault that a connection stands for that was not made, broke or fell silent."""
    said = str(error) or type(error).__name__
    match error:
        case httpx.ConnectError() | httpx.ConnectTimeout() | httpx.ProxyError():
            return ModelFault(ModelFailure.UNREACHABLE, said)
        case httpx.TimeoutException():
            return ModelFault(ModelFailure.TIMEOUT, said)
        case httpx.NetworkError() | httpx.RemoteProtocolError():
            return ModelFault(ModelFailure.CUT_STREAM, said)
        case httpx.DecodingError():
            return ModelFault(ModelFailure.MALFORMED_ANSWER, said)
        case _:  # an address that is none
            return ModelFault(ModelFailure.UNREACHABLE, said, transient=False)


def error_in(body: Json) -> Mapping[str, Json]:
    """A server's error object, in any of the places where servers put it; empty if there is none."""
    if not isinstance(body, dict):
        return {}
    error = body.get("error")
    if isinstance(error, dict):
        return error
    if isinstance(error, str):
        return {"message": error}
    return {name: body[name] for name in ("message", "detail", "code") if name in body}


def _names(error: Mapping[str, Json]) -> list[str]:
    """What the server calls the error: OpenAI's `code`, Anthropic's `type`."""
    names = (error.get("code"), error.get("type"))
    return [name for name in names if isinstance(name, str)]


def _said(error: Mapping[str, Json]) -> str:
    for name in ("message", "detail"):
        value = error.get(name)
        if isinstance(value, str) and value:
            return value
    return ""


def _decoded(body: bytes) -> Json:
    try:
        decoded: Json = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError, ValueError):
        return None
    return decoded


def _retry_after(response: httpx.Response) -> float | None:
    """Seconds to wait, if the server named them or a date."""
    text = response.headers.get("retry-after", "")
    try:
        seconds = float(text)
    except ValueError:
        pass
    else:
        return seconds if math.isfinite(seconds) and seconds >= 0 else None
    try:
        until = parsedate_to_datetime(text)
    except ValueError:
        return None  # not said, or in no known form
    if until.tzinfo is None:  # -0000: UTC, by RFC 5322; `astimezone` would take this machine's zone
        until = until.replace(tzinfo=UTC)
    return max(0.0, (until - datetime.now(UTC)).total_seconds())
