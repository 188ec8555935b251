"""Refusals of requests that are too long: how servers say so, and the figures that they tell."""

import re
from collections.abc import Iterable, Iterator, Mapping

from agent_contracts.json_value import Json
from agent_contracts.session_events.results import ModelFailure
from model_caller.answers.failures import ModelFault

_CODES = frozenset({"context_length_exceeded", "exceed_context_size_error", "request_too_large"})
_WORDS = re.compile(
    r"(prompt|input|request|message)s?( \([^)]{0,40}\))? (is|are) too (long|large)"
    r"|prompt too long"
    r"|request too large for"
    r"|too many (input tokens|tokens:)"
    r"|(input|prompt) tokens exceed"
    r"|exceed(s|ed)?\b.{0,60}\b"
    r"(context|maximum number of tokens|maximum (prompt|input) length|token limit)"
    r"|(maximum|max) (context|prompt) length"
    r"|context (length|size|window)( is| was| has been)? (exceeded|too small|of only|only)"
    r"|context window exceeds"
    r"|(longer|greater) than the (maximum model|model's( maximum)? context|context) length"
    r"|n_keep \(\d+\) >= n_ctx"
    r"|too large for model with \d+ maximum context length"
    r"|`inputs` tokens \+ `max_new_tokens`|`inputs` must have less than"
    r"|messages\[\d+\].{0,40}: string too long"
    r"|range of input length should be"
    r"|reduce the length of the (messages|prompt|input)",
    re.IGNORECASE,
)
"""OpenAI and those who copy it have a code; all others have words. Each is in the table of
`tests/test_too_long.py`."""
_FIGURE = r"(?:(?! by )\D){0,40}?(\d[\d,_]*)"
_WINDOW = (
    re.compile(r"\d \+ \d+ > (\d+)"),
    re.compile(r"input length should be \[\d+, (\d+)\]", re.IGNORECASE),
    re.compile(r"n_ctx\W{1,4}(\d+)"),
    re.compile(
        r"(?:max(?:imum)? (?:context |prompt |input |model )?length|context (?:length|size|window)"
        r"|maximum number of tokens allowed|max input tokens|limit|cannot exceed"
        r"|must (?:be <=|have less than))" + _FIGURE,
        re.IGNORECASE,
    ),
    re.compile(r"(?:>|with) (\d[\d,_]*)(?: tokens)? max", re.IGNORECASE),
)
_NEEDED = re.compile(
    r"(?:requested|received|resulted in|contains|given:|too long:|token count|total length|the first|n_keep"
    r"|you passed|request has|(?:request|prompt|input|tokens) \()" + _FIGURE,
    re.IGNORECASE,
)
_OF_CHARACTERS = "string too long"
"""Then the figures are of characters."""
_LEAST = 16
"""A smaller figure is not a window's."""


def is_too_long(names: Iterable[str], said: str) -> bool:
    """Whether an error with these codes and words says that the request is too long for the model."""
    return not _CODES.isdisjoint(names) or _WORDS.search(said) is not None


def too_long(said: str, error: Mapping[str, Json]) -> ModelFault:
    """The fault, with what the server tells of the window and of the request."""
    fault = ModelFault(ModelFailure.CONTEXT_LENGTH, said)
    windows = _figures(error.get("n_ctx"), said, _WINDOW)
    fault.window = next((one for one in windows if one >= _LEAST), None)
    needed = _figures(error.get("n_prompt_tokens"), said, (_NEEDED,))
    fault.needed = next((one for one in needed if one > (fault.window or 0)), None)
    return fault


def _figures(told: Json, said: str, patterns: tuple[re.Pattern[str], ...]) -> Iterator[int]:
    if isinstance(told, int):
        yield told
    if _OF_CHARACTERS in said:
        return
    for pattern in patterns:
        for found in pattern.finditer(said[:2_000]):
            yield int(re.sub(r"\D", "", found[1])[:12])
