"""Pages of PDFs in other PDFs: deleted, merged, split."""

import re
from collections.abc import Sequence

from pypdf import PdfReader, PdfWriter

from agent_contracts.errors import ErrorKind, Rejected
from tool_runner.documents.pdfs.opening import MOST_PAGES, broken_refused, page_index, to_read, written

_RANGE = re.compile(r"(\d{1,6})(?:\s*-\s*(\d{1,6})?)?")


def page_numbers(pages: str, count: int) -> list[int]:
    """The pages that a text such as `1-3,7,9-` means, in its order; `9-` goes to the end.

    `Rejected`: `invalid_arguments` for what isn't of this form or names page 0, `not_found` beyond the end.
    """
    found: list[int] = []
    for part in pages.split(","):
        match = _RANGE.fullmatch(part.strip())
        if match is None:
            raise Rejected(
                f"{part.strip()!r} names no pages: write them as 1-3,7,9-",
                kind=ErrorKind.INVALID_ARGUMENTS,
                path="/pages",
            )
        first = int(match[1])
        last = int(match[2]) if match[2] else count if "-" in part else first
        for number in (first, last):
            page_index(number, count)
        if last < first:
            raise Rejected(
                f"{part.strip()} ends before it begins", kind=ErrorKind.INVALID_ARGUMENTS, path="/pages"
            )
        found += range(first, last + 1)
        if len(found) > MOST_PAGES:
            raise Rejected(f"more than {MOST_PAGES} pages", kind=ErrorKind.TOO_LARGE, path="/pages")
    return found


def without_page(data: bytes, password: str | None, number: int) -> tuple[int, bytes]:
    """The PDF without a page, and how many are left. `Rejected` for the only page; else as for `to_read`."""
    reader = to_read(data, password)
    count = len(reader.pages)
    page_index(number, count)
    if count == 1:
        raise Rejected("it is the only page: a PDF has at least one. Delete the file instead")
    kept = [index for index in range(count) if index != number - 1]
    return count - 1, _of(reader, kept, password)


def part(reader: PdfReader, password: str | None, pages: str) -> tuple[list[int], bytes]:
    """A PDF of these pages (see `page_numbers`), in this order."""
    numbers = page_numbers(pages, len(reader.pages))
    return numbers, _of(reader, [number - 1 for number in numbers], password)


def merged(files: Sequence[bytes], password: str | None) -> tuple[int, bytes]:
    """One PDF of all pages of several, and how many pages. `password` opens those that are encrypted.

    `Rejected` as for `to_read`, and says which file it is about.
    """
    writer = PdfWriter()
    for place, data in enumerate(files):
        try:
            reader = to_read(data, password)
            with broken_refused():
                writer.append(reader, import_outline=True)
        except Rejected as error:
            raise Rejected(
                f"file {place + 1}: {error.message}", kind=error.kind, path=error.path or f"/files/{place}"
            ) from error
    return len(writer.pages), written(writer, None)


def _of(reader: PdfReader, indices: Sequence[int], password: str | None) -> bytes:
    with broken_refused():
        writer = PdfWriter()
        writer.append(reader, pages=list(indices), import_outline=True)
        if reader.metadata:
            writer.add_metadata(dict(reader.metadata))
    return written(writer, password, was_encrypted=reader.is_encrypted)
