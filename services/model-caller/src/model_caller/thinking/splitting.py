"""Splits an answer's text, as it comes, into what the model thought and what it says. Pure.

Thinking stands between marks at the start of an answer, after a mark that has a line for itself, or before a
lone end mark. Marks elsewhere, and in code, are what the answer speaks about. Each piece is looked at once,
however long the answer is.
"""

from enum import Enum

import msgspec

from model_caller.thinking import marks
from model_caller.thinking.code_spans import CodeSpans

_MOST_BLANKS = 1_000
"""Blank characters that are kept back at the start, in case that thinking follows."""
_BEFORE_A_WORD = " \t\"'(“‘«„,"
"""After one of these, a mark in the middle of a line is spoken about."""


class Split(msgspec.Struct, frozen=True):
    """What a piece of text turned out to be. `was_thinking`: so was all text before it; then come the
    `thinking` and the `text`."""

    text: str = ""
    thinking: str = ""
    was_thinking: bool = False


class _SplitState(Enum):
    START = "start"
    THINKING = "thinking"
    TEXT = "text"
    PLAIN = "plain"
    """Text in which no mark means anything any more."""


class ThinkingSplitter:
    """Splits one answer. What comes out is the same however the text is cut into pieces."""

    def __init__(self) -> None:
        self._held = ""
        self._text: list[str] = []
        self._thinking: list[str] = []
        self._was_thinking = False
        self._begin()

    def thought(self) -> None:
        """The model thought apart from its text: blanks that follow it are not part of the answer."""
        self._thought = True

    def take(self, text: str) -> Split:
        """One more piece."""
        return self._taken(text, ended=False)

    def end(self) -> Split:
        """What was kept back, at the end of the answer or before a tool call, after which it starts anew."""
        found = self._taken("", ended=True)
        self._begin()
        return found

    def _begin(self) -> None:
        self._place = _SplitState.START
        self._opening = ""
        self._thought = False
        self._code = CodeSpans()
        self._before = "\n"

    def _taken(self, text: str, *, ended: bool) -> Split:
        rest, self._held = self._held + text, ""
        while rest:
            match self._place:
                case _SplitState.START:
                    rest = self._at_start(rest, ended)
                case _SplitState.THINKING:
                    rest = self._in_thinking(rest, ended)
                case _SplitState.TEXT:
                    rest = self._in_text(rest, ended)
                case _SplitState.PLAIN:
                    self._text.append(rest)
                    rest = ""
        found = Split("".join(self._text), "".join(self._thinking), self._was_thinking)
        self._text, self._thinking, self._was_thinking = [], [], False
        return found

    def _at_start(self, text: str, ended: bool) -> str:
        said = text.lstrip()
        if said and (opening := marks.OPENING.match(said)) is not None:
            self._place, self._opening = _SplitState.THINKING, opening[0].lower()
            return said[opening.end() :]
        if said and (dropped := marks.BEFORE_AN_ANSWER.match(said)) is not None:
            self._thought = True
            return said[dropped.end() :]
        if not ended and (marks.begins_mark(said) if said else len(text) <= _MOST_BLANKS):
            self._held = text
            return ""
        self._place = _SplitState.PLAIN if self._thought else _SplitState.TEXT
        return said if self._thought else text

    def _in_thinking(self, text: str, ended: bool) -> str:
        end = marks.ENDING[self._opening].search(text)
        if end is not None:
            self._thinking.append(text[: end.start()])
            self._place, self._thought = _SplitState.START, True
            return text[end.end() :]
        at = len(text) if ended else marks.without_begun_end(text, self._opening)
        self._thinking.append(text[:at])
        self._held = text[at:]
        return ""

    def _in_text(self, text: str, ended: bool) -> str:
        """Follows the code in it; an end mark that stands alone makes thinking of all that came before."""
        until = len(text) if ended else marks.without_begun_mark(text)
        at = 0
        for found in marks.IN_TEXT.finditer(text, 0, until):
            between = text[at : found.start()]
            self._code.other(between)
            self._before = between[-1:] or self._before
            mark, at = found[0], found.end()
            if mark[0] in "`~":
                self._code.run(mark)
            elif mark == "\n":
                self._code.line()
            elif self._code.inside:
                self._code.other(mark)
            elif found["ends"] is None and self._code.begins_line and at == len(text) and not ended:
                until = found.start()  # what follows tells whether it stands alone
                break
            elif found["ends"] is None and self._code.begins_line and text[at : at + 1] in ("\n", "\r"):
                self._text.append(text[: found.start()])
                self._place, self._opening = _SplitState.THINKING, mark.lower()
                return text[at:]
            elif found["ends"] is None:
                self._place = _SplitState.PLAIN  # the mark that ends it is spoken about, too
                return text if at else ""
            elif at == len(text) and not ended:
                until = found.start()  # what follows tells whether it is spoken about
                break
            elif self._is_end(text[at : at + 1]):
                self._was_thinking = True
                self._thinking.append("".join(self._text) + text[: found.start()])
                self._text = []
                self._place, self._thought = _SplitState.START, True
                return text[at:]
            else:
                self._code.other(mark)
            self._before = mark[-1]
        else:
            self._code.other(text[at:until])
            self._before = text[at:until][-1:] or self._before
        self._text.append(text[:until])
        self._held = text[until:]
        return ""

    def _is_end(self, after: str) -> bool:
        """Whether an end mark ends thinking here: it isn't a word of a sentence."""
        return after in ("\n", "\r") if self._before in _BEFORE_A_WORD else True
