"""Documents for tests."""

import io
import zipfile
from collections.abc import Mapping

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"

_PICTURE = """<w:p><w:r><w:drawing><wp:inline
  xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing">
  <wp:docPr id="1" name="p" descr="A plan"/>
  <a:graphic xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><a:graphicData>
  <pic:pic xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:blipFill>
  <a:blip r:link="rId2"/></pic:blipFill></pic:pic></a:graphicData></a:graphic>
  </wp:inline></w:drawing></w:r></w:p>"""


def zip_of(entries: Mapping[str, str | bytes]) -> bytes:
    """A zip archive."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return made.getvalue()


def docx_of(body: str | None = None, **parts: str) -> bytes:
    """A .docx with a heading, a paragraph with a link, a table, and a picture that is somewhere else."""
    paragraphs = (
        body
        or f"""
    <w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>On tea</w:t></w:r></w:p>
    <w:p><w:r><w:t xml:space="preserve">Water must </w:t></w:r>
    <w:hyperlink r:id="rId1"><w:r><w:t>boil</w:t></w:r></w:hyperlink></w:p>
    <w:tbl><w:tr><w:tc><w:p><w:r><w:t>What</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>Price</w:t></w:r></w:p>
    </w:tc></w:tr><w:tr><w:tc><w:p><w:r><w:t>Tea</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>1.5</w:t></w:r></w:p>
    </w:tc></w:tr></w:tbl>{_PICTURE}"""
    )
    return zip_of(
        {
            "[Content_Types].xml": "<Types xmlns='http://schemas.openxmlformats.org/package/2006/content-types'/>",
            "word/document.xml": f"<w:document xmlns:w='{WORD}' xmlns:r='{RELATIONS}'><w:body>{paragraphs}"
            "</w:body></w:document>",
            "word/_rels/document.xml.rels": f"<Relationships xmlns='{PACKAGE}'>"
            f"<Relationship Id='rId1' Type='{RELATIONS}/hyperlink' Target='http://a.test/' "
            "TargetMode='External'/>"
            f"<Relationship Id='rId2' Type='{RELATIONS}/image' Target='http://127.0.0.1:9/p.png' "
            "TargetMode='External'/></Relationships>",
            "word/styles.xml": f"<w:styles xmlns:w='{WORD}'><w:style w:type='paragraph' w:styleId='Heading1'>"
            "<w:name w:val='heading 1'/></w:style></w:styles>",
            "docProps/core.xml": "<cp:p xmlns:cp='c' xmlns:dc='d'><dc:title>Tea</dc:title>"
            "<dc:creator>Ann</dc:creator></cp:p>",
            **parts,
        }
    )


SLIDES = "http://schemas.openxmlformats.org/presentationml/2006/main"
DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
OPEN = "urn:oasis:names:tc:opendocument:xmlns"


def _slide(*parts: str, show: str = "1") -> str:
    return (
        f"<p:sld xmlns:p='{SLIDES}' xmlns:a='{DRAWING}' xmlns:r='{RELATIONS}' show='{show}'>"
        f"<p:cSld><p:spTree>{''.join(parts)}</p:spTree></p:cSld></p:sld>"
    )


def _shape(text: str) -> str:
    return f"<p:sp><p:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp>"


def pptx_of() -> bytes:
    """Three slides: text with notes and a comment, a picture, a hidden one. Their files are in no order."""
    listed = "".join(f"<p:sldId id='{one}' r:id='rId{one}'/>" for one in (3, 1, 2))
    related = "".join(
        f"<Relationship Id='rId{one}' Type='{RELATIONS}/slide' Target='slides/slide{one}.xml'/>"
        for one in (1, 2, 3)
    )
    notes = _slide(_shape("Speak slowly"))
    return zip_of(
        {
            "[Content_Types].xml": "<Types/>",
            "ppt/presentation.xml": f"<p:presentation xmlns:p='{SLIDES}' xmlns:r='{RELATIONS}'>"
            f"<p:sldIdLst>{listed}</p:sldIdLst></p:presentation>",
            "ppt/_rels/presentation.xml.rels": f"<Relationships xmlns='{PACKAGE}'>{related}</Relationships>",
            "ppt/slides/slide3.xml": _slide(_shape("On tea"), _shape("Water must boil")),
            "ppt/slides/_rels/slide3.xml.rels": f"<Relationships xmlns='{PACKAGE}'>"
            f"<Relationship Id='a' Type='{RELATIONS}/notesSlide' Target='../notesSlides/n.xml'/>"
            f"<Relationship Id='b' Type='{RELATIONS}/comments' Target='../comments/c.xml'/></Relationships>",
            "ppt/notesSlides/n.xml": notes,
            "ppt/comments/c.xml": f"<p:cmLst xmlns:p='{SLIDES}'><p:cm><p:text>Why?</p:text></p:cm></p:cmLst>",
            "ppt/slides/slide1.xml": _slide("<p:pic/>"),
            "ppt/slides/slide2.xml": _slide(_shape("Spare"), show="0"),
        }
    )


def odf_of(kind: str, body: str, styles: str = "") -> bytes:
    """An OpenDocument file: `text`, `presentation` or `spreadsheet`."""
    spaces = " ".join(
        f"xmlns:{name}='{OPEN}:{name}:1.0'" for name in ("office", "text", "table", "style", "presentation")
    )
    spaces += f" xmlns:draw='{OPEN}:drawing:1.0' xmlns:xlink='http://www.w3.org/1999/xlink'"
    return zip_of(
        {
            "mimetype": f"application/vnd.oasis.opendocument.{kind}",
            "content.xml": f"<office:document-content {spaces}><office:automatic-styles>{styles}"
            f"</office:automatic-styles><office:body><office:{kind}>{body}</office:{kind}></office:body>"
            "</office:document-content>",
            "META-INF/manifest.xml": "<manifest/>",
        }
    )


def odt_of() -> bytes:
    """A text with a heading, a note, a comment, a list, a table and a picture."""
    return odf_of(
        "text",
        "<text:h text:outline-level='2'>On tea</text:h>"
        "<text:p>Water<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>Soft"
        "</text:p></text:note-body></text:note> boils<office:annotation><text:p>Sure?</text:p>"
        "</office:annotation></text:p>"
        "<text:list><text:list-item><text:p>one</text:p></text:list-item></text:list>"
        "<table:table><table:table-row><table:table-cell><text:p>What</text:p></table:table-cell>"
        "<table:table-cell><text:p>Price</text:p></table:table-cell></table:table-row></table:table>"
        "<text:p><draw:frame><draw:image xlink:href='a.png'/></draw:frame></text:p>",
    )


def epub_of() -> bytes:
    """A book whose second file is its first chapter; a third is missing."""
    return zip_of(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": "<container><rootfile full-path='O/p.opf'/></container>",
            "O/p.opf": "<package xmlns:dc='d'><metadata><dc:title>Tea</dc:title><dc:creator>Ann</dc:creator>"
            "</metadata><manifest>"
            + "".join(
                f"<item id='{one}' href='{one}.xhtml' media-type='application/xhtml+xml'/>" for one in "abc"
            )
            + "</manifest><spine><itemref idref='b'/><itemref idref='a'/><itemref idref='c'/></spine>"
            "</package>",
            "O/a.xhtml": "<html><body><p>Pour.<img src='x.png' alt='A cup'/></p></body></html>",
            "O/b.xhtml": "<html><head><title>t</title></head><body><h1>Boil</h1><p hidden=''>no</p></body>"
            "</html>",
        }
    )
