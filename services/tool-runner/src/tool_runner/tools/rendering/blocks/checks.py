"""What is checked of blocks beyond the shape of each, before a person sees any."""

import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

import msgspec

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.json_value import Json
from agent_contracts.sessions.rendering import ANSWER_SCHEMA, LARGEST_SHOWN
from agent_domain.files.file import FileRef
from agent_platform.log.storable_text import storable
from agent_tools.blocks import BlockShape, name_of
from agent_tools.ports.files import AgentFiles
from tool_runner.tools.rendering.blocks.forms import answer_schema
from tool_runner.tools.rendering.blocks.problems import wrong
from tool_runner.tools.rendering.blocks.shapes import (
    BLOCK_KINDS,
    Block,
    Chart,
    Form,
    ImageBlock,
    TableBlock,
)

MOST_ROWS = 5_000
MOST_POINTS = 10_000
"""Rows of all tables of a call, points of all its charts."""

_FILE = "file:"
_DATA = re.compile(r"data:image/(png|jpeg|gif|webp|avif|bmp|svg\+xml);base64,[A-Za-z0-9+/]+={0,2}")


async def shown_blocks(blocks: Sequence[Block], files: AgentFiles) -> dict[str, Json]:
    """`blocks` as they are put before the person, with the schema of the form's answer if there is a form.

    `Rejected(kind="invalid_arguments")` with the path of the first thing that can't be shown. A picture that
    is a file is pinned to the version that it has now.
    """
    rows = points = 0
    schema: dict[str, Json] | None = None
    shown: list[Json] = []
    for index, block in enumerate(blocks):
        at = f"/blocks/{index}"
        made: dict[str, Any] = block.model_dump(mode="json", exclude_none=False)
        match block:
            case TableBlock():
                rows += len(block.data)
                _check_columns(block, at)
            case Chart():
                points += sum(len(one.data) for one in block.data.datasets)
                _check_chart(block, at)
            case Form() if schema is not None:
                raise wrong(at, "there is another form before it: one form a call")
            case Form():
                schema = answer_schema(block.fields, at)
            case ImageBlock():
                made |= await _pinned(block.url, files, f"{at}/url")
            case BlockShape():
                made = BLOCK_KINDS[name_of(type(block))].shown(block)
            case _:
                pass
        if rows > MOST_ROWS:
            raise wrong(f"{at}/data", f"the tables have more than {MOST_ROWS:,} rows")
        if points > MOST_POINTS:
            raise wrong(f"{at}/data/datasets", f"the charts have more than {MOST_POINTS:,} points")
        shown.append(made)
    return {"blocks": shown, **({ANSWER_SCHEMA: schema} if schema is not None else {})}


def check_size(show: dict[str, Json], path: str) -> dict[str, Json]:
    """The same; `Rejected` where it is more than a person is ever shown at once."""
    size = len(msgspec.json.encode(storable(show)))
    if size > LARGEST_SHOWN:
        raise wrong(path, f"it has {size:,} bytes of JSON; at most {LARGEST_SHOWN:,} can be shown")
    return show


def _check_columns(table: TableBlock, at: str) -> None:
    keys: set[str] = set()
    for index, column in enumerate(table.columns):
        if column.key in keys:
            raise wrong(f"{at}/columns/{index}/key", f"there is another column with the key {column.key!r}")
        keys.add(column.key)


def _check_chart(chart: Chart, at: str) -> None:
    expected = len(chart.data.labels)
    if not expected:
        raise wrong(f"{at}/data/labels", "a chart needs at least one label")
    if chart.chartType == "pie" and len(chart.data.datasets) > 1:
        raise wrong(f"{at}/data/datasets/1", "a pie shows one dataset")
    for index, one in enumerate(chart.data.datasets):
        path = f"{at}/data/datasets/{index}/data"
        if len(one.data) != expected:
            raise wrong(path, f"it has {len(one.data)} values for {expected} labels")
        for place, value in enumerate(one.data):
            if chart.chartType == "pie" and value is not None and value < 0:
                raise wrong(f"{path}/{place}", "a pie can't show a negative number")


async def _pinned(url: str, files: AgentFiles, path: str) -> dict[str, Any]:
    """What is shown of a picture besides its address: of a file, which version."""
    if url.startswith(_FILE):
        return await _file(url.removeprefix(_FILE), files, path)
    if url.startswith("data:"):
        if not _DATA.fullmatch(url):
            raise wrong(path, "this is not a picture as data:image/png;base64,… (or another picture type)")
        return {}
    if not _is_https(url):
        raise wrong(path, "the address must be file:<file_id>, data:image/…;base64,… or https://…")
    return {}


async def _file(file_id: str, files: AgentFiles, path: str) -> dict[str, Any]:
    try:
        found = await files.find(FileRef(file_id=file_id))
    except Rejected as refused:
        if refused.kind not in (ErrorKind.NOT_FOUND, ErrorKind.INVALID_ARGUMENTS):
            raise
        raise wrong(path, f"there is no file with the id {file_id!r}") from refused
    if not found.media_type.startswith("image/"):
        raise wrong(path, f"the file {found.path} is {found.media_type}, not a picture")
    return {"file_id": found.file_id, "version": found.version}


def _is_https(url: str) -> bool:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return False
    plain = parts.username is None and not re.search(r"\s", url)
    return parts.scheme == "https" and bool(parts.hostname) and plain and (port is None or port > 0)
