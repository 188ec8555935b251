"""One way from bytes to text, for files and for what the web sends; hostile ones come to a clear end."""

import io
import zipfile
import zlib
from collections.abc import Callable
from contextlib import AbstractContextManager

import openpyxl
import pytest

from agent_contracts.errors import ErrorKind, Permanent, Rejected
from foldline_testing.tool_runner.office_samples import WORD, docx_of, zip_of
from foldline_testing.tool_runner.pdf_samples import pdf_of
from tool_runner.documents.document_text import PageOptions, document_text, text_job
from tool_runner.documents.documents import Documents
from tool_runner.documents.messages import DocumentJob

BYTES = "application/octet-stream"
DOCX = """# On tea

Water must [boil](http://a.test/)

| What | Price |
| --- | --- |
| Tea | 1.5 |

[picture: A plan]"""


def xlsx() -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Prices"
    sheet["A1"], sheet["C1"], sheet["A2"] = "Tea", 1.5, "Café"
    made = io.BytesIO()
    book.save(made)
    return made.getvalue()


PAGE = "<html><body><article><p>Crème brûlée for 5 €</p></article></body></html>"


@pytest.mark.parametrize(
    ("data", "media_type", "content"),
    [
        (pdf_of("Tea", "Coffee"), BYTES, "[Page 1]\n\nTea\n\n[Page 2]\n\nCoffee"),
        (docx_of(), BYTES, DOCX),
        (xlsx(), BYTES, "# Prices\n\nTea\t\t1.5\nCafé"),
        (PAGE.encode(), "text/html", "Crème brûlée for 5 €"),
        (PAGE.encode("cp1252"), "text/html", "Crème brûlée for 5 €"),
        (PAGE.encode("utf-16"), "text/html; charset=utf-8", "Crème brûlée for 5 €"),
        (PAGE.encode(), "text/plain; charset=latin-1", "Crème brûlée for 5 €"),
    ],
    ids=["pdf", "docx", "xlsx", "html", "windows-1252", "utf-16", "wrong header"],
)
async def test_a_document_is_known_by_its_bytes_and_read(
    documents: Documents, data: bytes, media_type: str, content: str
) -> None:
    job = text_job(data, media_type, PageOptions("markdown"))
    assert job is not None
    assert (await document_text(documents, job)).content == content


async def test_documents_say_their_title_and_author(documents: Documents) -> None:
    for data, said in ((pdf_of("a"), ("A paper", "Ann Baker")), (docx_of(), ("Tea", "Ann"))):
        job = text_job(data, BYTES, PageOptions())
        assert job is not None
        found = await document_text(documents, job)
        assert (found.title, found.byline) == said


@pytest.mark.parametrize(
    "data",
    [b"a,b\n1,2", zip_of({"a.txt": "a"}), b"\x89PNG\r\n\x1a\n", b""],
    ids=["csv", "zip", "png", "nothing"],
)
def test_what_is_no_document_has_no_job(data: bytes) -> None:
    assert text_job(data, BYTES, PageOptions()) is None


def pdf_with(*objects: bytes) -> bytes:
    body = b"".join(b"%d 0 obj\n%s\nendobj\n" % (number, one) for number, one in enumerate(objects, 1))
    return b"%PDF-1.7\n" + body + b"trailer << /Root 1 0 R /Size %d >>\n%%%%EOF" % (len(objects) + 1)


def stream(data: bytes, filters: bytes) -> bytes:
    return b"<< /Length %d /Filter [%s] >>\nstream\n%s\nendstream" % (len(data), filters, data)


CATALOG = b"<< /Type /Catalog /Pages 2 0 R >>"
PAGES = b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>"
ONE = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R >>"


def big_docx() -> bytes:
    return docx_of(**{"word/media/a.bin": "0" * 300_000_000})


def expanding_docx() -> bytes:
    entities = "".join(
        f"<!ENTITY {b} '{f'&{a};' * 10}'>" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
    )
    body = f"<w:document xmlns:w='{WORD}'><w:body><w:p>&i;</w:p></w:body></w:document>"
    return docx_of(**{"word/document.xml": f"<!DOCTYPE a [<!ENTITY a 'aaaaaaaaaa'>{entities}]>{body}"})


def late_entity() -> bytes:
    body = "<!--" + " " * 5_000 + "--><!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a>&x;</a>"
    return docx_of(**{"word/document.xml": body})


def zeros() -> bytes:
    return zlib.compress(b" " * 300_000_000, 9)


Bounded = Callable[[], AbstractContextManager[None]]

HOSTILE: dict[str, Callable[[], bytes]] = {
    "pdf that is broken": lambda: b"%PDF-1.7 nothing",
    "pdf cut short": lambda: pdf_of("a")[:300],
    "pdf whose tree is a circle": lambda: pdf_with(CATALOG, b"<< /Type /Pages /Kids [2 0 R] /Count 1 >>"),
    "pdf without end above": lambda: pdf_with(
        CATALOG, b"<< /Type /Pages /Kids [2 0 R 2 0 R] /Parent 2 0 R >>"
    ),
    "pdf with 10^9 pages": lambda: pdf_with(CATALOG, b"<< /Type /Pages /Kids [] /Count 1000000000 >>"),
    "pdf of 300 MB": lambda: pdf_with(CATALOG, PAGES, ONE, stream(zeros(), b"/FlateDecode")),
    "pdf packed twice": lambda: pdf_with(
        CATALOG, PAGES, ONE, stream(zlib.compress(zeros()), b"/FlateDecode /FlateDecode")
    ),
    "docx of 300 MB": big_docx,
    "docx with entities": expanding_docx,
    "docx that reads a file": late_entity,
    "docx that is nested without end": lambda: docx_of("<w:p>" * 300_000),
    "docx that is no document": lambda: docx_of(**{"word/document.xml": "<a/>"}),
    "docx with names that lead out": lambda: zip_of({"word/document.xml": "<a/>", "../../etc/x": "a"}),
    "docx with 3,000 entries": lambda: zip_of(
        {"word/document.xml": "<a/>", **{f"a{number}": "" for number in range(3000)}}
    ),
    "docx cut short": lambda: docx_of()[:400],
    "html with 200,000 attributes": lambda: (
        b"<html><body><p %s>text</p></body></html>"
        % b" ".join(b"a%d=b" % number for number in range(200_000))
    ),
    "html that is nested without end": lambda: b"<html>" + b"<div>" * 500_000 + b"text",
    "html of one tag": lambda: b"<html>" + b"<" * 1_000_000,
}


@pytest.mark.faults
@pytest.mark.parametrize("make", HOSTILE.values(), ids=HOSTILE)
async def test_a_hostile_document_ends_clearly(
    documents: Documents, make: Callable[[], bytes], within_bounds: Bounded
) -> None:
    job = text_job(make(), BYTES, PageOptions())
    assert job is not None
    with within_bounds():
        said, kind = await outcome(documents, job)
    assert kind in (None, ErrorKind.REJECTED, ErrorKind.TOO_LARGE, ErrorKind.TIMEOUT)
    assert "Traceback" not in said
    assert "root:" not in said


async def outcome(documents: Documents, job: DocumentJob) -> tuple[str, str | None]:
    """What the document says, or why it says nothing and of which kind that is."""
    try:
        return (await document_text(documents, job)).content, None
    except (Rejected, Permanent) as error:
        return error.message, error.kind


async def test_an_encrypted_archive_says_so(documents: Documents) -> None:
    data = bytearray(docx_of())
    place = data.index(b"PK\x01\x02")
    data[place + 8] |= 1
    assert zipfile.ZipFile(io.BytesIO(bytes(data)))
    job = text_job(bytes(data), BYTES, PageOptions())
    assert job is not None
    with pytest.raises(Rejected, match="encrypted"):
        await document_text(documents, job)
