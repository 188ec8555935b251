"""The form by which files are sent: read as it arrives, the files put aside."""

from contextlib import aclosing
from dataclasses import dataclass

import msgspec
from fastapi import Request

from agent_contracts.api.problems import Kind
from agent_contracts.files import LARGEST_FILE
from agent_contracts.ids import check_id
from gateway.http.wire.multipart import FormPart, parts
from gateway.http.wire.problems import ProblemError
from gateway.operations.files.uploads import MOST_FILES, Destination, UploadedFile, too_large
from gateway.operations.spool import Spool

_FILE = "file"
_FIELDS = Destination.__struct_fields__


@dataclass(frozen=True)
class UploadForm:
    """What was sent, and where it is to go."""

    files: list[UploadedFile]
    to: Destination


async def upload_form(request: Request, room: Spool) -> UploadForm:
    """The whole form; its files are in `room`. A problem for what isn't one."""
    files: list[UploadedFile] = []
    fields: dict[str, str] = {}
    content_type = request.headers.get("content-type", "")
    async with aclosing(parts(content_type, request.stream())) as coming:
        async for part in coming:
            if part.name == _FILE:
                sent = await _kept(part, room)
                if sent is not None:
                    files.append(sent)
                if len(files) > MOST_FILES:
                    raise ProblemError(Kind.TOO_LARGE, f"An upload may have at most {MOST_FILES:,} files")
            elif part.name not in _FIELDS or part.name in fields:
                known = ", ".join(f"`{one}`" for one in (_FILE, *_FIELDS))
                raise ProblemError(
                    Kind.INVALID_REQUEST, f"`{part.name[:100]}`: a form has {known}, all but `file` once"
                )
            else:
                fields[part.name] = await part.text()
    return UploadForm(files, _destination(fields))


async def _kept(part: FormPart, room: Spool) -> UploadedFile | None:
    """A file; None for what a browser sends where none was chosen."""
    if part.filename is None:
        raise ProblemError(Kind.INVALID_REQUEST, "A part `file` needs the file's name: `filename`")
    room.begin()
    size = 0
    async for piece in part.data:
        size += len(piece)
        if size > LARGEST_FILE:
            raise too_large(part.filename)
        room.write(piece)
    span = room.end()
    return UploadedFile(part.filename.removeprefix("./"), span) if part.filename or size else None


def _destination(fields: dict[str, str]) -> Destination:
    try:
        to = msgspec.convert({name: said for name, said in fields.items() if said}, Destination, strict=False)
    except msgspec.ValidationError as error:
        raise ProblemError(Kind.INVALID_REQUEST, f"The form: {error}") from error
    for name, said in (("agent_id", to.agent_id), ("session_id", to.session_id)):
        if said is not None:
            check_id(said, name)
    return to
