"""sums"""

import ast
import math
import operator
import re
from collections.abc import Callable
from typing import Annotated

from pydantic import Field

from agent_contracts.errors import ErrorKind, Rejected
from agent_tools.text import TextResult
from agent_tools.tool import PURE, Arguments, tool

Number = int | float

LONGEST = 1_000
"""Characters of an expression."""
DEEPEST = 100
"""Parentheses inside parentheses, and signs before signs."""
MOST_DIGITS = 4_300
"""Of a whole number, on the way too; Python itself writes no longer ones out."""

_MOST = 10**MOST_DIGITS
_MOST_BITS = _MOST.bit_length()
_TOKEN = re.compile(r"\s+|(?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|[-+*/%()]")
_BINARY: dict[type[ast.operator], Callable[[Number, Number], Number]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_SIGNS: dict[type[ast.unaryop], Callable[[Number], Number]] = {
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
}


class NotArithmetic(ValueError):
    """The expression has no value here; the words say why."""


def evaluated(expression: str) -> Number:
    """The value. Raises `NotArithmetic` for what is no arithmetic, is too long, too deep or too large, or is
    divided by zero."""
    _check_text(expression)
    try:
        tree = ast.parse(expression.strip(), mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise NotArithmetic(f"not a valid expression: {expression!r}") from error
    try:
        return _checked(_value(tree.body))
    except ZeroDivisionError as error:
        raise NotArithmetic("division by zero") from error
    except OverflowError as error:
        raise NotArithmetic("the result is too large") from error


def _check_text(expression: str) -> None:
    if len(expression) > LONGEST:
        raise NotArithmetic(
            f"the expression has {len(expression):,} characters, at most {LONGEST:,} are read"
        )
    at = depth = signs = 0
    while at < len(expression):
        found = _TOKEN.match(expression, at)
        if found is None:
            raise NotArithmetic(
                f"not a valid expression: {expression!r}: {expression[at]!r} is not part of arithmetic, "
                "which has numbers, + - * / // % ** and parentheses"
            )
        token = found[0]
        depth += (token == "(") - (token == ")")
        signs = signs + 1 if token in "+-" else signs if token.isspace() else 0
        if depth > DEEPEST or signs > DEEPEST:
            raise NotArithmetic(f"the expression is more than {DEEPEST} parentheses or signs deep")
        at = found.end()


def _value(tree: ast.expr) -> Number:
    """Without recursion: a long sum is as deep as it is long. Operands come before what is done with them."""
    waiting: list[ast.expr | ast.operator | ast.unaryop] = [tree]
    values: list[Number] = []
    while waiting:
        match waiting.pop():
            case ast.BinOp(left, operation, right):
                waiting += [operation, right, left]
            case ast.UnaryOp(sign, operand) if type(sign) in _SIGNS:
                waiting += [sign, operand]
            case ast.Constant(int() | float() as number):
                values.append(_checked(number))
            case ast.operator() as operation:
                right_value, left_value = values.pop(), values.pop()
                values.append(_checked(_done(operation, left_value, right_value)))
            case ast.unaryop() as sign:
                values.append(_SIGNS[type(sign)](values.pop()))
            case other:
                raise NotArithmetic(f"{type(other).__name__} is not part of arithmetic")
    return values.pop()


def _done(operation: ast.operator, left: Number, right: Number) -> Number:
    if isinstance(operation, ast.Pow):
        return _power(left, right)
    if type(operation) not in _BINARY:
        raise NotArithmetic(f"{type(operation).__name__} is not part of arithmetic")
    return _BINARY[type(operation)](left, right)


def _power(base: Number, exponent: Number) -> Number:
    if isinstance(base, int) and isinstance(exponent, int) and exponent > 0:
        least_bits = (abs(base).bit_length() - 1) * exponent
        if least_bits > _MOST_BITS:
            raise NotArithmetic("the result is too large")
    result: Number | complex = base**exponent
    if isinstance(result, complex):
        raise NotArithmetic("the result is not a real number")
    return result


def _checked(number: Number) -> Number:
    if isinstance(number, int) and abs(number) >= _MOST:
        raise NotArithmetic(f"the result is too large: it has more than {MOST_DIGITS:,} digits")
    if isinstance(number, float) and not math.isfinite(number):
        raise NotArithmetic("the result is too large")
    return number


class Calculator(Arguments):
    """What to work out."""

    expression: Annotated[str, Field(description="Such as (100 - 12.5) / 7.")]


@tool("calculator", family="arithmetic", effect=PURE)
async def calculator(args: Calculator) -> TextResult:
    """Work out an expression of numbers, + - * / // % ** and parentheses. It knows no names and no
    functions."""
    try:
        result = evaluated(args.expression)
    except NotArithmetic as wrong:
        raise Rejected(f"Error: {wrong}", kind=ErrorKind.INVALID_ARGUMENTS, path="/expression") from wrong
    return TextResult(text=f"{args.expression} = {result}")
