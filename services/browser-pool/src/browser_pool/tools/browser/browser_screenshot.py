"""`browser_screenshot`: a picture of the page."""

import base64
from typing import Annotated

from pydantic import Field

from agent_contracts.tool_spec import RunsOn
from agent_domain.files.file import Content
from agent_tools.context import CallContext
from agent_tools.free_paths import create_at_free_path
from agent_tools.pictures import PictureFile
from agent_tools.ports.files import AgentFiles
from agent_tools.tool import RECORDED, tool
from browser_pool.browsing.browser import SessionBrowser
from browser_pool.browsing.pictures import png_size, taken
from browser_pool.browsing.results import Answered
from browser_pool.browsing.targets import MaybeOfElement, located

_PNG = "image/png"
_LARGEST_TEXT = 2_000_000
"""Bytes of a picture that code is given as text; a message between services holds it."""


class Screenshot(MaybeOfElement):
    """Of an element, else of what is seen of the page."""

    full_page: Annotated[bool, Field(description="All of the page, as far as it can be scrolled.")] = False


class Screenshotted(PictureFile, Answered):
    """The picture is a file of the session. `image` is its PNG as base64 for code (over 2 MB it is empty:
    read the file); for a model, which is shown the picture itself, it is the file path."""

    url: str
    image: str


@tool("browser_screenshot", family="browser", effect=RECORDED, runs_on=RunsOn.BROWSER, source="web")
async def browser_screenshot(
    args: Screenshot, browser: SessionBrowser, files: AgentFiles, call: CallContext
) -> Screenshotted:
    """Take a screenshot of the page or of one element, as a PNG file of this session."""
    async with browser.visit() as visit:
        element = await located(visit.page, args) if args.names_one else None
        data, cut = await taken(visit.page, element, full_page=args.full_page)
        where = await visit.where()
        beside = await visit.beside(store=False)
    width, height = png_size(data)
    file = await create_at_free_path(files, "screenshots/page.png", Content(data, media_type=_PNG))
    if cut:
        beside["notes"] = [*beside["notes"], "the page is larger: the picture ends where browsers do"]
    return Screenshotted(
        file_id=file.file_id,
        path=file.path,
        version=file.version,
        media_type=file.media_type,
        size=file.size,
        width=width,
        height=height,
        sha256=file.blob,
        caption=f"{file.path}: {where['title'] or where['url']}, {width} × {height} pixels",
        url=where["url"],
        image=file.path if call.may_pause else _as_text(data),
        **beside,
    )


def _as_text(data: bytes) -> str:
    """Base64; of a larger picture none, since code can read its file piece by piece."""
    return base64.b64encode(data).decode() if len(data) <= _LARGEST_TEXT else ""
