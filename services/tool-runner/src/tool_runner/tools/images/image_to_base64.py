"""`image_to_base64`: an image as text."""

import base64

from agent_contracts.errors import ErrorKind, Rejected
from agent_tools.tool import PURE, Result, tool
from tool_runner.agent.file_arguments import OfFile
from tool_runner.agent.file_documents import FileDocuments, Work

LARGEST = 10_000_000
"""Bytes of an image that is given as text."""


class ImageText(Result):
    """The image's bytes as base64, and what they are."""

    media_type: str
    width: int
    height: int
    size: int
    base64: str


@tool("image_to_base64", family="images", effect=PURE, timeout_s=40)
async def image_to_base64(args: OfFile, documents: FileDocuments) -> ImageText:
    """An image as base64. Over 190 KB you get its beginning; code gets all, up to 10 MB.

    To look at an image, use file_view."""
    file, done = await documents.read(args.ref, Work("images.about"))
    if file.size > LARGEST:
        why = f"{file.path} has {file.size:,} bytes; at most {LARGEST:,} are given as text: resize it first"
        raise Rejected(why, kind=ErrorKind.TOO_LARGE)
    assert isinstance(done.value, dict)
    width, height = done.value["width"], done.value["height"]
    assert isinstance(width, int)
    assert isinstance(height, int)
    text = base64.b64encode(await documents.bytes_of(file)).decode()
    return ImageText(media_type=file.media_type, width=width, height=height, size=file.size, base64=text)
