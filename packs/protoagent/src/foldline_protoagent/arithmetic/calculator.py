"""`calculator`: arithmetic, and nothing but."""

from typing import Annotated

from pydantic import Field

from agent_contracts.errors import ErrorKind, Rejected
from agent_tools.text import Text
from agent_tools.tool import PURE, Arguments, tool
from foldline_protoagent.arithmetic.evaluating import NotArithmetic, evaluated


class Calculator(Arguments):
    """What to work out."""

    expression: Annotated[str, Field(description="Such as (100 - 12.5) / 7.")]


@tool("calculator", family="arithmetic", effect=PURE)
async def calculator(args: Calculator) -> Text:
    """Work out an expression of numbers, + - * / // % ** and parentheses. It knows no names and no
    functions."""
    try:
        result = evaluated(args.expression)
    except NotArithmetic as wrong:
        raise Rejected(f"Error: {wrong}", kind=ErrorKind.INVALID_ARGUMENTS, path="/expression") from wrong
    return Text(text=f"{args.expression} = {result}")
