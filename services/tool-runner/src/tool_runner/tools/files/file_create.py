"""`file_create`: a new file."""

import base64
import binascii
from typing import Annotated, Self

from pydantic import Field, model_validator

from agent_contracts.errors import ErrorKind, Rejected
from agent_domain.files.file import Content
from agent_platform.log.storable_text import storable_text
from agent_tools.ports.files import AgentFiles
from agent_tools.tool import RECORDED, Arguments, tool
from tool_runner.agent.file_arguments import NewScope, WrittenFile, written


class FileCreate(Arguments):
    """Where, and what is in it."""

    path: Annotated[str, Field(description="Such as reports/may.csv.")]
    text: Annotated[str | None, Field(description="Its content, as UTF-8.")] = None
    base64: Annotated[str | None, Field(description="Its content, for bytes.")] = None
    scope: NewScope = None

    @model_validator(mode="after")
    def _at_most_one(self) -> Self:
        if self.text is not None and self.base64 is not None:
            raise ValueError("give text or base64, not both")
        return self


@tool("file_create", family="files", effect=RECORDED)
async def file_create(args: FileCreate, files: AgentFiles) -> WrittenFile:
    """Make a file. A path that is taken is refused: file_write_text writes to a file that exists."""
    data = storable_text(args.text or "").encode() if args.base64 is None else _bytes(args.base64)
    return written(await files.create(args.path, Content(data), args.scope))


def _bytes(text: str) -> bytes:
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError) as error:
        message = f"not Base64: {error}"
        raise Rejected(message, kind=ErrorKind.INVALID_ARGUMENTS, path="/base64") from error
