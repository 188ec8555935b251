"""The one way from a document's bytes to what it says, from the runner's side."""

import msgspec

from agent_platform.log.storable_text import storable_text
from agent_tools.pages.page_form import PageForm
from tool_runner.documents.documents import Documents
from tool_runner.documents.messages import Job

_HTML = ("text/html", "application/xhtml+xml")
_PAGE_STARTS = (b"<!doctype html", b"<html")
_LOOKED_AT = 1024


class Page(msgspec.Struct, frozen=True):
    """How a page came, and how its content is wanted. `url` is what its links are relative to."""

    format: PageForm = "markdown"
    url: str = ""
    truncated: bool = False


class DocumentText(msgspec.Struct, frozen=True):
    """What a document says, and by whom. `left_out`: sentences on what is in it, but not in `content`, and
    how to see that."""

    content: str
    title: str | None = None
    byline: str | None = None
    left_out: list[str] = []


def text_job(data: bytes, content_type: str, page: Page) -> Job | None:
    """The job that reads it: by its first bytes, else by its type. None for plain text and all else."""
    beginning = data[:_LOOKED_AT]
    kind = content_type.partition(";")[0].strip().lower()
    if b"%PDF-" in beginning and not kind.startswith("text/"):
        return Job("pdfs.text", (data,))
    if beginning.startswith(b"PK\x03\x04"):
        if _has(data, b"word/document.xml"):
            return Job("word.text", (data,))
        return Job("sheets.text", (data,)) if _has(data, b"xl/workbook.xml") else None
    if kind in _HTML or beginning.lstrip(b"\xef\xbb\xbf \t\r\n").lower().startswith(_PAGE_STARTS):
        charset = content_type.partition(";")[2]
        options = {"content_type": f"text/html;{charset}", **msgspec.to_builtins(page)}
        return Job("pages.page", (data,), options)
    return None


async def document_text(documents: Documents, job: Job) -> DocumentText:
    """What the document says. `Rejected` and `Permanent` as for `Documents.run`."""
    found = msgspec.convert((await documents.run(job)).value, DocumentText)
    return msgspec.structs.replace(found, left_out=[storable_text(one) for one in found.left_out])


def _has(archive: bytes, entry: bytes) -> bool:
    """Whether a zip archive names an entry, in the list at its end or anywhere."""
    return entry in archive
