"""TypeScript's types are taken out before the guest compiles: by sucrase, in the sandbox itself."""

import re
from collections.abc import Awaitable, Callable
from hashlib import sha256

from cachetools import FIFOCache

from tool_runner.sandbox import guest
from tool_runner.sandbox.library import LoadedLibrary, library
from tool_runner.sandbox.outcome import ProgramOutcome
from tool_runner.sandbox.program import SandboxProgram

_LIBRARY = "typescript"
_PROGRAM = f"return require('{_LIBRARY}').strip(args)"
_KEPT = 256
_END_OF_TYPES = re.compile(r">\s{0,8}\(")
_TYPES = re.compile(r"[\w$]\s?<[\w\s$.,\[\]|&{}:;'\"<>]*$")
_LONGEST_TYPES, _MOST_ENDS = 200, 500
"""Bounds on the search: the code is hostile, and the search is made in the runner."""


class Stripper:
    """Makes JavaScript of TypeScript, each line where it was. Columns after a type move to the left."""

    def __init__(
        self, run: Callable[[SandboxProgram, dict[str, LoadedLibrary]], Awaitable[ProgramOutcome]]
    ) -> None:
        """`run` runs a program with the libraries that it is given."""
        self._run = run
        self._done: FIFOCache[bytes, str | None] = FIFOCache(_KEPT)
        self._library: LoadedLibrary | None = None

    async def stripped(self, code: str) -> str | None:
        """The code without types; None where it can't be read as TypeScript either."""
        key = sha256(code.encode(errors="surrogatepass")).digest()
        if key not in self._done:
            if self._library is None:
                self._library = library(guest.read("typescript.js").decode())
            outcome = await self._run(SandboxProgram(_PROGRAM, code), {_LIBRARY: self._library})
            text = outcome.value
            same_lines = isinstance(text, str) and text.count("\n") == code.count("\n")
            self._done[key] = text if isinstance(text, str) and same_lines else None
        return self._done[key]


def has_typed_calls(code: str) -> bool:
    """Whether code may mean something else as TypeScript than as JavaScript: there, `f<T>(x)` compares."""
    for number, end in enumerate(_END_OF_TYPES.finditer(code)):
        start = max(0, end.start() - _LONGEST_TYPES)
        if number >= _MOST_ENDS or _TYPES.search(code[start : end.start()]):
            return True
    return False
