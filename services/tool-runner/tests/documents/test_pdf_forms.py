"""Forms are filled so that another library, and a person who looks, sees the values."""

import io

import PIL.Image
import pypdfium2
import pytest
from pypdf import PdfReader

from agent_contracts.errors import ErrorKind, Rejected
from foldline_testing.tool_runner.pdf_samples import form_pdf, pdf_of
from tool_runner.documents.pdfs.forms import fields, filled
from tool_runner.documents.pdfs.terms import Value

VALUES: dict[str, Value] = {"name": "Ann Bółk", "agreed": True, "colour": "green", "size": "large"}


def drawn(data: bytes, box: tuple[int, int, int, int]) -> bytes:
    """The pixels of a part of the first page, with what fields look like."""
    with pypdfium2.PdfDocument(data) as document:
        document.init_forms()
        picture: PIL.Image.Image = document[0].render(scale=1).to_pil()
    return picture.convert("L").crop(box).tobytes()


def test_fields_say_what_they_take() -> None:
    found = {field.name: field for field in fields(form_pdf(), None)}
    assert {name: field.type for name, field in found.items()} == {
        "name": "text",
        "agreed": "checkbox",
        "colour": "choice",
        "size": "radio",
        "fixed": "text",
    }
    assert (found["name"].value, found["name"].max_length, found["name"].pages) == ("", 20, [1])
    assert (found["agreed"].value, found["colour"].value, found["size"].value) == (False, "red", None)
    assert (found["colour"].options, found["size"].options) == (["red", "green"], ["small", "large"])
    assert found["fixed"].read_only


def test_values_are_there_and_are_seen() -> None:
    form = form_pdf()
    now, data = filled(form, None, VALUES)
    assert {field.name: field.value for field in now} == {**VALUES, "fixed": "no"}
    seen = PdfReader(io.BytesIO(data)).get_fields() or {}
    assert {name: str(seen[name].value) for name in VALUES} == {
        "name": "Ann Bółk",
        "agreed": "/Yes",
        "colour": "green",
        "size": "/large",
    }
    for box in ((20, 30, 220, 50), (20, 80, 42, 100), (20, 130, 120, 150), (60, 180, 82, 200)):
        assert drawn(data, box) != drawn(form, box)
    assert drawn(data, (20, 180, 42, 200)) == drawn(form, (20, 180, 42, 200))


def test_a_flattened_form_is_part_of_its_page() -> None:
    _, data = filled(form_pdf(), None, VALUES, flatten=True)
    assert fields(data, None) == []
    with pypdfium2.PdfDocument(data) as document:
        assert "Ann Bółk" in document[0].get_textpage().get_text_bounded()
    assert PdfReader(io.BytesIO(data)).pages[1].extract_text().strip() == "Terms"


@pytest.mark.parametrize(
    ("values", "kind", "why"),
    [
        ({"nam": "Ann"}, ErrorKind.NOT_FOUND, "it has 'name'"),
        ({"name": "a" * 21}, ErrorKind.INVALID_ARGUMENTS, "at most 20"),
        ({"name": "a\nb"}, ErrorKind.INVALID_ARGUMENTS, "one line"),
        ({"name": "Привет"}, ErrorKind.INVALID_ARGUMENTS, "font"),
        ({"agreed": "maybe"}, ErrorKind.INVALID_ARGUMENTS, "true or false"),
        ({"colour": "blue"}, ErrorKind.INVALID_ARGUMENTS, "red"),
        ({"size": "huge"}, ErrorKind.INVALID_ARGUMENTS, "small"),
        ({"fixed": "yes"}, ErrorKind.INVALID_ARGUMENTS, "read-only"),
    ],
)
def test_values_that_a_field_cannot_take_are_refused(
    values: dict[str, Value], kind: ErrorKind, why: str
) -> None:
    with pytest.raises(Rejected, match=why) as caught:
        filled(form_pdf(), None, values)
    assert caught.value.kind == kind
    assert (caught.value.path or "").startswith("/values")


def test_a_pdf_without_a_form_has_nothing_to_fill() -> None:
    assert fields(pdf_of("one"), None) == []
    with pytest.raises(Rejected, match="no form"):
        filled(pdf_of("one"), None, {"name": "Ann"})
