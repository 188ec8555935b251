"""The marks by which models tell what they think from what they say, in one text. Pure."""

import re
from collections.abc import Iterable

_NAMES = ("think", "thinking", "thought", "thoughts", "reasoning", "seed:think")
_FINAL = "<|channel|>final<|message|>"
PAIRS: dict[str, tuple[str, ...]] = {
    **{f"<{name}>": (f"</{name}>",) for name in _NAMES},
    "◁think▷": ("◁/think▷",),
    "[THINK]": ("[/THINK]",),
    "<|START_THINKING|>": ("<|END_THINKING|>",),
    "<|begin_of_thought|>": ("<|end_of_thought|>",),
    "<|channel|>analysis<|message|>": ("<|end|>", f"<|start|>assistant{_FINAL}", _FINAL),
}
"""What begins thinking, and what ends it: of Qwen and DeepSeek, Gemini, Seed, Kimi, Magistral, Command and
gpt-oss, each where its server has no parser for it."""
_DROPPED = ("<|start|>assistant", _FINAL)
"""What may stand before an answer besides."""
_ALONE = tuple(end for ends in PAIRS.values() for end in ends if end.startswith(("</", "◁/", "[/", "<|END_")))
"""Ends that mean thinking even without a beginning, which some servers put into the prompt."""


def _any_of(marks: Iterable[str]) -> str:
    return "|".join(map(re.escape, sorted(marks, key=len, reverse=True)))


def _begun(mark: str) -> str:
    """Matches a mark of which the end is missing."""
    inner = ""
    for character in reversed(mark[1:-1]):
        inner = f"(?:{re.escape(character)}{inner})?"
    return re.escape(mark[0]) + inner


def _begun_any(marks: Iterable[str]) -> re.Pattern[str]:
    return re.compile(rf"(?:{'|'.join(map(_begun, marks))})\Z", re.IGNORECASE)


OPENING = re.compile(_any_of(PAIRS), re.IGNORECASE)
ENDING = {opening.lower(): re.compile(_any_of(ends), re.IGNORECASE) for opening, ends in PAIRS.items()}
_ENDING_BEGUN = {opening.lower(): _begun_any(ends) for opening, ends in PAIRS.items()}
BEFORE_AN_ANSWER = re.compile(_any_of((*_DROPPED, *_ALONE)), re.IGNORECASE)
_AT_START_BEGUN = _begun_any((*PAIRS, *_DROPPED, *_ALONE))
IN_TEXT = re.compile(rf"`+|~+|\n|(?P<ends>{_any_of(_ALONE)})|{_any_of(PAIRS)}", re.IGNORECASE)
"""What matters within an answer: code, lines, marks."""
_IN_TEXT_BEGUN = _begun_any((*PAIRS, *_ALONE))
_LONGEST = max(len(one) for one in (*PAIRS, *_ALONE, *(end for ends in PAIRS.values() for end in ends)))


def begins_mark(text: str) -> bool:
    """Whether the text may become a mark with what follows, at the start of an answer."""
    return len(text) < _LONGEST and _AT_START_BEGUN.match(text) is not None


def without_begun_end(text: str, opening: str) -> int:
    """Where what may become the end of this thinking begins; the text's length if nothing may."""
    return _begun_at(text, _ENDING_BEGUN[opening])


def without_begun_mark(text: str) -> int:
    """Where what may become a mark within an answer begins; the text's length if nothing may."""
    return _begun_at(text, _IN_TEXT_BEGUN)


def _begun_at(text: str, begun: re.Pattern[str]) -> int:
    found = begun.search(text, max(0, len(text) - _LONGEST))
    return len(text) if found is None else found.start()
