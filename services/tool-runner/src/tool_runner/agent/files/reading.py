"""What a file says, whatever its format: plain text as it stands, the text of documents by a process."""

from collections.abc import Callable, Sequence

import msgspec

from agent_contracts.errors import ErrorKind, Rejected
from agent_domain.files.file import File, FileContent, FileRef
from agent_platform.log.storable_text import storable_text
from agent_tools.ports.files import AgentFiles
from agent_tools.ports.running import Compute
from tool_runner.agent.files.text import PlainText, is_plain, plain_text
from tool_runner.documents.document_text import PageOptions, document_text, text_job
from tool_runner.documents.documents import Documents
from tool_runner.documents.kinds import why_unreadable

_SOURCE = "`source` gives the page as it stands, with all of it"


class FileText(msgspec.Struct, frozen=True):
    """What a version of a file says. `encoding` is None where it was taken out of a document; `left_out` says
    what that holds and `text` doesn't."""

    text: str
    encoding: str | None
    left_out: Sequence[str] = ()

    @property
    def marked(self) -> str:
        """The text; before it, in a line of its own, what it leaves out."""
        return (
            f"[Left out of this text: {'; '.join(self.left_out)}]\n\n{self.text}"
            if self.left_out
            else self.text
        )


class FileTexts:
    """The texts of a call's files."""

    def __init__(self, files: AgentFiles, documents: Documents, compute: Compute) -> None:
        self._files = files
        self._documents = documents
        self._compute = compute

    async def read(self, file: File, *, source: bool = False) -> FileText:
        """What the file says; with `source`, plain text (as of a page of HTML) as it stands.

        `Rejected` for a file that has no text.
        """
        data = await self._files.read(file)
        job = None if source else text_job(data, file.media_type, PageOptions())
        if job is not None:
            found = await document_text(self._documents, job)
            left_out = [*found.left_out, *([_SOURCE] if found.left_out and job.name == "pages.page" else [])]
            return FileText(storable_text(found.content), None, left_out)
        if not is_plain(data, file.media_type):
            why = why_unreadable(data, file.media_type, file.path)
            raise Rejected(f"{file.path} can't be read as text: {why}")
        plain = await self._compute.run(lambda: plain_text(data, file.media_type))
        return FileText(plain.text, plain.encoding or "unknown")

    async def edit(
        self,
        ref: FileRef,
        change: Callable[[PlainText], str],
        version: int | None,
    ) -> File:
        """Make the next version of a file of plain text out of the current one."""

        async def changed(file: File, data: bytes) -> FileContent:
            def work() -> bytes:
                before = plain_text(data, file.media_type) if data else PlainText("")
                return before.bytes_with(change(before))

            try:
                return FileContent(await self._compute.run(work), media_type=file.media_type)
            except Rejected as error:
                raise Rejected(f"{file.path}: {error.message}", kind=error.kind, path=error.path) from error

        return await self._files.edit(ref, changed, version)


def file_texts(files: AgentFiles, documents: Documents, compute: Compute) -> FileTexts:
    """The provider of this port."""
    return FileTexts(files, documents, compute)


def part_of(text: str, offset: int, most: int) -> tuple[str, int | None]:
    """So many characters from `offset` on, to the end of a line where there is one, and where the next part
    begins (None: that was all). `Rejected(kind="invalid_arguments")` for an offset after the end."""
    if offset > len(text):
        message = f"the text has {len(text)} characters"
        raise Rejected(message, kind=ErrorKind.INVALID_ARGUMENTS, path="/offset")
    end = offset + most
    if end >= len(text):
        return text[offset:], None
    line = text.rfind("\n", offset + most // 2, end)
    end = line + 1 if line >= 0 else end
    return text[offset:end], end
