"""What code opens and does not close, and what it closes and did not open: as far as its text tells.

A guess, since only a parser knows what is a regular expression: whoever tells an author of it has it checked.
"""

import re

import msgspec

_CLOSES = {"(": ")", "[": "]", "{": "}", "`": "`", "${": "}"}
_NEXT = re.compile(
    r"//[^\n]*|/\*(?:[\s\S]*?\*/|[\s\S]*)|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|\\.|[()\[\]{}`]"
)
_DEEPEST = 100
_NEXT_IN_TEMPLATE = re.compile(r"\\.|\$\{|`")


class Bracket(msgspec.Struct, frozen=True):
    """A bracket, and its offset in the code."""

    text: str
    at: int

    @property
    def closing(self) -> str:
        """What closes it."""
        return _CLOSES[self.text]


class Brackets(msgspec.Struct, frozen=True):
    """`open` are those that nothing closes, the outermost first; `stray` is the first that closes nothing."""

    open: tuple[Bracket, ...] = ()
    stray: Bracket | None = None


def brackets(code: str) -> Brackets:
    """Those of the code that have no counterpart; none where more than a hundred are open at once.

    Of a pair that does not fit, as `(]`, the first is open and the second stray.
    """
    stack: list[Bracket] = []
    at = 0
    while found := (_NEXT_IN_TEMPLATE if stack and stack[-1].text == "`" else _NEXT).search(code, at):
        at, text = found.end(), found[0]
        if stack and text == stack[-1].closing:
            stack.pop()
        elif text in _CLOSES:
            stack.append(Bracket(text, found.start()))
            if len(stack) > _DEEPEST:
                return Brackets()
        elif text in (")", "]", "}"):
            return Brackets(tuple(stack), Bracket(text, found.start()))
    return Brackets(tuple(stack))
