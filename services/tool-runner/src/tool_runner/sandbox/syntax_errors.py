"""Where code ends too early, told in terms of the author's code: the parser names the line after it, in which
the sandbox closes the function that it made of the code."""

import re
from collections.abc import Awaitable, Callable

import msgspec

from tool_runner.sandbox.brackets import Bracket, Brackets, brackets
from tool_runner.sandbox.outcome import CodeError

_LINE_END = re.compile(r"\r\n|[\n\r\u2028\u2029]")
_LONGEST = 30_000
"""Characters of code in which brackets are looked for."""
_MOST_NAMED = 3


async def in_own_terms(
    problem: CodeError, code: str, file: str, parses: Callable[[str], Awaitable[bool]]
) -> CodeError:
    """A syntax error of `code`, at what is missing or too much in it, if that is what is wrong."""
    found = brackets(code) if len(code) <= _LONGEST else Brackets()
    end = len(code.rstrip())
    if found.stray is not None:
        at = found.stray.at
        if not found.open and await parses(code[:at] + " " + code[at + 1 :]):
            return _error(problem, f"unexpected '{found.stray.text}': it closes nothing", code, at, file)
    elif found.open:
        closing = "".join(bracket.closing for bracket in reversed(found.open))
        if await parses(f"{code}\n{closing};"):
            missing = f"'{closing}' is missing, to close {_named(found.open, code)}"
            return _error(problem, f"unexpected end of code: {missing}", code, end, file)
    if problem.line is not None and problem.line > _place(code, len(code))[0]:
        message = "unexpected end of code: its last statement is not complete"
        return _error(problem, message, code, end, file)
    return problem


def _named(opened: tuple[Bracket, ...], code: str) -> str:
    places = [(bracket.text, *_place(code, bracket.at)) for bracket in reversed(opened)]
    named = [f"the '{text}' of line {line}, column {column}" for text, line, column in places[:_MOST_NAMED]]
    more = [f"{len(places) - _MOST_NAMED} more"] if len(places) > _MOST_NAMED else []
    return " and ".join([*named, *more])


def _error(problem: CodeError, message: str, code: str, at: int, file: str) -> CodeError:
    line, column = _place(code, at)
    stack = f"    at {file}:{line}:{column}"
    return msgspec.structs.replace(problem, message=message, stack=stack, file=file, line=line, column=column)


def _place(code: str, at: int) -> tuple[int, int]:
    """Line and column of an offset, from 1. Lines end where JavaScript's do."""
    ends = [found.end() for found in _LINE_END.finditer(code, 0, at)]
    return len(ends) + 1, at - (ends[-1] if ends else 0) + 1
