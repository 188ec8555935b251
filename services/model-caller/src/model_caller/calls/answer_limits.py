"""How long an answer may be: small models don't always come to an end. Pure."""

from model_caller.answers.answer import Assembly
from session_domain.domain.window import KnownWindow
from session_domain.model_requests.request import ModelRequest

SHORTEST, LONGEST = 256, 32_768
"""Tokens. An answer of fewer is none, and no server of one's own is asked for more."""
_SHARE = 4
"""An answer may have this part of the window: the rest is for the chat, and for what tools give."""
_MARGIN = 20
"""This part of the window stays free: the own count of tokens is a rough one."""
_MOST_TOKENS_PER_BYTE = 0.7
_CHARACTERS_PER_TOKEN = 8
"""More than answers have, where their server doesn't keep to a limit: text and code have 1 to 6."""


def answer_limit(chosen: int | None, window: KnownWindow, request: ModelRequest) -> int | None:
    """Tokens that the answer to this request may have: as a person chose, else by the window, and never more
    than that leaves. None: its window isn't known."""
    if window.tokens is None:
        return chosen
    usual = chosen or max(SHORTEST, min(window.tokens // _SHARE, LONGEST))
    if window.tokens - request.size * _MOST_TOKENS_PER_BYTE * window.percent / 100 >= usual:
        return usual  # whatever its text is
    left = window.tokens - window.real(request.tokens) - window.tokens // _MARGIN
    return max(min(usual, SHORTEST), min(usual, left))


def is_too_long(said: Assembly, limit: int | None) -> bool:
    """Whether an answer has surely passed its limit, or that of any, and goes on."""
    most = limit or LONGEST
    if said.reported is not None and said.reported.output > most:
        return True
    return said.size > most * _CHARACTERS_PER_TOKEN
