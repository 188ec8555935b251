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
