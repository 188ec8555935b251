"""Documents of other programs: their text in order, and before it what the text leaves out."""

import pytest

from agent_contracts.errors import ErrorKind
from foldline_testing.tool_runner.documents import done, ended, put
from foldline_testing.tool_runner.office_samples import (
    WORD,
    docx_of,
    epub_of,
    odf_of,
    odt_of,
    pptx_of,
    zip_of,
)
from foldline_testing.tool_runner.world import World

AS_PDF = "save it as a PDF to see its pages as pictures"
SPACE = f"xmlns:w='{WORD}'"
BODY = """<w:p><w:r><w:t>Hello</w:t></w:r><w:r><w:rPr><w:vanish/></w:rPr><w:t> psst</w:t></w:r>
<w:r><w:commentReference w:id="0"/></w:r></w:p>
<w:p><m:oMath xmlns:m="m"><m:r><m:t>x=1</m:t></m:r></m:oMath>
<w:fldSimple><w:r><w:t>Field</w:t></w:r></w:fldSimple><w:del><w:r><w:delText>gone</w:delText></w:r></w:del></w:p>
<w:p><w:r><w:drawing><w:anchor><a:txbx xmlns:a="a"><w:txbxContent><w:p><w:r><w:t>In a box</w:t></w:r></w:p>
</w:txbxContent></a:txbx></w:anchor></w:drawing></w:r></w:p>"""
RTF = rb"""{\rtf1\ansi\ansicpg1252{\header Secret plan\par}{\fonttbl{\f0\fcharset0 Arial;}}
\f0 Caf\'e9{\footnote A note}\par {\pict\pngblip 89504e47}{\shp{\*\shpinst{\shptxt Boxed\par}}}}"""
MAIL = (
    b"From: Ann <ann@a.example>\r\nTo: ben@b.example\r\nSubject: =?iso-8859-1?q?Caf=E9?=\r\n"
    b"MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n"
    b"--x\r\nContent-Type: text/html; charset=latin1\r\n\r\n"
    b"<p>5 \x80 for tea</p><p style='display:none'>trap</p>\r\n"
    b"--x\r\nContent-Type: application/pdf; name=plan.pdf\r\nContent-Transfer-Encoding: base64\r\n\r\n"
    b"JVBERi0=\r\n"
    b"--x\r\nContent-Type: text/csv; charset=gb2312; name=a.csv\r\n\r\n\x96\x7c,1\r\n"
    b"--x\r\nContent-Type: message/rfc822\r\n\r\nFrom: c@c.example\r\nSubject: Inner\r\n\r\nDeep\r\n--x--\r\n"
)


async def test_a_docx_has_its_comments_boxes_formulas_and_headers(world: World) -> None:
    parts = {
        "word/comments.xml": f"<w:comments {SPACE}><w:comment w:id='0' w:initials='AB'><w:p><w:r>"
        "<w:t>Is it?</w:t></w:r></w:p></w:comment></w:comments>",
        "word/header1.xml": f"<w:hdr {SPACE}><w:p><w:r><w:t>Secret plan</w:t></w:r></w:p></w:hdr>",
        "word/charts/chart1.xml": "<a/>",
    }
    await put(world, "a.docx", docx_of(BODY, **parts))
    read = await done(world, "file_read_text", path="a.docx")
    for said in (
        "Is it?",
        "[Formula: x=1]",
        "[Text: Field]",
        "[Text box: In a box]",
        "[Page header: Secret plan]",
    ):
        assert said in read["text"], said
    assert read["left_out"] == [
        f"1 chart: {AS_PDF}",
        "1 passage that tracked changes delete",
        "the mark on text that the document hides: 'psst'",
    ]
    await put(world, "b.docx", docx_of())
    assert (await done(world, "file_read_text", path="b.docx"))["left_out"] == [f"1 picture: {AS_PDF}"]


async def test_a_presentation_is_read_in_its_order_with_notes_and_comments(world: World) -> None:
    await put(world, "a.pptx", pptx_of())
    read = await done(world, "file_read_text", path="a.pptx")
    assert read["text"] == (
        "[Slide 1]\n\nOn tea\nWater must boil\n[Notes]\nSpeak slowly\n[Comment: Why?]\n\n"
        "[Slide 2]\n\n[Slide 3 is hidden]\n\nSpare"
    )
    assert read["left_out"] == ["pictures on slide 2: save it as a PDF to see its slides as pictures"]


async def test_a_text_and_a_presentation_of_opendocument_are_read(world: World) -> None:
    await put(world, "a.odt", odt_of())
    read = await done(world, "file_read_text", path="a.odt")
    assert read["text"] == (
        "## On tea\n\nWater[^1] boils [Comment: Sure?] \n\n- one\n\n"
        "| What | Price |\n| --- | --- |\n\n[^1]: Soft"
    )
    assert read["left_out"] == [f"1 picture: {AS_PDF}"]
    box = "<draw:frame><draw:text-box><text:p>Hello</text:p></draw:text-box></draw:frame>"
    await put(world, "a.odp", odf_of("presentation", f"<draw:page>{box}</draw:page>"))
    assert (await done(world, "file_read_text", path="a.odp"))["text"] == "[Slide 1]\n\nHello"


async def test_a_book_is_read_in_its_order(world: World) -> None:
    await put(world, "a.epub", epub_of())
    read = await done(world, "file_read_text", path="a.epub")
    assert read["text"] == "# Boil\n\nPour.[picture: A cup]"
    assert read["left_out"] == [
        "1 chapter that can't be read: O/c.xhtml",
        "1 picture",
        "1 passage that the book hides from its readers",
    ]


async def test_rtf_is_read_with_its_notes_and_says_its_pictures(world: World) -> None:
    await put(world, "a.rtf", RTF)
    read = await done(world, "file_read_text", path="a.rtf")
    assert read["text"].startswith("Café")
    for said in ("[Page header: Secret plan]", "[Note: A note]", "[Text box: Boxed]"):
        assert said in read["text"], said
    assert "rtf1" not in read["text"]
    assert read["left_out"] == [f"1 picture: {AS_PDF}"]


async def test_a_mail_is_read_with_its_texts_and_names_its_attachments(world: World) -> None:
    await put(world, "a.eml", MAIL)
    read = await done(world, "file_read_text", path="a.eml")
    for said in ("Subject: Café", "5 € for tea", "[Attachment a.csv]\n\n東,1", "[Attached message]", "Deep"):
        assert said in read["text"], said
    assert "trap" not in read["text"]
    assert read["left_out"] == [
        "1 attachment: plan.pdf (application/pdf, 5 bytes); ask for the files themselves to read them",
        "1 passage that the message hides from its readers",
    ]
    found = await done(world, "file_search", query="tea", paths=["*.eml"])
    assert [one["path"] for one in found["left_out"]] == ["a.eml"]


def ole(*names: str) -> bytes:
    return (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
        + b"\0" * 504
        + b"".join(name.encode("utf-16-le") for name in names)
    )


@pytest.mark.parametrize(
    ("path", "data", "says"),
    [
        ("a.doc", ole("WordDocument"), "save it as .docx or PDF"),
        ("a.ppt", ole("PowerPoint Document"), "save it as .pptx or PDF"),
        ("a.msg", ole("__substg1.0_0037001F"), "save it as .eml or text"),
        ("a.docx", ole("EncryptionInfo", "EncryptedPackage"), "protected by a password"),
        ("a.zip", zip_of({"a.txt": "a"}), "zip archive: unpack it first"),
        ("a.pages", zip_of({"Index/Document.iwa": "a"}), "export it as PDF"),
        ("a.mobi", b"a" * 60 + b"BOOKMOBI\0", "convert it to .epub"),
        ("a.png", b"\x89PNG\r\n\x1a\n\0", "file_view"),
        ("a.mp3", b"ID3\0\xff\xfb", "transcript"),
        ("a.bin", b"\0\1\2", "can't be read here: save it as PDF"),
    ],
    ids=lambda given: given if isinstance(given, str) and given.startswith("a.") else "",
)
async def test_what_cannot_be_read_says_what_it_is_and_what_to_do(
    world: World, path: str, data: bytes, says: str
) -> None:
    await put(world, path, data)
    over = await ended(world, "file_read_text", path=path)
    assert over.error.kind == ErrorKind.REJECTED
    assert "can't be read as text" in over.error.message
    assert says in over.error.message
