"""`file_write_text`: what a file says from now on."""

from typing import Annotated

from pydantic import Field

from agent_contracts.errors import ErrorKind, Rejected
from agent_domain.files.file import Content
from agent_platform.log.storable_text import storable_text
from agent_tools.ports.files import AgentFiles
from agent_tools.tool import RECORDED, tool
from tool_runner.agent.file_arguments import AtVersion, NewScope, WrittenFile, written
from tool_runner.agent.files.reading import FileTexts
from tool_runner.agent.files.text import PlainText, is_plain


class FileWriteText(AtVersion):
    """Which file, and the text."""

    text: Annotated[str, Field(description="Literal text.")]
    create: Annotated[bool, Field(description="Make the file if there is none at the path.")] = True
    append: Annotated[bool, Field(description="Add to the end instead; no newline is added.")] = False
    scope: NewScope = None


@tool("file_write_text", family="files", effect=RECORDED)
async def file_write_text(args: FileWriteText, files: AgentFiles, texts: FileTexts) -> WrittenFile:
    """Write the whole text of a file, or add to it."""
    text = storable_text(args.text)
    if await _is_new(args, files):
        try:
            return written(await files.create(args.path or "", Content(text.encode()), args.scope))
        except Rejected as error:
            if error.kind != ErrorKind.CONFLICT:
                raise  # else another was faster: it is there now
    if args.append:

        def appended(before: PlainText) -> str:
            return before.text + text

        return written(await texts.edit(args.ref, appended, args.version))
    file = await files.find(args.ref)
    if file.size and not is_plain(await files.read(file), file.media_type):
        raise Rejected(
            f"{file.path} is {file.media_type}, not plain text: delete it first, or take another path"
        )
    return written(await files.write(args.ref, Content(text.encode()), args.version))


async def _is_new(args: FileWriteText, files: AgentFiles) -> bool:
    """Whether the file is to be made: there is none at the path, or one of another scope than is wanted."""
    may_be_made = args.create and args.path is not None and args.version is None
    try:
        found = await files.find(args.ref)
    except Rejected as error:
        if error.kind != ErrorKind.NOT_FOUND or not may_be_made:
            raise
        return True
    return may_be_made and args.scope not in (None, found.scope)
