"""The main content of a page, found by a process of its own."""

import asyncio
import contextlib
import os
import sys

import msgspec

from agent_contracts.errors import ErrorKind, Permanent, Rejected
from agent_tools.pages.page_form import PageForm
from browser_pool.browsing.content_worker import ContentRequest
from browser_pool.limits import MIB

MOST_HTML = 10 * MIB
_WITHIN_S = 20.0
_AT_ONCE = 2

_places = asyncio.Semaphore(_AT_ONCE)


class ReadableContent(msgspec.Struct, frozen=True):
    """What the page says, and by whom. `left_out`: sentences on what it has beside that."""

    content: str
    title: str | None = None
    byline: str | None = None
    left_out: list[str] = []


async def content_of(html: str, form: PageForm, url: str) -> ReadableContent:
    """`Permanent(kind="timeout")` or `Rejected(kind="too_large")` for a page that takes too much."""
    question = msgspec.json.encode(ContentRequest(form, url)) + b"\n" + html.encode(errors="replace")
    async with _places:
        worker = await asyncio.create_subprocess_exec(
            *(sys.executable, "-I", "-m", "browser_pool.browsing.content_worker"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env={"PATH": os.defpath, "LANG": "C.UTF-8"},
        )
        try:
            async with asyncio.timeout(_WITHIN_S):
                answer, _ = await worker.communicate(question)
        except TimeoutError as error:
            why = "to find the page's main content takes too long: read it with browser_extract_text"
            raise Permanent(why, kind=ErrorKind.TIMEOUT) from error
        finally:
            with contextlib.suppress(ProcessLookupError):
                worker.kill()
    try:
        return msgspec.json.decode(answer, type=ReadableContent)
    except msgspec.DecodeError as error:
        why = "the page is too large or too deep to find its main content: read it with browser_extract_text"
        raise Rejected(why, kind=ErrorKind.TOO_LARGE) from error
