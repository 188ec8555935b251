"""What goes wrong with a server that speaks OpenAI's or Anthropic's interface, as our faults."""

import math
import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx

from agent_contracts.session_events.results import ModelFailure
from model_caller.answers.failures import ModelFault
from model_caller.providers.no_api import is_html, is_no_api, is_no_route, no_api
from model_caller.providers.said_errors import SaidError, error_in, visible_text
from model_caller.providers.too_long import is_too_long, too_long

_NOT_PAID = frozenset(
    {
        "insufficient_quota",
        "billing_error",
        "insufficient_credits",
        "insufficient_balance",
        "payment_required",
    }
)
_NOT_PAID_WORDS = re.compile(
    r"insufficient (credit|balance|fund|quota)|(credit|balance)s? (is|are) too low|out of credits"
    r"|payment required",
    re.IGNORECASE,
)
_NAMED = {
    "rate_limit_exceeded": ModelFailure.RATE_LIMITED,
    "rate_limit_error": ModelFailure.RATE_LIMITED,
    "resource_exhausted": ModelFailure.RATE_LIMITED,
    "too_many_requests": ModelFailure.RATE_LIMITED,
    "authentication_error": ModelFailure.AUTHENTICATION,
    "permission_error": ModelFailure.AUTHENTICATION,
    "invalid_api_key": ModelFailure.AUTHENTICATION,
    "unauthenticated": ModelFailure.AUTHENTICATION,
    "permission_denied": ModelFailure.AUTHENTICATION,
    "not_found_error": ModelFailure.UNKNOWN_MODEL,
    "model_not_found": ModelFailure.UNKNOWN_MODEL,
    "invalid_request_error": ModelFailure.BAD_REQUEST,
    "invalid_argument": ModelFailure.BAD_REQUEST,
    "badrequesterror": ModelFailure.BAD_REQUEST,
}
"""Where no status tells, by what servers call it."""
_NO_SUCH_MODEL = re.compile(
    r"\bmodels?\b[^\n]{0,100}\b(not (found|exist|available|loaded)|does ?n[o']t exist|do not have access)"
    r"|\b(unknown|invalid|no such|not a valid) model\b|\bmodel (name|id)\b[^\n]{0,40}\binvalid",
    re.IGNORECASE,
)
_MODERATED = re.compile(r"\bflagged\b|moderation|content (policy|filter|management)|safety", re.IGNORECASE)
_QUOTA = re.compile(r"quota|rate limit|too many requests", re.IGNORECASE)
_REFUSES = re.compile(
    r"jinja|chat template|roles? must (be )?alternat|conversation roles|after the optional system message"
    r"|(raise|template)_exception|only (user|system)\b.{0,60}roles? (are|is) supported"
    r"|system role (is )?not supported"
    r"|(image|audio|video|multimodal|file)s?( input)? (is|are)( currently)? not supported|mmproj"
    r"|(does not|doesn't|do not|cannot|can't) support "
    r"(tool|function|image|vision|audio|multimodal|json|system)"
    r"|tools? (param(eter)?|call(s|ing)?|use)? ?(is|are|requires?) (not supported|--jinja)"
    r"|is not a multimodal model|unsupported (param|role|content|message)|unexpected (role|message role)"
    r"|(tools?|functions?|(tool|function)[ _-](use|calls?|calling)|images?|pictures?|vision)\b.{0,40}"
    r"((not|isn't|aren't) (supported|available|enabled|implemented)|unsupported)"
    r"|unexpected keyword argument|extra (inputs?|fields?|parameters?)( (is|are))? not (permitted|allowed)"
    r"|(unknown|unrecogni[sz]ed|unsupported|unexpected|invalid)( request)? "
    r"(field|param(eter)?|argument|option|property)s?\b|unknown name \"",
    re.IGNORECASE,
)
"""Templates of llama.cpp, vLLM and LM Studio, pictures, tools, fields."""


def is_refusal(said: str) -> bool:
    """Whether a server that says it failed refuses the request by these words: it would refuse it again."""
    return _REFUSES.search(said) is not None


def fault_of_status(response: httpx.Response, body: bytes) -> ModelFault:
    """The fault that an answer with another status than success stands for."""
    if response.is_redirect:
        fault = ModelFault(
            ModelFailure.UNREACHABLE, f"it redirects to {response.headers['location']}", transient=False
        )
    else:
        said = f"{response.status_code} {response.reason_phrase}".strip()
        error = error_in(body)
        if is_no_api(response.status_code, error.said, body):
            return no_api(response.status_code, error.said or said)
        fault = _fault(error, response.status_code, said, _retry_after(response))
    fault.status = response.status_code
    return fault


def fault_in_stream(error: SaidError) -> ModelFault:
    """The fault that an error in the place of an answer, or in the middle of it, stands for."""
    if error.status is None and is_no_route(error.said):
        return no_api(200, error.said)
    fault = _fault(error, error.status, "an error in the middle of the answer")
    fault.status = error.status
    return fault


def fault_of_page(response: httpx.Response, page: str) -> ModelFault:
    """The fault of something else in place of an answer: a page of a proxy, a plain text."""
    kind = response.headers.get("content-type", "unknown").partition(";")[0]
    error = error_in(page)
    if is_html(page.encode()):
        return no_api(response.status_code, f"a page of type {kind}: {visible_text(page)}", surely=False)
    if not page.lstrip().startswith("<") and (is_too_long([], error.said) or _QUOTA.search(error.said)):
        return fault_in_stream(error)
    said = error.said
    what = f"the answer was of type {kind}"
    return ModelFault(ModelFailure.MALFORMED_ANSWER, f"{what}: {said}" if said else what)


def no_proper_end(*, anything: bool) -> ModelFault:
    """The fault of a stream that ended before its end; `anything`: whether something had been said."""
    if anything:
        return ModelFault(ModelFailure.CUT_STREAM, "the answer ended without its proper end")
    return ModelFault(ModelFailure.MALFORMED_ANSWER, "the answer was empty")


def _fault(error: SaidError, status: int | None, otherwise: str, wait: float | None = None) -> ModelFault:
    fault = _kind_of_fault(error, status, otherwise, wait)
    fault.named = error.named
    return fault


def _kind_of_fault(error: SaidError, status: int | None, otherwise: str, wait: float | None) -> ModelFault:
    said = error.said or otherwise
    if is_too_long(error.names, error.said) or status == 413:
        return too_long(said, error.fields)
    failure = _failure(error, status)
    paid = status != 402 and _NOT_PAID.isdisjoint(error.names) and not _NOT_PAID_WORDS.search(error.said)
    if failure is ModelFailure.RATE_LIMITED:
        return ModelFault(failure, said, transient=paid, retry_after=wait)
    return ModelFault(failure, said, retry_after=wait)


def _failure(error: SaidError, status: int | None) -> ModelFailure:
    match status:
        case 403 if _MODERATED.search(error.said):
            return ModelFailure.BAD_REQUEST
        case 401 | 403:
            return ModelFailure.AUTHENTICATION
        case 402 | 429 | 498:  # Groq says by 498 that its flexible capacity is used up
            return ModelFailure.RATE_LIMITED
        case 404:
            return ModelFailure.UNKNOWN_MODEL
        case 408:
            return ModelFailure.TIMEOUT
        case 400 | 422 if _NO_SUCH_MODEL.search(error.said) and not is_refusal(error.said):
            return ModelFailure.UNKNOWN_MODEL
        case int() if status < 500:
            return ModelFailure.BAD_REQUEST
        case _ if is_refusal(error.said):
            return ModelFailure.BAD_REQUEST
        case int():
            return ModelFailure.OVERLOADED
        case None:
            return _by_name(error)


def _by_name(error: SaidError) -> ModelFailure:
    known = next((_NAMED[name] for name in error.names if name in _NAMED), None)
    if known is not None:
        return known
    if (
        not _NOT_PAID.isdisjoint(error.names)
        or _NOT_PAID_WORDS.search(error.said)
        or _QUOTA.search(error.said)
    ):
        return ModelFailure.RATE_LIMITED
    return ModelFailure.OVERLOADED


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
