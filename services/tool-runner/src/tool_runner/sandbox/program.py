"""What is to be run."""

from datetime import datetime
from typing import Protocol

import msgspec

from agent_contracts.json_value import Json
from tool_runner.sandbox.limits import RunLimits


class SandboxProgram(msgspec.Struct, frozen=True):
    """JavaScript or TypeScript: the body of an async function, with what it sees.

    `file` is how the code is called in stacks. `secrets` are what `secrets.NAME` gives: placeholders, but for
    those that may be shown to code. `clock` is the time (UTC) at which the run believes to begin, by default
    the machine's; it goes on from there. With `seed`, it determines what Date and Math.random say.
    """

    code: str
    args: Json = None
    secrets: dict[str, str] = {}
    limits: RunLimits = RunLimits()
    clock: datetime | None = None
    seed: int = 1
    file: str = "code.js"


class LibrarySource(Protocol):
    """The libraries that `require` finds."""

    async def code_of(self, name: str) -> str | None:
        """A library's code (CommonJS), or None where there is none of this name."""
        ...


class NoLibraries:
    """For code that has none."""

    async def code_of(self, name: str) -> str | None:
        """None."""
        return None
