"""Libraries as workers are given them: without types, named by their content, made ready once."""

import re
from collections.abc import Awaitable, Callable
from hashlib import sha256

import msgspec
from cachetools import LRUCache

from tool_runner.sandbox.limits import MIB

KEPT_BYTES = 32 * MIB
"""Bytes of libraries that are kept: once in the runner, and once in each worker that was given them."""
_REQUIRE = re.compile(r"""require\s*\(\s*(["'`])([^"'`\n\\$]{1,200})\1\s*\)""")
"""Without `\\b` before it, which makes the search fifty times slower."""
_WORD = re.compile(r"[\w$]")


class LoadedLibrary(msgspec.Struct, frozen=True):
    """`source` is its JavaScript as a JSON string, `digest` the SHA-256 of that.

    `requires` are the names that it requires literally.
    """

    source: bytes
    digest: bytes
    requires: tuple[str, ...]

    @property
    def javascript(self) -> str:
        """Its JavaScript."""
        return msgspec.json.decode(self.source, type=str)


def library(javascript: str) -> LoadedLibrary:
    """A library of code that has no types."""
    source = msgspec.json.encode(javascript)
    return LoadedLibrary(source, sha256(source).digest(), tuple(names_in(javascript)))


def names_in(code: str) -> list[str]:
    """The names in `require("…")`, in comments and strings as well."""
    return [found[2] for found in _REQUIRE.finditer(code) if not _continues_word(code, found.start())]


def _continues_word(code: str, at: int) -> bool:
    return at > 0 and _WORD.match(code[at - 1]) is not None


class ReadyLibraries:
    """Libraries by what their authors wrote: the same text is made ready once."""

    def __init__(self, without_types: Callable[[str], Awaitable[str]]) -> None:
        self._without_types = without_types
        self._kept: LRUCache[bytes, LoadedLibrary] = LRUCache(
            KEPT_BYTES, getsizeof=lambda made: len(made.source)
        )

    async def of(self, code: str) -> LoadedLibrary:
        """The library of an author's code, JavaScript or TypeScript."""
        key = sha256(code.encode(errors="surrogatepass")).digest()
        if key in self._kept:
            return self._kept[key]
        made = library(await self._without_types(code))
        if len(made.source) <= self._kept.maxsize:
            self._kept[key] = made
        return made
