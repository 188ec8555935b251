"""Jobs on the files of an agent: what the tools of a format do with bytes, without any format's words."""

from collections.abc import Sequence

import msgspec

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.json_value import Json
from agent_domain.files.file import File, FileContent, FileRef
from agent_tools.ports.files import AgentFiles
from tool_runner.documents.documents import Documents
from tool_runner.documents.messages import DocumentJob, JobResult


class FileJob(msgspec.Struct, frozen=True):
    """What to do with a file (`family.job`), with which options; `beside` are further files that it needs."""

    job: str
    options: object = {}
    beside: tuple[FileRef, ...] = ()


class OutputTarget(msgspec.Struct, frozen=True):
    """Where to write: the next version of the file, or with `output_path` a new file.

    With `version`, only if the file still has that one. With `may_be_new`, a path that doesn't exist
    gets what the job makes of no bytes.
    """

    ref: FileRef
    version: int | None = None
    output_path: str | None = None
    may_be_new: bool = False


class FileDocuments:
    """A call's files, and the processes in which they are worked on."""

    def __init__(self, files: AgentFiles, documents: Documents) -> None:
        self._files = files
        self._documents = documents

    async def file(self, ref: FileRef) -> File:
        """The file, without working on it."""
        return await self._files.find(ref)

    async def bytes_of(self, file: File) -> bytes:
        """The bytes of this version."""
        return await self._files.read(file)

    async def read(self, ref: FileRef, work: FileJob) -> tuple[File, JobResult]:
        """The file, and what the job gives of it."""
        file = await self._files.find(ref)
        return file, await self._done(await self._files.read(file), work)

    async def write(self, target: OutputTarget, work: FileJob) -> tuple[File, Json]:
        """The file that holds what the job made first, and what the job says of it.

        Where another write came between, the job is done again on what that left, unless there is a
        `version`.
        """
        before = await self._before(target)
        if before is None or target.output_path is not None:
            return await self._write_new(target, before, work)
        said: list[Json] = []

        async def change(_: File, data: bytes) -> FileContent:
            done = await self._done(data, work)
            said.append(done.value)
            return FileContent(done.outputs[0])

        file = await self._files.edit(target.ref, change, target.version)
        if not said:  # an earlier attempt at this call wrote it
            said.append((await self._done(await self._as_it_was(file), work)).value)
        return file, said[-1]

    async def write_all(self, paths: Sequence[str], outputs: Sequence[bytes], of: File) -> list[File]:
        """A new file for each of the outputs, said to be made from one."""
        contents = [FileContent(data, made_from=of.file_id) for data in outputs]
        return [await self._files.create(path, one) for path, one in zip(paths, contents, strict=True)]

    async def _write_new(self, target: OutputTarget, before: File | None, work: FileJob) -> tuple[File, Json]:
        data = b"" if before is None else await self._files.read(before)
        done = await self._done(data, work)
        path = target.output_path or target.ref.path or ""
        content = FileContent(done.outputs[0], made_from=before.file_id if before else None)
        try:
            return await self._files.create(path, content), done.value
        except Rejected as error:
            if error.path != "/path" or target.output_path is None:
                raise
            raise Rejected(error.message, kind=error.kind, path="/output_path") from error

    async def _before(self, target: OutputTarget) -> File | None:
        """The file as it is; None where it is to be made."""
        try:
            file = await self._files.find(target.ref)
        except Rejected as error:
            if not target.may_be_new or target.ref.path is None or error.kind != ErrorKind.NOT_FOUND:
                raise
            if target.version is not None:
                raise
            return None
        if target.version is not None and file.version != target.version and target.output_path is not None:
            why = f"{file.path} has version {file.version} now, not {target.version}: read it again"
            raise Rejected(why, kind=ErrorKind.CONFLICT, path="/version")
        return file

    async def _as_it_was(self, file: File) -> bytes:
        if file.version == 1:
            return b""
        before = await self._files.find(FileRef(file_id=file.file_id), file.version - 1)
        return await self._files.read(before)

    async def _done(self, data: bytes, work: FileJob) -> JobResult:
        others = [await self._files.read(await self._files.find(ref)) for ref in work.beside]
        return await self._documents.run(DocumentJob(work.job, (data, *others), work.options))


def file_documents(files: AgentFiles, documents: Documents) -> FileDocuments:
    """The provider of this port."""
    return FileDocuments(files, documents)
