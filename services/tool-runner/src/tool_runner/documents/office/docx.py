"""What a .docx says, as markdown."""

import io
import re
from collections.abc import Mapping
from xml.parsers.expat import ExpatError

import mammoth

from agent_contracts.errors import Rejected
from agent_contracts.json_value import Json
from tool_runner.documents.jobs import Inputs, JobOutput
from tool_runner.documents.office.markdown import markdown_of
from tool_runner.documents.office.properties import said_of
from tool_runner.documents.office.side_texts import beside_the_text
from tool_runner.documents.zips import checked_zip

_XML_START = 2_000
_WITH_COMMENTS = "comment-reference => sup"
_BODIES = re.compile(r"word/document\d*\.xml")


def read_docx(inputs: Inputs, options: Mapping[str, Json]) -> JobOutput:
    """Its `title`, `byline` and `content`: headings, lists, links, tables, notes and comments; pictures by
    their captions; after that text boxes, formulas, page headers and footers. `left_out`: what is missing.

    Nothing that it points to is opened. `Rejected` for what is broken, encrypted or too much.
    """
    [data] = inputs
    with checked_zip(data, "document") as archive:
        names = archive.namelist()
        if not any(_BODIES.fullmatch(name) for name in names):
            raise Rejected("it is not a .docx document")
        for name in names:
            if name.endswith((".xml", ".rels")):
                with archive.open(name) as part:
                    start = part.read(_XML_START)
                if b"\0" in start or b"<!DOCTYPE" in start or b"<!ENTITY" in start:
                    raise Rejected(f"the document is not as a program writes it: {name} declares a type")
        pictures: list[object] = []
        html = _html(data, pictures)
        beside = beside_the_text(archive, len(pictures))
        title, byline = said_of(archive)
    content = "\n\n".join(filter(None, (markdown_of(html).text, *beside.texts)))
    said: dict[str, Json] = {"title": title, "byline": byline, "content": content}
    return JobOutput({**said, "left_out": list[Json](beside.left_out)})


def _html(data: bytes, pictures: list[object]) -> str:
    def picture(image: object) -> dict[str, str]:
        pictures.append(image)
        return {}

    try:
        converted: str = mammoth.convert_to_html(
            io.BytesIO(data),
            convert_image=mammoth.images.img_element(picture),
            style_map=_WITH_COMMENTS,
            include_embedded_style_map=False,
            external_file_access=False,
        ).value
    except (ExpatError, LookupError, ValueError, AttributeError, TypeError, OSError) as error:
        raise Rejected(f"the document is broken: {error}"[:500]) from error
    except RecursionError as error:
        raise Rejected("the document is broken: it is nested without end") from error
    return converted


JOBS = {"docx": read_docx}
