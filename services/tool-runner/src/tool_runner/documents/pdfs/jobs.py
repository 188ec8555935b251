"""What can be done with PDFs (see `tool_runner.documents.jobs`). The PDF is the first of the files given."""

import time
from collections.abc import Mapping

import msgspec
import PIL.Image
import pypdf
import reportlab.lib
import reportlab.pdfbase
import reportlab.pdfgen
import reportlab.platypus

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.json_value import Json
from tool_runner.documents.jobs import Inputs, JobOutput, load_codecs, load_modules
from tool_runner.documents.pdfs import arranging, composing, drawing, forms, reading
from tool_runner.documents.pdfs.fonts import load_fonts
from tool_runner.documents.pdfs.left_out import LeftOutOfPdf, PdfPage
from tool_runner.documents.pdfs.opening import to_read
from tool_runner.documents.pdfs.terms import (
    MOST_PARTS,
    FieldValues,
    NewPages,
    OnePage,
    Parts,
    PdfBlock,
    PdfImage,
    PdfOpening,
    PdfTextBox,
    SomeText,
)

_LOOKS_S = 4.0
"""Seconds of computing after which `about` looks at no further page's text."""


def about(inputs: Inputs, options: PdfOpening) -> JobOutput:
    """See `reading.about`; `left_out` says what the text of its pages leaves out, too."""
    [data] = inputs
    said = reading.about(data, options.password)
    left_out = LeftOutOfPdf()
    looked_at = 0
    for number, page in reading.texts(data, options.password):
        if time.process_time() > _LOOKS_S:
            break
        left_out.take(number, None if isinstance(page, Rejected) else page)
        looked_at = number
    sentences = [*left_out.sentences(), *said.left_out]
    if looked_at < said.page_count:
        sentences.append(f"nobody has looked yet at the pages from {looked_at + 1} on: see pdf_extract_text")
    return JobOutput(msgspec.to_builtins(msgspec.structs.replace(said, left_out=sentences)))


def texts(inputs: Inputs, options: SomeText) -> JobOutput:
    """`pages` with their text, what it leaves out, and the `next_page` if more are there than wanted."""
    found: list[Json] = []
    left_out = LeftOutOfPdf()
    length, next_page = 0, None
    for number, page in reading.texts(inputs[0], options.password, options.pages):
        text = "" if isinstance(page, Rejected) else page.shown
        if options.most is not None and found and length + len(text) > options.most:
            next_page = number
            break
        left_out.take(number, None if isinstance(page, Rejected) else page)
        if not isinstance(page, Rejected):
            found.append({"page": number, "text": text})
        length += len(text)
    sentences = list[Json](left_out.sentences())
    if next_page is not None:
        sentences.append(f"the pages from {next_page} on: ask for them by `pages`")
    return JobOutput({"left_out": sentences, "pages": found, "next_page": next_page})


def text(inputs: Inputs, options: PdfOpening) -> JobOutput:
    """`title`, `byline` and `content`: the text of all pages, each after a line with its number; of one
    that can't be read, why. `left_out`: what is missing."""
    [data] = inputs
    said = reading.about(data, options.password)
    left_out = LeftOutOfPdf()
    pages = []
    for number, page in reading.texts(data, options.password):
        left_out.take(number, None if isinstance(page, Rejected) else page)
        pages.append(_headed(number, page))
    return JobOutput(
        {
            "title": said.title,
            "byline": said.author,
            "content": "\n\n".join(pages).strip(),
            "left_out": [*left_out.sentences(), *said.left_out],
        }
    )


def _headed(number: int, page: PdfPage | Rejected) -> str:
    if isinstance(page, Rejected):
        return f"[Page {number} is left out: {page.message}]\n\n"
    if not page.text and page.look.is_something:
        return f"[Page {number} has no text: it is a picture or drawing]\n\n{page.shown}"
    return f"[Page {number}]\n\n{page.shown}"


def picture(inputs: Inputs, options: OnePage) -> JobOutput:
    """See `reading.picture`."""
    about_it, made = reading.picture(
        inputs[0], options.password, options.page, dpi=options.dpi, form=options.form
    )
    return JobOutput(msgspec.to_builtins(about_it), (made,))


def add_pages(inputs: Inputs, options: NewPages) -> JobOutput:
    """See `composing.with_pages`."""
    images = inputs[1 : len(inputs) - (1 if options.brings_font else 0)]
    added, made = composing.with_pages(
        inputs[0] or None,
        options.password,
        options.before,
        options.sheet,
        options.blocks,
        images,
        inputs[-1] if options.brings_font else None,
    )
    return JobOutput(msgspec.to_builtins(added), (made,))


def add_text(inputs: Inputs, options: PdfTextBox) -> JobOutput:
    """See `drawing.with_text`."""
    data, *font = inputs
    at = (options.x, options.y, options.width)
    box, made = drawing.with_text(
        data, options.password, options.page, options.text, at, options.look, font[0] if font else None
    )
    return JobOutput(msgspec.to_builtins(box), (made,))


def add_image(inputs: Inputs, options: PdfImage) -> JobOutput:
    """See `drawing.with_picture`."""
    at = (options.x, options.y, options.width, options.height)
    box, made = drawing.with_picture(inputs[0], options.password, options.page, inputs[1], at)
    return JobOutput(msgspec.to_builtins(box), (made,))


def delete_page(inputs: Inputs, options: OnePage) -> JobOutput:
    """See `arranging.without_page`."""
    left, made = arranging.without_page(inputs[0], options.password, options.page)
    return JobOutput(left, (made,))


def split(inputs: Inputs, options: Parts) -> JobOutput:
    """The pages of each part as they were asked for, and how many they are; and the parts."""
    reader = to_read(inputs[0], options.password)
    ranges = options.ranges or [str(number) for number in range(1, len(reader.pages) + 1)]
    if len(ranges) > MOST_PARTS:
        why = f"it would be {len(ranges)} files; at most {MOST_PARTS} are made: say which `ranges`"
        raise Rejected(why, kind=ErrorKind.TOO_LARGE, path="/ranges")
    parts = [arranging.part(reader, options.password, pages) for pages in ranges]
    said: list[Json] = [[pages, len(part[0])] for pages, part in zip(ranges, parts, strict=True)]
    return JobOutput(said, tuple(made for _, made in parts))


def merge(inputs: Inputs, options: PdfOpening) -> JobOutput:
    """See `arranging.merged`."""
    count, made = arranging.merged(inputs, options.password)
    return JobOutput(count, (made,))


def fields(inputs: Inputs, options: PdfOpening) -> JobOutput:
    """See `forms.fields`."""
    return JobOutput(msgspec.to_builtins(forms.fields(inputs[0], options.password)))


def fill(inputs: Inputs, options: FieldValues) -> JobOutput:
    """See `forms.filled`."""
    now, made = forms.filled(inputs[0], options.password, options.values, flatten=options.flatten)
    return JobOutput(msgspec.to_builtins(now), (made,))


def warm_up() -> None:
    """See `jobs`: the libraries load much only when they first need it."""
    load_codecs()
    load_fonts()
    PIL.Image.init()
    for library in (pypdf, reportlab.pdfbase, reportlab.lib, reportlab.platypus, reportlab.pdfgen):
        load_modules(library)
    blocks = [PdfBlock(text="a"), PdfBlock(table=[["a"]])]
    _, made = composing.with_pages(None, None, None, None, blocks)
    reading.picture(made, None, 1, dpi=72, form="jpeg")
    reading.about(made, None)


JOBS: Mapping[str, object] = {
    "about": about,
    "text": text,
    "texts": texts,
    "picture": picture,
    "add_pages": add_pages,
    "add_text": add_text,
    "add_image": add_image,
    "delete_page": delete_page,
    "split": split,
    "merge": merge,
    "fields": fields,
    "fill": fill,
}
