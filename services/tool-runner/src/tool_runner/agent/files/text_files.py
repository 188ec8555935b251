"""`TextFiles`, for packs: what files say, and edits of plain text that keep what they don't touch."""

import itertools
from collections.abc import Sequence
from typing import cast

from agent_contracts.errors import ErrorKind, Rejected
from agent_domain.files.file import File, FileRef
from agent_platform.log.storable_text import storable_text
from agent_tools.ports.files import MatchingLine, NewLines, TextFiles
from tool_runner.agent.files.reading import FileTexts
from tool_runner.agent.files.text import PlainText, with_lines_replaced
from tool_runner.documents.documents import Documents
from tool_runner.documents.messages import DocumentJob
from tool_runner.documents.texts.search import LineSearchOptions, compiled


class ReadTextFiles:
    """`TextFiles` of a call."""

    def __init__(self, texts: FileTexts, documents: Documents) -> None:
        self._texts = texts
        self._documents = documents

    async def read(self, file: File) -> str:
        """See `TextFiles`."""
        return (await self._texts.read(file)).marked

    async def replace(self, ref: FileRef, lines: Sequence[NewLines]) -> File:
        """See `TextFiles`."""
        last_first = sorted(lines, key=lambda one: one.first, reverse=True)
        for later, earlier in itertools.pairwise(last_first):
            if earlier.last >= later.first:
                raise Rejected(
                    f"lines {earlier.first} to {earlier.last} and {later.first} to {later.last} overlap",
                    kind=ErrorKind.INVALID_ARGUMENTS,
                    path="/replacements",
                )

        def replaced(before: PlainText) -> str:
            text = before.text
            for one in last_first:
                here = PlainText(text, before.encoding, before.mark)
                text = with_lines_replaced(here, one.first, one.last, storable_text(one.text))
            return text

        return await self._texts.edit(ref, replaced, None)

    async def search(self, text: str, expression: str, *, ignore_case: bool, most: int) -> list[MatchingLine]:
        """See `TextFiles`."""
        options = LineSearchOptions(expression, True, ignore_case, most)
        compiled(options)
        done = await self._documents.run(
            DocumentJob("texts.search", (text.encode(errors="replace"),), options)
        )
        found = cast(list[tuple[int, str]], done.value)
        return [MatchingLine(number, storable_text(shown)) for number, shown in found]


def text_files(texts: FileTexts, documents: Documents) -> TextFiles:
    """The provider of this port."""
    return ReadTextFiles(texts, documents)
