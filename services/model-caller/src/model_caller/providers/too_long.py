"""Refusals of requests that are too long: how servers say so, and the figures that they tell."""

import re
from collections.abc import Iterable, Iterator, Mapping

from agent_contracts.json_value import Json
from agent_contracts.session_events.results import ModelFailure
from model_caller.answers.failures import ModelFault

_CODES = re.compile(
    r"context_?(length|window|size)|(prompt|input|request|context)_(is_)?too_(long|large)|tokens?_limit_"
    r"|max_prompt_tokens|exceed_context",
    re.IGNORECASE,
)
_WORDS = re.compile(
    r"(prompt|input|request|message|conversation)s?( \([^)]{0,40}\)| you \w+)? (is|are|was|were) "
    r"too (long|large)"
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
    r"|reduce the length of the (messages|prompt|input)"
    r"|ContextWindowExceeded|(context|kv.?cache)\b.{0,20}\b(full|overflow\w*)",
    re.IGNORECASE,
)
"""OpenAI and those who copy it have a code; all others have words. Each is in the table of
`tests/test_too_long.py`."""
_WHAT = r"\b(prompts?|inputs?|input_ids|messages?|conversation|history|request( body| payload)?|tokens?)\b"
_EXCEEDS = (
    r"(\bexceed\w*|\btoo (long|large|big)\b|\b(greater|longer|larger|bigger|more) than\b|\bsurpass\w*"
    r"|\bonly (supports?|accepts?|takes?|allows?)\b|\d\)? ?> ?\D{0,20}\d|\bnot fit\b"
    r"|\b(but|however|while|whereas)\b[^.]{0,80}\b(window|limit|maximum)\b)"
)
_MEASURE = re.compile(
    r"\btokens?\b|\b(max(imum)?|context|prompt|input|sequence|session) (length|limit|size|window)\b|max_\w+"
    r"|limit: ",
    re.IGNORECASE,
)
_SAYS_SO = tuple(re.compile(one, re.IGNORECASE) for one in (_WHAT, _EXCEEDS))
"""Who names a measure, and has both of these in a sentence, says it in words that nobody has seen before."""
_OF_SOMETHING_ELSE = re.compile(
    r"\bper (second|minute|hour|day|month)\b|\b[rt]p[md]\b|rate.?limit|quota|spending|budget|credit|concurren"
    r"|time.?out|deadline|\b(images?|pictures?|files?|audio|video|tools?|functions?|schemas?|names?|stop|logprobs"
    r"|headers?|urls?|keys?|ids?)\b|(completion|output) tokens|max_completion_tokens|max_output_tokens"
    r"|max_tokens (is|must)|maximum tokens (you|value)|number of messages|too many messages",
    re.IGNORECASE,
)
"""Other limits that are told in like words."""
_FIGURE = r"(?:(?! by )\D){0,40}?(\d[\d,_]*)"
_WINDOW = (
    re.compile(r"\d \+ \d+ > (\d+)"),
    re.compile(r"\d\s?>\s?(\d[\d,_]*)(?! max)"),
    re.compile(r"input length should be \[\d+, (\d+)\]", re.IGNORECASE),
    re.compile(r"n_ctx\W{1,4}(\d+)"),
    re.compile(
        r"(?:max(?:imum)? (?:context |prompt |input |model |sequence |allowed input )?length"
        r"|context (?:length|size|window)|maximum number of (?:input )?tokens(?: allowed)?|max input tokens"
        r"|maximum context|limit|cannot exceed|must (?:be <=|have less than))" + _FIGURE,
        re.IGNORECASE,
    ),
    re.compile(r"(?:>|with) (\d[\d,_]*)(?: tokens)? max", re.IGNORECASE),
    re.compile(
        r"(?:max_(?!tokens|new|output|completion)\w+|model's max|max(?:imum)? size|session length|up to"
        r"|maximum(?: of| is)?|max(?:imum)? tokens(?: of)?|number of tokens|for the model)" + _FIGURE,
        re.IGNORECASE,
    ),
)
_NEEDED = re.compile(
    r"(?:requested|received|resulted in|contains|given:|too long:|token count|total length|the first|n_keep"
    r"|you passed|request has|(?:request|prompt|input|tokens) \()" + _FIGURE,
    re.IGNORECASE,
)
_ANY_FIGURE = (re.compile(r"\b(\d[\d,_]*)\b"),)
_OF_CHARACTERS = "string too long"
"""Then the figures are of characters."""
_OF_BYTES = re.compile(r" ?(bytes|[KMG]i?B|characters|chars)\b", re.IGNORECASE)
_SENTENCES = re.compile(r"(?<=[a-z\d)])[.!?]\s|\n")
_MOST_READ = 2_000
_LEAST = 16
"""A smaller figure is not a window's."""


def is_too_long(names: Iterable[str], said: str) -> bool:
    """Whether an error with these codes and words says that the request is too long for the model."""
    if any(map(_CODES.search, (*names, said))) or _WORDS.search(said):
        return True
    if _OF_SOMETHING_ELSE.search(said) or not _MEASURE.search(said):
        return False
    sentences = _SENTENCES.split(said[:_MOST_READ])
    return any(all(part.search(sentence) for part in _SAYS_SO) for sentence in sentences)


def too_long(said: str, error: Mapping[str, Json]) -> ModelFault:
    """The fault, with what the server tells of the window and of the request."""
    fault = ModelFault(ModelFailure.CONTEXT_LENGTH, said)
    windows = _figures(error.get("n_ctx"), said, _WINDOW)
    fault.window = next((one for one in windows if one >= _LEAST), None)
    needed = _figures(
        error.get("n_prompt_tokens"), said, (_NEEDED,) if fault.window is None else (_NEEDED, *_ANY_FIGURE)
    )
    fault.needed = next((one for one in needed if one > (fault.window or 0)), None)
    return fault


def _figures(told: Json, said: str, patterns: tuple[re.Pattern[str], ...]) -> Iterator[int]:
    if isinstance(told, int):
        yield told
    if _OF_CHARACTERS in said:
        return
    for pattern in patterns:
        for found in pattern.finditer(said[:_MOST_READ]):
            if _OF_BYTES.match(said, found.end()):
                continue
            yield int(re.sub(r"\D", "", found[1])[:12])
