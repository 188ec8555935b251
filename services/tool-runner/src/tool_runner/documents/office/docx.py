"""What a .docx says, as markdown."""

import io
import zipfile
from collections.abc import Mapping
from xml.parsers.expat import ExpatError

import mammoth
from lxml import etree

from agent_contracts.errors import Rejected
from agent_contracts.json_value import Json
from tool_runner.documents.jobs import Inputs, Made, load_codecs, load_modules
from tool_runner.documents.word.markdown import markdown_of
from tool_runner.documents.zips import checked_zip

_BODY = "word/document.xml"
_XML_START = 2_000
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_EMPTY = f"<w:document xmlns:w='{_WORD}'><w:body/></w:document>"


def read_docx(inputs: Inputs, options: Mapping[str, Json]) -> Made:
    """Its `title`, `byline` and `content`: headings, lists, links and tables; pictures by their captions.

    Nothing that it points to is opened. `Rejected` for what is broken, encrypted or too much.
    """
    [data] = inputs
    with checked_zip(data, "document") as archive:
        names = archive.namelist()
        if _BODY not in names:
            raise Rejected("it is not a .docx document")
        for name in names:
            if name.endswith((".xml", ".rels")):
                with archive.open(name) as part:
                    start = part.read(_XML_START)
                if b"\0" in start or b"<!DOCTYPE" in start or b"<!ENTITY" in start:
                    raise Rejected(f"the document is not as a program writes it: {name} declares a type")
        about = archive.read("docProps/core.xml") if "docProps/core.xml" in names else None
    try:
        html = mammoth.convert_to_html(
            io.BytesIO(data),
            convert_image=mammoth.images.img_element(lambda image: {}),
            include_embedded_style_map=False,
            external_file_access=False,
        ).value
    except (ExpatError, LookupError, ValueError, AttributeError, TypeError, OSError) as error:
        raise Rejected(f"the document is broken: {error}"[:500]) from error
    except RecursionError as error:
        raise Rejected("the document is broken: it is nested without end") from error
    title, byline = _said(about)
    return Made({"title": title, "byline": byline, "content": markdown_of(html)})


def _said(about: bytes | None) -> tuple[str | None, str | None]:
    """Title and author; none where the part that has them is broken, as readers do."""
    if about is None:
        return None, None
    try:
        root = etree.fromstring(about, etree.XMLParser(resolve_entities=False, no_network=True))
    except etree.XMLSyntaxError:
        return None, None
    found = {etree.QName(one).localname: one.text or "" for one in root if isinstance(one.tag, str)}
    return found.get("title") or None, found.get("creator") or None


def warm_up() -> None:
    """See `jobs`."""
    load_codecs()
    load_modules(mammoth)
    mammoth.convert_to_html(io.BytesIO(_sample()), convert_image=mammoth.images.img_element(lambda image: {}))
    markdown_of("<p>a</p>")


def _sample() -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr(_BODY, _EMPTY)
    return made.getvalue()


JOBS = {"text": read_docx}
