"""`web_read`: pages and PDFs as they come, over real sockets, read in processes of their own."""

import asyncio
import io
from collections.abc import AsyncIterator
from typing import Any

import pytest
from pypdf import PdfReader, PdfWriter
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

from agent_contracts.errors import ErrorKind, Permanent, Rejected
from agent_contracts.tool_spec import Effect
from foldline_testing.egress.web import answered, local_server
from foldline_testing.tool_runner.world import World
from tool_runner.documents.documents import Documents
from tool_runner.documents.messages import DocumentJob

pytestmark = pytest.mark.processes

PARAGRAPHS = [
    f"Paragraph number {number} says that tea is made of leaves and that water must boil before it is poured."
    for number in range(1, 13)
]
ARTICLE = f"""<!doctype html><html><head><title>On tea</title><meta name="author" content="Ann Baker">
<style>p {{color: red}}</style></head><body><nav><a href="/home">Home</a><a href="/shop">Shop</a></nav>
<main><article><h1>On tea</h1>{"".join(f"<p>{one}</p>" for one in PARAGRAPHS)}
<p>More is in <a href="/book">the book of tea</a>, which many people have read since it came out.</p>
</article></main><footer>Imprint and cookies</footer><script>alert(1)</script></body></html>"""
HTML = "Content-Type: text/html; charset=utf-8"


@pytest.fixture
async def documents() -> AsyncIterator[Documents]:
    made = Documents()
    yield made
    await made.close()


@pytest.fixture
def world(documents: Documents) -> World:
    return World(documents=documents)


def pdf(*pages: str, password: str | None = None) -> bytes:
    """A PDF whose pages say these texts."""
    writer = PdfWriter()
    font = DictionaryObject(
        {
            NameObject("/Type"): NameObject("/Font"),
            NameObject("/Subtype"): NameObject("/Type1"),
            NameObject("/BaseFont"): NameObject("/Helvetica"),
        }
    )
    for text in pages:
        page = writer.add_blank_page(300, 300)
        content = DecodedStreamObject()
        content.set_data(f"BT /F1 12 Tf 20 200 Td ({text}) Tj ET".encode("latin-1"))
        page[NameObject("/Contents")] = writer._add_object(content)
        page[NameObject("/Resources")] = DictionaryObject(
            {NameObject("/Font"): DictionaryObject({NameObject("/F1"): font})}
        )
    writer.add_metadata({"/Title": "A paper", "/Author": "Ann Baker"})
    if password:
        writer.encrypt(password, algorithm="RC4-128")
    made = io.BytesIO()
    writer.write(made)
    return made.getvalue()


async def read(world: World, answer: bytes, **arguments: object) -> Any:
    async with local_server(lambda _: answer) as server:
        given = {"url": server.url("a.test", "/tea"), **arguments}
        return await world.run(
            "web_read", given, call_id=f"c{server.port}-{len(arguments)}", effect=Effect.EXTERNAL
        )


async def test_a_page_is_read_without_what_stands_around_it(world: World) -> None:
    page = (await read(world, answered(ARTICLE.encode(), HTML))).result
    assert (page["title"], page["byline"], page["truncated"]) == ("On tea", "Ann Baker", False)
    assert all(one in page["content"] for one in PARAGRAPHS)
    assert "[the book of tea](http://a.test" in page["content"]
    assert not any(word in page["content"] for word in ("Shop", "Imprint", "alert", "color"))
    assert page["word_count"] == len(page["content"].split())


@pytest.mark.parametrize(("form", "holds"), [("text", "the book of tea"), ("html", "<p>Paragraph number 1 ")])
async def test_the_content_comes_as_text_or_as_html(world: World, form: str, holds: str) -> None:
    content = (await read(world, answered(ARTICLE.encode(), HTML), format=form)).result["content"]
    assert holds in content
    assert "](" not in content


async def test_a_long_page_comes_in_parts_of_whole_paragraphs(world: World) -> None:
    page = answered(ARTICLE.encode(), HTML)
    whole = (await read(world, page, format="text")).result["content"]
    parts, offset = [], 0
    while True:
        part = (await read(world, page, format="text", offset=offset, max_chars=400)).result
        parts.append(part["content"])
        if not part["truncated"]:
            break
        assert part["content"].endswith("poured.")
        offset = part["next_offset"]
    assert "\n".join(parts) == whole
    assert len(parts) > 3


@pytest.mark.parametrize(
    ("encoding", "header", "text"),
    [
        ("windows-1252", "Content-Type: text/html", "Crème brûlée costs 5 € – “really”"),
        ("utf-16", "Content-Type: text/html", "Zażółć gęślą jaźń"),
        ("shift_jis", "Content-Type: text/html; charset=Shift_JIS", "お茶を飲みましょう、とても美味しいです"),
        ("utf-8-sig", "Content-Type: text/html; charset=iso-8859-1", "Crème brûlée, naïve façade"),
    ],
    ids=["windows-1252", "utf-16", "shift_jis", "wrong header"],
)
async def test_encodings_are_read_right(world: World, encoding: str, header: str, text: str) -> None:
    page = f"<html><body><article><p>{text}</p><p>{text}</p></article></body></html>".encode(encoding)
    assert text in (await read(world, answered(page, header))).result["content"]


async def test_a_pdf_is_read_page_by_page(world: World) -> None:
    paper = pdf("Tea is good", "Coffee too")
    assert len(PdfReader(io.BytesIO(paper)).pages) == 2
    found = (await read(world, answered(paper, "Content-Type: application/pdf"))).result
    assert found["content"] == "[Page 1]\n\nTea is good\n\n[Page 2]\n\nCoffee too"
    assert (found["title"], found["byline"]) == ("A paper", "Ann Baker")


@pytest.mark.parametrize(
    ("body", "header", "kind", "why"),
    [
        (pdf("secret", password="x"), "Content-Type: application/pdf", ErrorKind.BLOCKED, "password"),
        (b"%PDF-1.7 broken", "Content-Type: application/pdf", ErrorKind.REJECTED, "broken"),
        (b"\x89PNG\0\xff", "Content-Type: image/png", ErrorKind.REJECTED, "file_download"),
    ],
    ids=["encrypted", "broken", "picture"],
)
async def test_what_cannot_be_read_says_why(
    world: World, body: bytes, header: str, kind: ErrorKind, why: str
) -> None:
    error = (await read(world, answered(body, header))).error
    assert error.kind == kind
    assert why in error.message


async def test_a_page_that_is_not_there_is_its_server_s_fault(world: World) -> None:
    error = (await read(world, answered(b"no", HTML, status=404))).error
    assert (error.kind, "status 404" in error.message) == (ErrorKind.UPSTREAM, True)


@pytest.mark.parametrize(
    "body",
    [b"", b"<html></html>", b"<div>" * 100_000, b"<p>" + b"x y. " * 100_000],
    ids=["nothing", "empty", "deep", "open"],
)
async def test_pages_of_nothing_and_of_no_shape_are_read_as_they_are(world: World, body: bytes) -> None:
    found = (await read(world, answered(body, HTML))).result
    assert "<" not in found["content"]


@pytest.mark.faults
async def test_a_page_that_takes_for_ever_ends_and_the_next_is_read(documents: Documents) -> None:
    attributes = b" ".join(b"a%d=1" % number for number in range(200_000))
    hostile = DocumentJob(
        "pages.page", (b"<html><body><div " + attributes + b">x</div>" * 9,), {"format": "text"}
    )
    with pytest.raises(Permanent, match="longer than 8 seconds") as refused:
        async with asyncio.timeout(60):
            await documents.run(hostile)
    assert refused.value.kind == ErrorKind.TIMEOUT
    assert await documents.run(DocumentJob("pages.page", (ARTICLE.encode(),), {"format": "text"}))


@pytest.mark.faults
async def test_a_document_that_takes_all_memory_ends_and_the_next_is_read(documents: Documents) -> None:
    hostile = DocumentJob("pages.page", ("<html><body>🫖".encode() + b"x" * 60_000_000,), {"format": "text"})
    with pytest.raises(Rejected) as refused:
        await documents.run(hostile)
    assert refused.value.kind == ErrorKind.TOO_LARGE
    assert await documents.run(DocumentJob("pages.page", (ARTICLE.encode(),), {"format": "text"}))


async def test_a_dead_fork_server_is_started_again(documents: Documents) -> None:
    page = DocumentJob("pages.page", (ARTICLE.encode(),), {"format": "text"})
    first = await documents.run(page)
    assert documents.server_pid("pages") is not None
    killed = documents.server_pid("pages")
    await documents.close()
    assert await documents.run(page) == first
    assert documents.server_pid("pages") != killed


async def test_what_was_read_is_marked_as_material_from_outside(world: World) -> None:
    for answer in (answered(ARTICLE.encode(), HTML), answered(b"no", HTML, status=404)):
        assert [one.key for one in (await read(world, answer)).outside] == [("web", "a.test")]
    assert (await world.run("list_state_keys", {}, call_id="c0")).outside == ()


async def test_the_links_of_a_page_without_an_article_can_be_followed(world: World) -> None:
    short = """<title>Tea</title><main><h1>Tea</h1><p>Short: <a href="/one?a=1&amp;b=2">one</a>, <a
    href="https://b.test/two">two</a>, <a href="#a">up</a>, <a href="javascript:a(1)">no</a>.</p></main>"""
    page = (await read(world, answered(short.encode(), HTML))).result
    one = page["url"].replace("/tea", "/one?a=1&b=2")
    assert page["content"] == f"Tea\nShort: [one]({one}), [two](https://b.test/two), up, no."
