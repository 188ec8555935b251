"""Answers that repeat themselves for ever, as those of small models do: heard as they come, at a flat cost.

A text ends in a repetition if its end is the same unit over and over, for longer than people and programs
write such a thing. Prose repeats itself seldom; tables, code and data do so at length. A loop that changes a
little each time, such as a number, is ended by the limit on the answer's tokens.
"""

import re
from collections import deque

from model_caller.answers.answer import AnswerPiece

_EACH = 512
"""Characters after which it is looked again."""
_MOST_TAIL = 16_000
_KEY = 64
_CANDIDATES = 8
_PROSE, _DATA, _BLANK = 4_000, 12_000, 2_000
"""Characters that a repetition has at least: of words; in a table, a fence, arguments, or without words, such
as base64 of zeros; of spaces and line breaks."""
_TIMES, _LONG, _TIMES_IF_LONG = 8, 500, 4
"""How often a unit stands there at least, and one that is long."""
_SHOWN_TIMES = 2
"""How often it is kept: a model that reads more of it goes on with it."""
_SENTENCES, _FEW = 200, 6
"""So many sentences in a row with so few different ones: a loop without an order."""
_SHORTEST_SENTENCE = 12
_SENTENCE_ENDS = re.compile(r"\n|(?<=[.!?。])\s|(?<=。)")
_FENCE = "```"


class Repetition:
    """Hears one answer. `kept` is how much of its text is worth keeping, once it repeats itself."""

    def __init__(self) -> None:
        self._text = _TextWatch(in_data=False)
        self._arguments = _TextWatch(in_data=True)
        self._thinking = _TextWatch(in_data=False)
        self.kept: int | None = None

    def hears(self, piece: AnswerPiece) -> bool:
        """Take one more piece. True: the answer repeats itself."""
        if piece.text and self._text.hears(piece.text):
            self.kept = self._text.kept
            return True
        if piece.thinking and self._thinking.hears(piece.thinking):
            return True
        return any(self._arguments.hears(tool.arguments) for tool in piece.tools if tool.arguments)


class _TextWatch:
    """One text as it comes."""

    def __init__(self, *, in_data: bool) -> None:
        self._in_data = in_data
        self._fenced = False
        self._new: list[str] = []
        self._waiting = 0
        self._size = 0
        self._tail = ""
        self._sentence = ""
        self._sentences: deque[str] = deque(maxlen=_SENTENCES)
        self.kept: int | None = None

    def hears(self, text: str) -> bool:
        self._new.append(text)
        self._waiting += len(text)
        if self._waiting < _EACH:
            return False
        new = "".join(self._new)
        self._new, self._waiting = [], 0
        self._size += len(new)
        if (self._tail[-2:] + new).count(_FENCE) % 2:
            self._fenced = not self._fenced
        self._tail = (self._tail + new)[-_MOST_TAIL:]
        repeated = self._repeated()
        if repeated is not None:
            self.kept = self._size - repeated
            return True
        return not (self._in_data or self._fenced) and self._goes_round(new)

    def _repeated(self) -> int | None:
        """How much of the end is left out, if it is a repetition."""
        tail = self._tail
        key, end = tail[-_KEY:], len(tail)
        at = end - len(key)
        for _ in range(_CANDIDATES):
            at = tail.rfind(key, 0, at + len(key) - 1)
            if at < 0:
                return None
            period = end - len(key) - at
            need = self._need(tail[-period:])
            if need > end:
                continue
            if tail[end - need : end - period] == tail[end - need + period :]:
                return max(0, _run(tail, period) - _SHOWN_TIMES * period)
        return None

    def _need(self, unit: str) -> int:
        times = _TIMES if len(unit) < _LONG else _TIMES_IF_LONG
        if unit.isspace():
            least = _BLANK
        elif self._in_data or self._fenced or unit.count("|") > 1 or not _has_words(unit):
            least = _DATA
        else:
            least = _PROSE
        return max(least, times * len(unit))

    def _goes_round(self, new: str) -> bool:
        """Whether the last sentences are few different ones."""
        *whole, rest = _SENTENCE_ENDS.split(self._sentence + new)
        self._sentence = rest[-_MOST_TAIL:]
        for one in map(str.strip, whole):
            if len(one) >= _SHORTEST_SENTENCE and one.count("|") < 2 and _has_words(one):
                self._sentences.append(one)
        return len(self._sentences) == _SENTENCES and len(set(self._sentences)) <= _FEW


def _has_words(unit: str) -> bool:
    """Whether it reads as words: with blanks between them, or of a script that has none."""
    return any(map(str.isalpha, unit)) and (not unit.isascii() or any(map(str.isspace, unit)))


def _run(tail: str, period: int) -> int:
    """How many characters at the end have this period."""
    low, high = 0, len(tail) - period
    while low < high:  # from wherever it is periodic, it is so from any later place
        middle = (low + high) // 2
        if tail[middle : len(tail) - period] == tail[middle + period :]:
            high = middle
        else:
            low = middle + 1
    return len(tail) - low
