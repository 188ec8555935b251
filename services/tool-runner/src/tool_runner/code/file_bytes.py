"""Bytes of files for code: `files.readBytes`, `writeBytes` and `appendBytes`. They cross as base64."""

import base64
import binascii
from typing import Annotated, Any

import msgspec

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.json_value import Json
from agent_domain.files.file import File, FileContent, FileRef
from agent_tools.ports.files import AgentFiles

MOST_BYTES = 1024 * 1024
"""Bytes of a file that one call reads or writes."""

_Count = Annotated[int, msgspec.Meta(ge=0)]


class _Which(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    path: str | None = None
    file_id: str | None = None
    version: Annotated[int, msgspec.Meta(ge=1)] | None = None

    @property
    def ref(self) -> FileRef:
        return FileRef(self.file_id, self.path)


class _ReadBytes(_Which, frozen=True, forbid_unknown_fields=True):
    offset: _Count = 0
    length: _Count | None = None


class _WriteBytes(_Which, frozen=True, forbid_unknown_fields=True):
    media_type: str | None = None


class FileBytes:
    """The bytes of the files that a call sees."""

    def __init__(self, files: AgentFiles) -> None:
        self._files = files

    async def read(self, arguments: list[Json]) -> Json:
        """`readBytes({path | file_id, version, offset, length})`: base64 of up to `MOST_BYTES`."""
        (asked,) = _given("readBytes", arguments, tuple[_ReadBytes])
        file = await self._files.find(_one(asked, "readBytes"), asked.version)
        length = max(0, file.size - asked.offset) if asked.length is None else asked.length
        if length > MOST_BYTES:
            raise Rejected(
                f"files.readBytes: {length} bytes are more than {MOST_BYTES} a call: give offset and length",
                kind=ErrorKind.TOO_LARGE,
            )
        data = await self._files.read(file)
        return base64.b64encode(data[asked.offset : asked.offset + length]).decode()

    async def write(self, arguments: list[Json]) -> Json:
        """`writeBytes({path | file_id, version, media_type}, bytes)`: a new file, or its next version."""
        asked, data = _bytes("writeBytes", arguments)
        ref = _one(asked, "writeBytes")
        content = FileContent(data, source="code", media_type=asked.media_type)
        if ref.path is not None and asked.version is None and not await self._is_there(ref):
            return _told(await self._files.create(ref.path, content))
        return _told(await self._files.write(ref, content, asked.version))

    async def append(self, arguments: list[Json]) -> Json:
        """`appendBytes({path | file_id, version}, bytes)`: the file, longer; a new one if there is none."""
        asked, data = _bytes("appendBytes", arguments)
        ref = _one(asked, "appendBytes")

        async def longer(file: File, before: bytes) -> FileContent:
            return FileContent(before + data, source="code", media_type=asked.media_type or file.media_type)

        if ref.path is not None and asked.version is None and not await self._is_there(ref):
            return _told(await self._files.create(ref.path, FileContent(data, "code", asked.media_type)))
        return _told(await self._files.edit(ref, longer, asked.version))

    async def _is_there(self, ref: FileRef) -> bool:
        try:
            await self._files.find(ref)
        except Rejected as error:
            if error.kind == ErrorKind.NOT_FOUND:
                return False
            raise
        return True


def _given(method: str, arguments: list[Json], of: Any) -> Any:
    try:
        return msgspec.convert(arguments, of)
    except msgspec.ValidationError as error:
        raise Rejected(f"files.{method}: {error}", kind=ErrorKind.INVALID_ARGUMENTS) from error


def _bytes(method: str, arguments: list[Json]) -> tuple[_WriteBytes, bytes]:
    asked, text = _given(method, arguments, tuple[_WriteBytes, str])
    if len(text) > MOST_BYTES * 4 // 3 + 4:
        raise Rejected(
            f"files.{method}: more than {MOST_BYTES} bytes a call: append the rest by files.appendBytes",
            kind=ErrorKind.TOO_LARGE,
        )
    try:
        return asked, base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise Rejected(f"files.{method}: {error}", kind=ErrorKind.INVALID_ARGUMENTS) from error


def _one(asked: _Which, method: str) -> FileRef:
    if (asked.path is None) == (asked.file_id is None):
        raise Rejected(f"files.{method}: give path or file_id, one of them", kind=ErrorKind.INVALID_ARGUMENTS)
    return asked.ref


def _told(file: File) -> Json:
    return {"file_id": file.file_id, "path": file.path, "version": file.version, "size": file.size}
