"""Answers that say that nothing at an address is a model's API: pages, and what servers say of no route."""

import re

from agent_contracts.session_events.results import ModelFailure
from model_caller.answers.failures import ModelFault

_NO_ROUTE = re.compile(
    r"^\W*(404\W+)?((page|file|path|route|url|resource|endpoint)\W+)?not\W?found\W*$"
    r"|^\W*(error\W+)?404\b|unexpected endpoint|no (route|endpoint|handler)\b|cannot (post|get) /"
    r"|method not allowed|(unknown|invalid) (request )?(url|endpoint|path|route)|resource not found"
    r"|the requested url|not found on this server|nothing here",
    re.IGNORECASE,
)
"""Of FastAPI, Go, Express, llama.cpp, LM Studio, nginx, OpenAI and Azure."""
_STATUSES = (404, 405, 410, 501)
_PAGE = re.compile(rb"\s*(<!doctype html|<html|<\?xml|<head|<!--)", re.IGNORECASE)


def is_html(body: bytes) -> bool:
    """Whether this is a page."""
    return _PAGE.match(body.removeprefix(b"\xef\xbb\xbf")) is not None


def is_no_route(said: str) -> bool:
    """Whether a server says in these words that it has nothing at this path."""
    return "model" not in said.lower() and _NO_ROUTE.search(said) is not None


def is_no_api(status: int, said: str, body: bytes) -> bool:
    """Whether an answer with this status means that the address is wrong, and not the model's name."""
    if status not in _STATUSES:
        return False
    return (
        is_html(body) or not said.strip() or not body.lstrip().startswith((b"{", b"[")) or is_no_route(said)
    )


def no_api(status: int, said: str, *, surely: bool = True) -> ModelFault:
    """The fault. Where it isn't sure (a page in place of an answer may be a proxy's, for a while), it is
    that of an answer which can't be read, until another address turns out to be right."""
    failure = ModelFailure.UNREACHABLE if surely else ModelFailure.MALFORMED_ANSWER
    fault = ModelFault(failure, said, transient=not surely)
    fault.status, fault.no_api = status, True
    return fault
