"""Forms: which fields a PDF has, and filling them so that every viewer shows it."""

import io
import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from typing import cast

import pypdfium2
from pypdf import PdfReader, PdfWriter
from pypdf.generic import ArrayObject, DictionaryObject, NameObject

from agent_contracts.errors import ErrorKind, Rejected
from tool_runner.documents.pdfs.opening import broken_refused, to_change, to_read, written
from tool_runner.documents.pdfs.terms import FieldType, PdfField, Value

_READ_ONLY, _REQUIRED = 1, 2
_MULTILINE, _RADIO, _PUSH, _COMBO, _EDITABLE, _SEVERAL = (1 << bit for bit in (12, 15, 16, 17, 18, 21))
_OFF = "/Off"


def fields(data: bytes, password: str | None) -> list[PdfField]:
    """All that a person could fill, by the order in the file. `Rejected` as for `to_read`."""
    reader = to_read(data, password)
    with broken_refused():
        return _fields(reader)


def filled(
    data: bytes, password: str | None, values: Mapping[str, Value], *, flatten: bool = False
) -> tuple[list[PdfField], bytes]:
    """The PDF with these values in its form, drawn as well, and the fields then; with `flatten` the values
    are part of the pages and nobody can change them.

    `Rejected`: `not_found` for a field that doesn't exist, `invalid_arguments` for a value that one can't
    take or whose letters its font lacks; else as for `to_read`.
    """
    reader = to_read(data, password)
    with broken_refused():
        known = {field.name: field for field in _fields(reader)}
        form = cast(DictionaryObject, reader.root_object.get("/AcroForm", DictionaryObject()).get_object())
    if not known:
        kind = "an XFA form, which can't be filled" if "/XFA" in form else "no form"
        raise Rejected(f"the PDF has {kind}", kind=ErrorKind.NOT_FOUND)
    given = {name: _given(_known(known, name), value) for name, value in values.items()}
    writer = to_change(data, password)
    with broken_refused(), _lacking_letters_refused():
        cast(DictionaryObject, writer.root_object["/AcroForm"].get_object()).pop("/XFA", None)
        writer.update_page_form_field_values(None, given, auto_regenerate=False)
        for name in given:
            if known[name].type in ("checkbox", "radio"):
                _choose(writer, name, given[name])
    made = written(writer, password, was_encrypted=reader.is_encrypted and not flatten)
    now = fields(made, password)
    if flatten:
        made = _flattened(made)
    return now, made


def _fields(reader: PdfReader) -> list[PdfField]:
    pages, longest = _widgets_of(reader)
    return [
        _field(name, found, pages.get(name, []), longest.get(name))
        for name, found in (reader.get_fields() or {}).items()
        if found.get("/FT") is not None
    ]


def _field(name: str, found: DictionaryObject, pages: list[int], longest: object) -> PdfField:
    flags = int(found.get("/Ff", 0) or 0)
    kind = _type(str(found["/FT"]), flags)
    options: list[str] | None = None
    if kind in ("checkbox", "radio"):
        options = [str(state).removeprefix("/") for state in found.get("/_States_", []) if state != _OFF]
    elif kind == "choice":
        options = [_option(one) for one in found.get("/_States_", [])]
    return PdfField(
        name=str(name),
        type=kind,
        value=_value(kind, found.get("/V")),
        options=options,
        pages=pages,
        multiline=kind == "text" and bool(flags & _MULTILINE),
        several=kind == "choice" and bool(flags & _SEVERAL),
        read_only=bool(flags & _READ_ONLY),
        required=bool(flags & _REQUIRED),
        max_length=int(longest) if isinstance(longest, int) and kind == "text" else None,
        editable=kind == "choice" and bool(flags & _COMBO) and bool(flags & _EDITABLE),
    )


def _type(tag: str, flags: int) -> FieldType:
    match tag:
        case "/Tx":
            return "text"
        case "/Ch":
            return "choice"
        case "/Sig":
            return "signature"
    return "button" if flags & _PUSH else "radio" if flags & _RADIO else "checkbox"


def _option(one: object) -> str:
    """What a choice's option is called; pairs have the value first."""
    found = one.get_object() if hasattr(one, "get_object") else one
    return str(found[0] if isinstance(found, list) else found)


def _value(kind: FieldType, value: object) -> Value:
    found = value.get_object() if hasattr(value, "get_object") else value
    if found is None:
        return False if kind == "checkbox" else None
    if kind == "checkbox":
        return found != _OFF
    if isinstance(found, list):
        return [str(one) for one in found]
    if kind == "radio":
        return None if found == _OFF else str(found).removeprefix("/")
    return str(found) if isinstance(found, str | bytes | int | float) else None


def _widgets_of(reader: PdfReader) -> tuple[dict[str, list[int]], dict[str, object]]:
    """By fields' names the pages that they are on, and how long their texts may be."""
    pages: dict[str, list[int]] = {}
    longest: dict[str, object] = {}
    for number, page in enumerate(reader.pages, 1):
        for widget in _widgets(page):
            name = _name(widget)
            on = pages.setdefault(name, [])
            if number not in on:
                on.append(number)
            longest[name] = widget.get_inherited("/MaxLen")
    return pages, longest


def _widgets(page: DictionaryObject) -> Iterator[DictionaryObject]:
    annotations = page.get("/Annots", ArrayObject()).get_object()
    for one in annotations if isinstance(annotations, list) else ():
        widget = one.get_object()
        if isinstance(widget, DictionaryObject) and widget.get("/Subtype") == "/Widget":
            yield widget


def _name(widget: DictionaryObject) -> str:
    names: list[str] = []
    at: DictionaryObject | None = widget
    for _ in range(64):  # levels of names: a form that is its own parent ends here
        if not isinstance(at, DictionaryObject):
            break
        if "/T" in at:
            names.insert(0, str(at["/T"]))
        above = at.get("/Parent")
        at = above.get_object() if above is not None else None
    return ".".join(names)


def _known(known: Mapping[str, PdfField], name: str) -> PdfField:
    if name not in known:
        near = get_close_matches(name, known, 3, 0.4) or list(known)[:10]
        has = ", ".join(repr(one) for one in near)
        raise Rejected(
            f"the form has no field {name!r}; it has {has}", kind=ErrorKind.NOT_FOUND, path=f"/values/{name}"
        )
    return known[name]


def _given(field: PdfField, value: Value) -> str | list[str]:
    """The value as pypdf takes it. `Rejected` for one that the field can't take."""
    if field.read_only:
        raise _cannot(field, "is read-only")
    match field.type, value:
        case (("button" | "signature"), _):
            raise _cannot(field, f"is a {field.type}, which can't be filled")
        case "checkbox", bool():
            return f"/{(field.options or ['Yes'])[0]}" if value else _OFF
        case "checkbox", str() if value in (field.options or ()):
            return f"/{value}"
        case "radio", str() if value in (field.options or ()):
            return f"/{value}"
        case "radio", None:
            return _OFF
        case "text", str():
            if field.max_length is not None and len(value) > field.max_length:
                raise _cannot(field, f"takes at most {field.max_length} characters")
            if not field.multiline and "\n" in value:
                raise _cannot(field, "takes one line")
            return value
        case (("text" | "choice"), None):
            return ""
        case "choice", str() if field.editable or value in (field.options or ()):
            return value
        case "choice", list() if field.several and all(one in (field.options or ()) for one in value):
            return value
    takes = {
        "checkbox": "true or false",
        "text": "text",
        "radio": f"one of {field.options}",
        "choice": f"{'some' if field.several else 'one'} of {field.options}",
    }[field.type]
    raise _cannot(field, f"takes {takes}"[:500])


def _cannot(field: PdfField, why: str) -> Rejected:
    return Rejected(
        f"the field {field.name!r} {why}", kind=ErrorKind.INVALID_ARGUMENTS, path=f"/values/{field.name}"
    )


def _choose(writer: PdfWriter, name: str, state: object) -> None:
    """A button's value is a name, and stands once, in its field; pypdf leaves it as text beside."""
    for page in writer.pages:
        for widget in _widgets(page):
            if _name(widget) != name:
                continue
            field = widget if "/T" in widget else cast(DictionaryObject, widget["/Parent"].get_object())
            if field is not widget:
                widget.pop("/V", None)
            field[NameObject("/V")] = NameObject(str(state))


@contextmanager
def _lacking_letters_refused() -> Iterator[None]:
    """pypdf only warns where a field's font lacks a letter, and draws another."""
    lacking: list[str] = []

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if "not supported by font encoding" in str(record.msg):
                lacking.append(record.getMessage())

    listener, log = Listener(), logging.getLogger("pypdf")
    log.addHandler(listener)
    try:
        yield
    finally:
        log.removeHandler(listener)
    if lacking:
        raise Rejected(
            "a value has letters that the font of its field can't show",
            kind=ErrorKind.INVALID_ARGUMENTS,
            path="/values",
        )


def _flattened(data: bytes) -> bytes:
    """The values as part of the pages, by pdfium, and no form."""
    made = io.BytesIO()
    with broken_refused(), pypdfium2.PdfDocument(data) as document:
        document.init_forms()
        for page in document:
            page.flatten()
        document.save(made)
    writer = to_change(made.getvalue(), None)
    with broken_refused():
        writer.root_object.pop("/AcroForm", None)
    return written(writer, None)
