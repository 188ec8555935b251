"""Searching the text of files: each by a process of its own, since an expression can take for ever."""

import fnmatch
from collections.abc import Sequence
from typing import cast

import msgspec

from agent_contracts.errors import Failure, Transient
from agent_domain.files.file import File
from agent_platform.log.storable_text import storable_text
from agent_platform.process.clock import Clock
from tool_runner.agent.files.reading import FileTexts
from tool_runner.documents.documents import Documents
from tool_runner.documents.messages import DocumentJob
from tool_runner.documents.texts.search import LineSearchOptions, compiled

MOST_FILES = 50
MOST_MATCHES = 100
_WITHIN_S = 120.0


class Query(msgspec.Struct, frozen=True):
    """What to look for, in each line."""

    text: str
    regex: bool = False
    ignore_case: bool = False


class FileLineMatch(msgspec.Struct, frozen=True):
    """A line that has it, from 1."""

    file: File
    line: int
    text: str


class SearchedFiles(msgspec.Struct, frozen=True):
    """What was found. `skipped` are paths of files that could not be searched, and why; `left_out` are paths
    and what is in those files, but not in the text that was searched."""

    matches: Sequence[FileLineMatch]
    searched: int
    skipped: Sequence[tuple[str, str]]
    left_out: Sequence[tuple[str, str]]
    truncated: bool


class FileSearch:
    """Searches a call's files."""

    def __init__(self, texts: FileTexts, documents: Documents, clock: Clock) -> None:
        self._texts = texts
        self._documents = documents
        self._clock = clock

    async def search(self, files: Sequence[File], query: Query, patterns: Sequence[str]) -> SearchedFiles:
        """The first lines that match, of the first files that the patterns (none: all) name.

        `Rejected(kind="invalid_arguments")` for a pattern that isn't one.
        """
        compiled(LineSearchOptions(query.text, query.regex, query.ignore_case, 1))
        wanted = [file for file in files if _is_named(file.path, patterns)]
        began = self._clock.now()
        matches: list[FileLineMatch] = []
        skipped: list[tuple[str, str]] = []
        left_out: list[tuple[str, str]] = []
        searched = 0
        for file in wanted[:MOST_FILES]:
            if len(matches) >= MOST_MATCHES or (self._clock.now() - began).total_seconds() > _WITHIN_S:
                break
            try:
                text = await self._texts.read(file)
                if text.left_out:
                    left_out.append((file.path, "; ".join(text.left_out)))
                matches += await self._lines(file, text.text, query, MOST_MATCHES + 1 - len(matches))
            except Transient:
                raise
            except Failure as failure:
                skipped.append((file.path, failure.message))
            searched += 1
        truncated = searched < len(wanted) or len(matches) > MOST_MATCHES
        return SearchedFiles(matches[:MOST_MATCHES], searched, skipped, left_out, truncated)

    async def _lines(self, file: File, text: str, query: Query, most: int) -> list[FileLineMatch]:
        options = LineSearchOptions(query.text, query.regex, query.ignore_case, most)
        done = await self._documents.run(
            DocumentJob("texts.search", (text.encode(errors="replace"),), options)
        )
        found = cast(list[tuple[int, str]], done.value)
        return [FileLineMatch(file, line, storable_text(shown)) for line, shown in found]


def file_search(texts: FileTexts, documents: Documents, clock: Clock) -> FileSearch:
    """The provider of this port."""
    return FileSearch(texts, documents, clock)


def _is_named(path: str, patterns: Sequence[str]) -> bool:
    return not patterns or any(fnmatch.fnmatchcase(path, pattern) for pattern in patterns)
