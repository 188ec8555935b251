"""The check of code before it is stored."""

from typing import Protocol

from agent_contracts.errors import Rejected
from tool_runner.sandbox.problems import CodeForm, CodeProblem


class CodeCheck(Protocol):
    """Who can tell whether code parses."""

    async def problem(self, code: str, form: CodeForm) -> CodeProblem | None:
        """The first thing that is wrong; None if the code parses. Nothing of it is run."""
        ...


async def require_parses(check: CodeCheck, code: str, form: CodeForm) -> None:
    """`Rejected` with line and column for code that doesn't parse."""
    found = await check.problem(code, form)
    if found is not None:
        raise Rejected(
            f"nothing was stored: the code doesn't parse: {found.message} "
            f"(line {found.line}, column {found.column})",
            path="/code",
            details={"line": found.line, "column": found.column},
        )
