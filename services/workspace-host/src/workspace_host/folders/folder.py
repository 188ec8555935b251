"""The folder of one workspace: laid out from its files, and captured into them; each time what changed."""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import structlog

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.files import LARGEST_FILE, flaw_in_path
from agent_domain.files.file import File, FileContent, FileRef
from agent_tools.commands import Change, ChangedFile
from agent_tools.ports.files import AgentFiles
from workspace_host import limits
from workspace_host.folders.disk import Disk, FileMark
from workspace_host.folders.opened_paths import Opens
from workspace_host.folders.removing import remove_all
from workspace_host.isolation.isolation import write_names
from workspace_host.isolation.user import give
from workspace_host.isolation.view import FolderView

log = structlog.get_logger()


@dataclass(frozen=True)
class _UnchangedFile:
    """A file that is the same here and there."""

    file_id: str
    blob: str
    mark: FileMark


@dataclass
class CaptureResult:
    """What a capture did: the files that are other than before, and what can't be kept, with why."""

    changed: list[ChangedFile] = field(default_factory=list)
    not_kept: list[str] = field(default_factory=list)


class Folder:
    """A folder on this machine. Whoever lays it out or captures it holds its `lock`."""

    def __init__(self, place: Path) -> None:
        self.lock = asyncio.Lock()
        self.commands = 0
        """How many run in it now."""
        self.watched: set[Opens] = set()
        """What watches its files; it doesn't hear of those that we open."""
        self._place = place
        self._known: dict[str, _UnchangedFile] = {}
        self.view = FolderView(place / "files", place / "tmp", place / "shm", place / "names")
        self._disk = Disk(str(self.view.files), give)
        self._told: set[str] = set()

    def make(self) -> None:
        """Make it, empty."""
        self._place.mkdir(mode=0o711)
        for folder in (self.view.files, self.view.scratch, self.view.shared):
            folder.mkdir(mode=0o700)
            give(str(folder))
        self.view.names.mkdir(mode=0o755)
        write_names(self.view.names)

    def remove(self) -> None:
        """Remove it with all that is in it."""
        remove_all(self._place)

    @asynccontextmanager
    async def _unseen(self) -> AsyncIterator[None]:
        """What is opened in this block, we open."""
        for one in tuple(self.watched):
            await asyncio.to_thread(one.look)
        try:
            yield
        finally:
            for one in tuple(self.watched):
                await asyncio.to_thread(one.look, ours=True)

    async def lay_out(self, files: AgentFiles, listed: Sequence[File]) -> list[str]:
        """Have the workspace's files in it, as they are now; what couldn't be laid out, with why.
        `Rejected(kind="too_large")` for more files than a folder may have."""
        if len(listed) > limits.LAID_OUT:
            raise Rejected(
                f"{len(listed):,} files: commands run beside {limits.LAID_OUT:,} at most",
                kind=ErrorKind.TOO_LARGE,
            )
        async with self._unseen():
            return await self._laid_out(files, {file.path: file for file in listed})

    async def _laid_out(self, files: AgentFiles, wanted: Mapping[str, File]) -> list[str]:
        left_out = []
        for path in [path for path in self._known if path not in wanted]:
            await asyncio.to_thread(self._disk.remove, path)
            del self._known[path]
        for path, file in wanted.items():
            known = self._known.get(path)
            if known is not None and known.blob == file.blob:
                self._known[path] = _UnchangedFile(file.file_id, file.blob, known.mark)
                continue
            try:
                mark = await asyncio.to_thread(self._disk.write, path, await files.read(file))
            except OSError as error:
                left_out.append(f"{path}: not in the folder ({error.strerror})")
            else:
                self._known[path] = _UnchangedFile(file.file_id, file.blob, mark)
        return left_out

    async def capture(self, files: AgentFiles) -> CaptureResult:
        """Make what changed in it since it was laid out the next version of the workspace's files."""
        async with self._unseen():
            return await self._captured(files)

    async def _captured(self, files: AgentFiles) -> CaptureResult:
        found = await asyncio.to_thread(self._disk.found)
        kept = CaptureResult(not_kept=self._news(found.odd))
        changed = [
            path
            for path, mark in sorted(found.files.items())
            if path not in self._known or self._known[path].mark != mark
        ]
        size = 0
        for number, path in enumerate(changed):
            size += found.files[path].size
            if number >= limits.CAPTURED or size > limits.CAPTURED_BYTES:
                kept.not_kept.append(f"{path} and {len(changed) - number - 1} more: too many at a time")
                break
            await self._keep(files, path, found.files[path], kept)
        if found.whole:
            for path in [path for path in self._known if path not in found.files]:
                await self._forget(files, path, kept)
        elif found.entries > limits.ENTRIES:
            kept.not_kept.append(f"more than {limits.ENTRIES:,} files and folders: not all were looked at")
        kept.not_kept[limits.NOT_KEPT_TOLD :] = (
            [f"and {len(kept.not_kept) - limits.NOT_KEPT_TOLD} more"]
            if len(kept.not_kept) > limits.NOT_KEPT_TOLD
            else []
        )
        return kept

    async def _keep(self, files: AgentFiles, path: str, mark: FileMark, kept: CaptureResult) -> None:
        flaw = flaw_in_path(path)
        if flaw is None and not _is_utf8(path):
            flaw = "its name is not UTF-8"
        if flaw is None and mark.size > LARGEST_FILE:
            flaw = f"a file has at most {LARGEST_FILE // 1_000_000} MB"
        if flaw is not None:
            kept.not_kept += self._news([f"{_shown(path)}: {flaw}"])
            return
        read = await asyncio.to_thread(self._disk.read, path, LARGEST_FILE)
        if read is None:
            return  # gone, or growing: the next capture sees what became of it
        data, mark = read
        blob = hashlib.sha256(data).hexdigest()
        known = self._known.get(path)
        if known is not None and known.blob == blob:
            self._known[path] = _UnchangedFile(known.file_id, blob, mark)
            return
        try:
            file, how = await _written(
                files, path, known.file_id if known else None, FileContent(data, source="code")
            )
        except Rejected as refused:
            kept.not_kept.append(f"{path}: {refused.message}")
            return
        self._known[path] = _UnchangedFile(file.file_id, file.blob, mark)
        kept.changed.append(ChangedFile(path, how, len(data), file.file_id))

    async def _forget(self, files: AgentFiles, path: str, kept: CaptureResult) -> None:
        known = self._known.pop(path)
        if await files.delete(FileRef(file_id=known.file_id)):
            kept.changed.append(ChangedFile(path, "deleted"))

    def _news(self, told: list[str]) -> list[str]:
        """Of what can't be kept, what nobody was told yet."""
        news = [one for one in told if one not in self._told]
        if len(self._told) < limits.ENTRIES:
            self._told.update(news)
        return [_shown(one) for one in news]


async def _written(
    files: AgentFiles, path: str, file_id: str | None, content: FileContent
) -> tuple[File, Change]:
    """The file with its new content. Of two who write one file both versions are kept, the later counts."""
    if file_id is not None:
        try:
            return await files.write(FileRef(file_id=file_id), content), "changed"
        except Rejected as refused:
            if refused.kind != ErrorKind.NOT_FOUND:
                raise
    try:
        return await files.create(path, content), "created"
    except Rejected as refused:
        if refused.kind != ErrorKind.CONFLICT:
            raise
    return await files.write(FileRef(path=path), content), "changed"


def _is_utf8(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _shown(path: str) -> str:
    return path.encode("utf-8", "replace").decode()[:512]
