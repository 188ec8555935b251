"""Pages are checked before they are stored: by Babel's parser, in the sandbox itself."""

from collections.abc import Awaitable, Callable
from functools import cache

import msgspec

from tool_runner.sandbox import guest
from tool_runner.sandbox.library import LoadedLibrary, library
from tool_runner.sandbox.outcome import ProgramOutcome
from tool_runner.sandbox.problems import CodeProblem
from tool_runner.sandbox.program import SandboxProgram

_LIBRARY = "component"
_PROGRAM = f"return require('{_LIBRARY}').problem(args)"

Run = Callable[[SandboxProgram, dict[str, LoadedLibrary]], Awaitable[ProgramOutcome]]
"""Runs a program with the libraries that it is given."""


async def component_problem(run: Run, code: str) -> CodeProblem | None:
    """The first thing that keeps JSX or TSX from being a page; None if it is one. Nothing of it is run."""
    outcome = await run(SandboxProgram(_PROGRAM, code), {_LIBRARY: _parser()})
    if outcome.error is not None:
        # The parser itself came to its limits, of time or of depth: what it can't read, no browser will.
        return CodeProblem(f"it is too much to read: {outcome.error.message}", 1, 1)
    return msgspec.convert(outcome.value, CodeProblem | None)


@cache
def _parser() -> LoadedLibrary:
    return library(guest.read("component.js").decode())
