"""Every reader of documents begins with what it leaves out, and how to see it."""

from foldline_testing.tool_runner.documents import ended, put
from foldline_testing.tool_runner.pdf_samples import form_pdf, pdf_of, scanned_pdf
from foldline_testing.tool_runner.world import World

SCANS = [
    "no text on pages 2, 8 (a picture or drawing): see pdf_page_to_image",
    "little text on pages 3–4, which a picture or drawing fills: see pdf_page_to_image",
    "what the pictures on page 6 show: see pdf_page_to_image",
    "1 attached file, which can't be read here: figures.csv",
]


async def test_every_reader_of_a_pdf_begins_with_its_pages_without_text(world: World) -> None:
    await put(world, "scan.pdf", scanned_pdf())
    read = (await ended(world, "file_read_text", path="scan.pdf")).result
    assert read["left_out"] == SCANS
    assert list(read).index("left_out") < list(read).index("text")
    assert "[Page 2 has no text: it is a picture or drawing]" in read["text"]
    assert "[Comment: Please check]" in read["text"]
    assert (await ended(world, "pdf_info", path="scan.pdf")).result["left_out"] == SCANS
    pages = (await ended(world, "pdf_extract_text", path="scan.pdf", pages="1-3")).result
    assert pages["left_out"] == [
        "no text on page 2 (a picture or drawing): see pdf_page_to_image",
        "little text on page 3, which a picture or drawing fills: see pdf_page_to_image",
    ]
    found = (await ended(world, "file_search", query="Seven")).result
    assert [(one["path"], one["what"]) for one in found["left_out"]] == [("scan.pdf", "; ".join(SCANS))]
    assert [one["text"] for one in found["matches"]] == ["Seven"]


async def test_a_pdf_whose_text_is_whole_leaves_nothing_out(world: World) -> None:
    await put(world, "a.pdf", pdf_of("Tea", "Coffee"))
    assert (await ended(world, "file_read_text", path="a.pdf")).result["left_out"] == []
    assert (await ended(world, "pdf_info", path="a.pdf")).result["left_out"] == []


async def test_a_cut_answer_and_a_form_are_said(world: World) -> None:
    await put(world, "a.pdf", pdf_of(*["Tea is made of leaves, and of boiled water"] * 8))
    cut = (await ended(world, "pdf_extract_text", path="a.pdf", max_chars=200)).result
    assert (cut["next_page"], cut["left_out"]) == (5, ["the pages from 5 on: ask for them by `pages`"])
    await put(world, "form.pdf", form_pdf())
    info = (await ended(world, "pdf_info", path="form.pdf")).result
    assert "the values of 5 form fields: see pdf_get_form_fields" in info["left_out"]
