"""Jobs on PDFs in confined processes, where nothing can be opened: each library works there."""

from typing import Any

import pytest

from agent_contracts.errors import ErrorKind, Rejected
from foldline_testing.tool_runner.pdf_samples import form_pdf, pdf_of, png_of
from tool_runner.documents.documents import Documents
from tool_runner.documents.messages import DocumentJob

NEW = {"blocks": [{"heading": "Tea"}, {"table": [["a", 1.5]]}, {"image": 0}]}


@pytest.mark.parametrize(
    ("name", "inputs", "options", "value"),
    [
        ("about", (pdf_of("one", "two"),), {}, {"page_count": 2, "title": "A paper", "author": "Ann Baker"}),
        ("texts", (pdf_of("one", "two", "three"),), {"most": 4}, {"next_page": 2}),
        ("picture", (pdf_of("one"),), {"page": 1, "form": "jpeg"}, {"width": 417, "height": 556}),
        ("add_pages", (b"", png_of()), NEW, {"page": 1, "pages_added": 1, "page_count": 1}),
        ("add_text", (pdf_of("one"),), {"page": 1, "text": "Café", "x": 9, "y": 9}, {"height": 13.75}),
        ("add_image", (pdf_of("one"), png_of()), {"page": 1, "x": 9, "y": 9}, {"width": 20, "height": 10}),
        ("fill", (form_pdf(),), {"values": {"name": "Ann", "agreed": True}}, None),
        ("delete_page", (pdf_of("one", "two"),), {"page": 1}, 1),
        ("split", (pdf_of("one", "two", password="x"),), {"ranges": ["2"], "password": "x"}, [["2", 1]]),
        ("merge", (pdf_of("one"), pdf_of("two")), {}, 2),
    ],
)
async def test_a_confined_process_does_it(
    documents: Documents, name: str, inputs: tuple[bytes, ...], options: dict[str, Any], value: Any
) -> None:
    done = await documents.run(DocumentJob(f"pdfs.{name}", inputs, options))
    if isinstance(value, dict):
        assert isinstance(done.value, dict)
        assert {key: done.value[key] for key in value} == value
    elif value is not None:
        assert done.value == value
    if done.outputs and name != "picture":
        again = await documents.run(
            DocumentJob("pdfs.about", done.outputs, {"password": options.get("password")})
        )
        assert isinstance(again.value, dict)
    assert bool(done.outputs) == (name not in ("about", "texts"))


async def test_of_a_pdf_with_a_broken_page_the_others_are_read(documents: Documents) -> None:
    whole = pdf_of("one", "two", "three")
    data = whole.replace(b"/Kids [ 3 0 R 4 0 R", b"/Kids [ 3 0 R 0 0 R")
    assert data != whole
    found = (await documents.run(DocumentJob("pdfs.texts", (data,), {}))).value
    assert found == {
        "pages": [{"page": 1, "text": "one"}, {"page": 3, "text": "three"}],
        "left_out": ["page 2, which can't be read"],
        "next_page": None,
    }
    about = (await documents.run(DocumentJob("pdfs.about", (data,)))).value
    assert isinstance(about, dict)
    sizes = about["pages"]
    assert isinstance(sizes, list)
    assert (about["page_count"], [one["page"] for one in sizes if isinstance(one, dict)]) == (3, [1, 3])
    text = (await documents.run(DocumentJob("pdfs.text", (data,)))).value
    assert isinstance(text, dict)
    assert text["content"] == (
        "[Page 1]\n\none\n\n[Page 2 is left out: the PDF is broken: Failed to load page.]\n\n\n\n"
        "[Page 3]\n\nthree"
    )
    for job in (
        DocumentJob("pdfs.texts", (data,), {"pages": "2"}),
        DocumentJob("pdfs.picture", (data,), {"page": 2}),
    ):
        with pytest.raises(Rejected, match="Failed to load page"):
            await documents.run(job)


async def test_an_encrypted_one_says_so_with_a_kind_of_its_own(documents: Documents) -> None:
    with pytest.raises(Rejected) as caught:
        await documents.run(DocumentJob("pdfs.about", (pdf_of("one", password="x"),)))
    assert caught.value.kind == ErrorKind.BLOCKED
