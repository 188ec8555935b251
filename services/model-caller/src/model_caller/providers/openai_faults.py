"""What goes wrong with an OpenAI-compatible server, as our faults."""

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx
import msgspec

from agent_contracts.json_value import Json
from agent_contracts.session_events.results import ModelFailure
from model_caller.answers.failures import ModelFault

_NO_QUOTA = "insufficient_quota"
_TOO_LONG = "context_length_exceeded"
_TOO_MANY = "rate_limit_exceeded"


def fault_of_status(response: httpx.Response, body: bytes) -> ModelFault:
    """The fault that an answer with an error's status stands for."""
    error = error_in(_decoded(body))
    code = error.get("code") if isinstance(error.get("code"), str) else ""
    said = _said(error) or f"{response.status_code} {response.reason_phrase}".strip()
    wait = _retry_after(response)
    if code == _TOO_LONG:
        return ModelFault(ModelFailure.CONTEXT_LENGTH, said)
    match response.status_code:
        case 401 | 403:
            return ModelFault(ModelFailure.AUTHENTICATION, said)
        case 404:
            return ModelFault(ModelFailure.UNKNOWN_MODEL, said)
        case 408:
            return ModelFault(ModelFailure.TIMEOUT, said)
        case 429:
            return ModelFault(ModelFailure.RATE_LIMITED, said, transient=code != _NO_QUOTA, retry_after=wait)
        case status if status >= 500:
            return ModelFault(ModelFailure.OVERLOADED, said, retry_after=wait)
        case _:
            return ModelFault(ModelFailure.BAD_REQUEST, said)


def fault_in_stream(error: Mapping[str, Json]) -> ModelFault:
    """The fault that an error in the middle of an answer stands for."""
    said = _said(error) or "an error in the middle of the answer"
    match error.get("code"):
        case code if code == _TOO_LONG:
            return ModelFault(ModelFailure.CONTEXT_LENGTH, said)
        case code if code == _TOO_MANY:
            return ModelFault(ModelFailure.RATE_LIMITED, said)
        case _:
            return ModelFault(ModelFailure.OVERLOADED, said)


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
        case _:  # an address that is none, too many redirects
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
    return max(0.0, (until.astimezone(UTC) - datetime.now(UTC)).total_seconds())
