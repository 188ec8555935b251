"""Tools that read and write texts in files."""

from typing import Annotated, Any, cast

from pydantic import Field

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.pictures import SEEN_TYPES
from agent_domain.files.file import File, FileContent
from agent_platform.log.storable_text import storable_text
from agent_tools.pictures import PictureFile
from agent_tools.ports.files import AgentFiles
from agent_tools.tool import PURE, RECORDED, Arguments, Result, tool
from tool_runner.agent.file_arguments import AtVersion, NewScope, OfFile, WrittenFile, written
from tool_runner.agent.files.reading import FileText, FileTexts, part_of
from tool_runner.agent.files.searching import FileSearch, Query
from tool_runner.agent.files.text import PlainText, is_plain, with_lines_inserted, with_lines_replaced
from tool_runner.documents.documents import Documents
from tool_runner.documents.messages import DocumentJob


class FileInsertLines(AtVersion):
    """Where in which file, and what."""

    line: Annotated[int, Field(ge=1, description="They come before it; one more than there are is the end.")]
    text: Annotated[str, Field(min_length=1, description="One or more lines.")]


@tool("file_insert_lines", family="files", effect=RECORDED)
async def file_insert_lines(args: FileInsertLines, texts: FileTexts) -> WrittenFile:
    """Insert lines into a text file; all others stay, byte by byte."""
    text = storable_text(args.text)
    file = await texts.edit(
        args.ref, lambda before: with_lines_inserted(before, args.line, text), args.version
    )
    return written(file)


class FileReadText(OfFile):
    """Which file, and which part of it."""

    from_line: Annotated[int | None, Field(ge=1, description="From 1.")] = None
    to_line: Annotated[int | None, Field(ge=1, description="Included.")] = None
    offset: Annotated[int, Field(ge=0, description="next_offset of the part before.")] = 0
    max_chars: Annotated[int, Field(ge=1, le=200_000, description="About.")] = 20_000
    source: Annotated[bool, Field(description="HTML as it stands.")] = False


class ReadText(Result):
    """The text, or the part of it that begins at line `from_line`; `lines` is how many all of it has.

    `left_out` says what the file holds, but no part of its text, and how to see it. `encoding` is null for
    what was taken out of a document. With `truncated`, `next_offset` is where the next part begins.
    """

    file_id: str
    path: str
    version: int
    left_out: list[str]
    text: str
    encoding: str | None
    from_line: int
    lines: int
    truncated: bool
    next_offset: int | None = None


@tool("file_read_text", family="files", effect=PURE, timeout_s=60)
async def file_read_text(args: FileReadText, files: AgentFiles, texts: FileTexts) -> ReadText:
    """Read a file's text, whole or in part. PDFs, documents and sheets, too."""
    file = await files.find(args.ref)
    found = await texts.read(file, source=args.source)
    if args.from_line is None and args.to_line is None:
        return _read(file, found, args.offset, args.max_chars, len(found.text))
    if args.offset:
        message = "give lines or an offset, not both"
        raise Rejected(message, kind=ErrorKind.INVALID_ARGUMENTS, path="/offset")
    lines = PlainText(found.text).lines
    first, last = args.from_line or 1, args.to_line or len(lines)
    if first > max(len(lines), 1):
        message = f"it has {len(lines)} lines"
        raise Rejected(message, kind=ErrorKind.INVALID_ARGUMENTS, path="/from_line")
    begin = sum(map(len, lines[: first - 1]))
    return _read(file, found, begin, args.max_chars, begin + sum(map(len, lines[first - 1 : last])))


def _read(file: File, found: FileText, offset: int, most: int, end: int) -> ReadText:
    text, more = part_of(found.text[:end], offset, most)
    return ReadText(
        file_id=file.file_id,
        path=file.path,
        version=file.version,
        left_out=list(found.left_out),
        text=text,
        encoding=found.encoding,
        from_line=len(PlainText(found.text[:offset]).lines) + 1,
        lines=len(PlainText(found.text).lines),
        truncated=more is not None,
        next_offset=more,
    )


class FileReplaceLines(AtVersion):
    """Which lines of which file, and what takes their place."""

    from_line: Annotated[int, Field(ge=1, description="The first that goes.")]
    to_line: Annotated[int, Field(ge=1, description="The last that goes.")]
    text: Annotated[str, Field(description="Any number of lines; empty deletes them.")]


@tool("file_replace_lines", family="files", effect=RECORDED)
async def file_replace_lines(args: FileReplaceLines, texts: FileTexts) -> WrittenFile:
    """Replace lines of a text file; all others stay, byte by byte. Give the version that you read, for
    line numbers move when others write."""
    text = storable_text(args.text)
    file = await texts.edit(
        args.ref,
        lambda before: with_lines_replaced(before, args.from_line, args.to_line, text),
        args.version,
    )
    return written(file)


class FileSearchArguments(Arguments):
    """What to look for, and where."""

    query: Annotated[str, Field(min_length=1, max_length=1000, description="Literal text.")]
    regex: Annotated[bool, Field(description="query is a regular expression for single lines.")] = False
    ignore_case: Annotated[bool, Field(description="A is a.")] = False
    paths: Annotated[
        list[str],
        Field(max_length=100, description="Patterns such as reports/*.csv; else all.", default_factory=list),
    ]


class FileMatch(Result):
    """A line that has it."""

    file_id: str
    path: str
    line: int
    text: str


class SkippedFile(Result):
    """A file that could not be searched."""

    path: str
    why: str


class NotSearched(Result):
    """A file with more in it than the text that was searched."""

    path: str
    what: str


class FileMatches(Result):
    """The lines, by file. `left_out` says what of the files could not be searched. `truncated`: there may be
    more, name `paths` to look further."""

    left_out: list[NotSearched]
    matches: list[FileMatch]
    files_searched: int
    skipped: list[SkippedFile]
    truncated: bool


@tool("file_search", family="files", effect=PURE, timeout_s=150)
async def file_search(args: FileSearchArguments, files: AgentFiles, search: FileSearch) -> FileMatches:
    """Search the text of files: of up to 50, for up to 100 lines. PDFs, documents and sheets, too."""
    query = Query(args.query, regex=args.regex, ignore_case=args.ignore_case)
    found = await search.search(await files.list(), query, args.paths)
    return FileMatches(
        left_out=[NotSearched(path=path, what=what) for path, what in found.left_out],
        matches=[
            FileMatch(file_id=one.file.file_id, path=one.file.path, line=one.line, text=one.text)
            for one in found.matches
        ],
        files_searched=found.searched,
        skipped=[SkippedFile(path=path, why=why) for path, why in found.skipped],
        truncated=found.truncated,
    )


class FileView(OfFile):
    """Which picture."""

    version: Annotated[int | None, Field(ge=1, description="An earlier one.")] = None


@tool("file_view", family="files", effect=PURE)
async def file_view(args: FileView, files: AgentFiles, documents: Documents) -> PictureFile:
    """Look at a picture: PNG, JPEG, GIF or WebP."""
    file = await files.find(args.ref, args.version)
    if file.media_type not in SEEN_TYPES:
        raise Rejected(f"{file.path} is {file.media_type}, not a picture that can be shown", path="/path")
    found = (await documents.run(DocumentJob("images.about", (await files.read(file),)))).value
    about = cast(dict[str, Any], found)
    return PictureFile(
        file_id=file.file_id,
        path=file.path,
        version=file.version,
        media_type=file.media_type,
        size=file.size,
        width=about["width"],
        height=about["height"],
        sha256=file.blob,
        caption=f"{file.path}: {about['format']}, {about['width']} × {about['height']} pixels",
    )


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
            return written(await files.create(args.path or "", FileContent(text.encode()), args.scope))
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
    return written(await files.write(args.ref, FileContent(text.encode()), args.version))


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
