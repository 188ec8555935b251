"""What can be done with PDFs (see `tool_runner.documents.jobs`). The PDF is the first of the files given."""

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
from tool_runner.documents.jobs import Inputs, Made, load_codecs, load_modules
from tool_runner.documents.pdfs import arranging, composing, drawing, forms, reading
from tool_runner.documents.pdfs.fonts import load_fonts
from tool_runner.documents.pdfs.opening import to_read
from tool_runner.documents.pdfs.terms import (
    MOST_PARTS,
    Block,
    Image,
    NewPages,
    OnePage,
    Opening,
    Parts,
    SomeText,
    Text,
    Values,
)


def about(inputs: Inputs, options: Opening) -> Made:
    """See `reading.about`."""
    return Made(msgspec.to_builtins(reading.about(inputs[0], options.password)))


def texts(inputs: Inputs, options: SomeText) -> Made:
    """`pages` with their text, the `unreadable` ones, and the `next_page` if more are there than wanted."""
    found: list[Json] = []
    unreadable: list[Json] = []
    length, next_page = 0, None
    for number, said in reading.texts(inputs[0], options.password, options.pages):
        if isinstance(said, Rejected):
            unreadable.append(number)
            continue
        if options.most is not None and found and length + len(said) > options.most:
            next_page = number
            break
        found.append({"page": number, "text": said})
        length += len(said)
    return Made({"pages": found, "unreadable": unreadable, "next_page": next_page})


def text(inputs: Inputs, options: Opening) -> Made:
    """`title`, `byline` and `content`: the text of all pages, each after a line with its number; of one
    that can't be read, why."""
    [data] = inputs
    said = reading.about(data, options.password)
    pages = [
        f"[Page {number}{f' is left out: {page.message}' if isinstance(page, Rejected) else ''}]\n\n"
        f"{'' if isinstance(page, Rejected) else page}"
        for number, page in reading.texts(data, options.password)
    ]
    return Made({"title": said.title, "byline": said.author, "content": "\n\n".join(pages)})


def picture(inputs: Inputs, options: OnePage) -> Made:
    """See `reading.picture`."""
    about_it, made = reading.picture(
        inputs[0], options.password, options.page, dpi=options.dpi, form=options.form
    )
    return Made(msgspec.to_builtins(about_it), (made,))


def add_pages(inputs: Inputs, options: NewPages) -> Made:
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
    return Made(msgspec.to_builtins(added), (made,))


def add_text(inputs: Inputs, options: Text) -> Made:
    """See `drawing.with_text`."""
    data, *font = inputs
    at = (options.x, options.y, options.width)
    box, made = drawing.with_text(
        data, options.password, options.page, options.text, at, options.look, font[0] if font else None
    )
    return Made(msgspec.to_builtins(box), (made,))


def add_image(inputs: Inputs, options: Image) -> Made:
    """See `drawing.with_picture`."""
    at = (options.x, options.y, options.width, options.height)
    box, made = drawing.with_picture(inputs[0], options.password, options.page, inputs[1], at)
    return Made(msgspec.to_builtins(box), (made,))


def delete_page(inputs: Inputs, options: OnePage) -> Made:
    """See `arranging.without_page`."""
    left, made = arranging.without_page(inputs[0], options.password, options.page)
    return Made(left, (made,))


def split(inputs: Inputs, options: Parts) -> Made:
    """The pages of each part as they were asked for, and how many they are; and the parts."""
    reader = to_read(inputs[0], options.password)
    ranges = options.ranges or [str(number) for number in range(1, len(reader.pages) + 1)]
    if len(ranges) > MOST_PARTS:
        why = f"it would be {len(ranges)} files; at most {MOST_PARTS} are made: say which `ranges`"
        raise Rejected(why, kind=ErrorKind.TOO_LARGE, path="/ranges")
    parts = [arranging.part(reader, options.password, pages) for pages in ranges]
    said: list[Json] = [[pages, len(part[0])] for pages, part in zip(ranges, parts, strict=True)]
    return Made(said, tuple(made for _, made in parts))


def merge(inputs: Inputs, options: Opening) -> Made:
    """See `arranging.merged`."""
    count, made = arranging.merged(inputs, options.password)
    return Made(count, (made,))


def fields(inputs: Inputs, options: Opening) -> Made:
    """See `forms.fields`."""
    return Made(msgspec.to_builtins(forms.fields(inputs[0], options.password)))


def fill(inputs: Inputs, options: Values) -> Made:
    """See `forms.filled`."""
    now, made = forms.filled(inputs[0], options.password, options.values, flatten=options.flatten)
    return Made(msgspec.to_builtins(now), (made,))


def warm_up() -> None:
    """See `jobs`: the libraries load much only when they first need it."""
    load_codecs()
    load_fonts()
    PIL.Image.init()
    for library in (pypdf, reportlab.pdfbase, reportlab.lib, reportlab.platypus, reportlab.pdfgen):
        load_modules(library)
    blocks = [Block(text="a"), Block(table=[["a"]])]
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
