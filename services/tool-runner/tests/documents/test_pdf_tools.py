"""The tools for PDFs, as calls: over real files, in real confined processes."""

import io
from pathlib import Path

import reportlab
from pypdf import PdfReader

from agent_contracts.errors import ErrorKind
from agent_contracts.json_value import Json
from agent_domain.files.file import FileRef
from foldline_testing.tool_runner.documents import HERE, ended, got, put
from foldline_testing.tool_runner.pdf_samples import form_pdf, pdf_of, png_of
from foldline_testing.tool_runner.world import World


async def test_a_pdf_with_a_table_and_a_picture_is_made_at_a_path_where_nothing_is(world: World) -> None:
    await put(world, "logo.png", png_of())
    blocks: list[Json] = [
        {"heading": "Prices", "color": "#003366"},
        {"text": "All in euros.", "align": "center"},
        {"table": [["What", "Price"], ["Tea", 1.5]], "font_size": 9},
        {"image": "logo.png", "width": 100},
    ]
    made = (await ended(world, "pdf_add_page", path="report.pdf", blocks=blocks)).result
    assert (made["version"], made["page"], made["pages_added"], made["page_count"]) == (1, 1, 1, 1)
    page = PdfReader(io.BytesIO(await got(world, "report.pdf"))).pages[0]
    assert "Tea" in page.extract_text()
    assert len(page.images) == 1
    more = (await ended(world, "pdf_add_page", path="report.pdf", paper={"size": "a5"})).result
    assert (more["file_id"], more["version"], more["page_count"]) == (made["file_id"], 2, 2)
    info = (await ended(world, "pdf_info", path="report.pdf")).result
    assert [(one["first"], one["width"]) for one in info["sizes"]] == [(1, 595.28), (2, 419.53)]
    read = await ended(world, "pdf_extract_text", file_id=made["file_id"], pages="1")
    assert "All in euros." in read.result["pages"][0]["text"]
    assert [one.name for one in read.outside] == ["logo.png"], (
        "the agent made it, of a picture that it was given"
    )


async def test_text_and_pictures_make_the_next_version_or_a_new_file(world: World) -> None:
    file = await put(world, "a.pdf", pdf_of("one"))
    await put(world, "logo.png", png_of())
    place: dict[str, Json] = {"page": 1, "x": 20, "y": 20}
    text = (await ended(world, "pdf_add_text", path="a.pdf", text="Café", font_size=20, **place)).result
    assert (text["file_id"], text["version"], text["height"]) == (file.file_id, 2, 25.0)
    new = await ended(world, "pdf_add_image", path="a.pdf", image="logo.png", output_path="b.pdf", **place)
    assert new.result["path"] == "b.pdf"
    assert (new.result["version"], new.result["width"]) == (1, 20)
    made = await world.files.find(HERE, FileRef(path="b.pdf"))
    assert made.made_from == file.file_id
    assert "Café" in PdfReader(io.BytesIO(await got(world, "b.pdf"))).pages[0].extract_text()


async def test_letters_are_set_in_a_font_of_the_agent(world: World) -> None:
    await put(world, "a.pdf", pdf_of("one"))
    await put(world, "vera.ttf", (Path(reportlab.__file__).parent / "fonts" / "VeraBI.ttf").read_bytes())
    place: dict[str, Json] = {"path": "a.pdf", "page": 1, "x": 20, "y": 20, "font": "vera.ttf"}
    assert (await ended(world, "pdf_add_text", text="Café", **place)).result["version"] == 2
    resources = PdfReader(io.BytesIO(await got(world, "a.pdf"))).pages[0]["/Resources"]
    fonts = resources["/Font"].values()  # type: ignore[index]
    assert any("BoldOblique" in str(font.get_object()["/BaseFont"]) for font in fonts)
    error = (await ended(world, "pdf_add_text", text="お茶", **place)).error
    assert "the given font, BitstreamVeraSans-BoldOblique, has no such letter" in error.message


async def test_a_form_is_filled(world: World) -> None:
    await put(world, "form.pdf", form_pdf())
    asked = (await ended(world, "pdf_get_form_fields", path="form.pdf")).result["fields"]
    assert [field["name"] for field in asked] == ["name", "agreed", "colour", "size", "fixed"]
    values: dict[str, Json] = {"name": "Ann", "agreed": True, "size": "large"}
    done = (await ended(world, "pdf_fill_form", path="form.pdf", values=values)).result
    assert (done["values"], done["missing"]) == (values, [])
    again = (await ended(world, "pdf_get_form_fields", path="form.pdf")).result["fields"]
    assert [field["value"] for field in again] == ["Ann", True, "red", "large", "no"]
    wrong = (await ended(world, "pdf_fill_form", path="form.pdf", values={"size": "huge"})).error
    assert (wrong.kind, wrong.path) == (ErrorKind.INVALID_ARGUMENTS, "/values/size")


async def test_pages_are_merged_split_deleted_and_pictured(world: World) -> None:
    await put(world, "a.pdf", pdf_of("one", "two"))
    await put(world, "b.pdf", pdf_of("three"))
    merged = (await ended(world, "pdf_merge", files=["a.pdf", "b.pdf"], output_path="all.pdf")).result
    assert merged["page_count"] == 3
    parts = (await ended(world, "pdf_split_pages", path="all.pdf", ranges=["1-2", "3"])).result["files"]
    assert [(part["path"], part["page_count"]) for part in parts] == [("all-1-2.pdf", 2), ("all-3.pdf", 1)]
    left = (await ended(world, "pdf_delete_page", path="all.pdf", page=2)).result
    assert (left["page_count"], left["version"]) == (2, 2)
    texts = (await ended(world, "pdf_extract_text", path="all.pdf")).result["pages"]
    assert [page["text"] for page in texts] == ["one", "three"]
    event = await ended(world, "pdf_page_to_image", path="all.pdf", page=2, dpi=72)
    assert (event.result["path"], event.result["width"]) == ("all-page-2.png", 300)
    assert [picture.name for picture in event.pictures] == ["page 2 of all.pdf"]
    assert (await got(world, "all-page-2.png")).startswith(b"\x89PNG")


async def test_a_taken_path_is_found_before_any_part_is_written(world: World) -> None:
    await put(world, "a.pdf", pdf_of("one", "two"))
    await put(world, "a-2.pdf", pdf_of("mine"))
    error = (await ended(world, "pdf_split_pages", path="a.pdf")).error
    assert error.kind == ErrorKind.CONFLICT
    assert {file.path for file in await world.files.list(HERE)} == {"a.pdf", "a-2.pdf"}


BAD: list[tuple[str, dict[str, Json], ErrorKind, str]] = [
    ("pdf_info", {"path": "secret.pdf"}, ErrorKind.BLOCKED, "needs a password"),
    ("pdf_info", {"path": "secret.pdf", "password": "y"}, ErrorKind.INVALID_ARGUMENTS, "wrong"),
    ("pdf_info", {"path": "broken.pdf"}, ErrorKind.REJECTED, "broken"),
    ("pdf_info", {"path": "logo.png"}, ErrorKind.REJECTED, "not a PDF"),
    ("pdf_info", {"path": "none.pdf"}, ErrorKind.NOT_FOUND, "none.pdf"),
    ("pdf_info", {}, ErrorKind.INVALID_ARGUMENTS, "one of them"),
    ("pdf_page_to_image", {"path": "a.pdf", "page": 0}, ErrorKind.INVALID_ARGUMENTS, "from 1"),
    ("pdf_page_to_image", {"path": "a.pdf", "page": 9}, ErrorKind.NOT_FOUND, "has 1 page"),
    ("pdf_page_to_image", {"path": "huge.pdf", "page": 1, "dpi": 100}, ErrorKind.TOO_LARGE, "4096"),
    ("pdf_extract_text", {"path": "a.pdf", "pages": "x"}, ErrorKind.INVALID_ARGUMENTS, "1-3"),
    ("pdf_delete_page", {"path": "a.pdf", "page": 1}, ErrorKind.REJECTED, "only page"),
    ("pdf_delete_page", {"path": "a.pdf", "page": 1, "version": 7}, ErrorKind.CONFLICT, "version"),
    ("pdf_add_text", {"path": "a.pdf", "page": 1, "text": "お茶", "x": 9, "y": 9},
     ErrorKind.INVALID_ARGUMENTS, "font"),
    ("pdf_add_text", {"path": "a.pdf", "page": 1, "text": "a", "x": 9, "y": 9, "font": "logo.png"},
     ErrorKind.INVALID_ARGUMENTS, "TrueType"),
    ("pdf_add_image", {"path": "a.pdf", "page": 1, "image": "a.pdf", "x": 9, "y": 9},
     ErrorKind.INVALID_ARGUMENTS, "picture"),
    ("pdf_add_page", {"path": "a.pdf", "before": 7}, ErrorKind.NOT_FOUND, "no page 7"),
    ("pdf_add_page", {"path": "a.pdf", "blocks": [{"text": "a", "heading": "b"}]},
     ErrorKind.INVALID_ARGUMENTS, "one of"),
    ("pdf_add_page", {"path": "../a.pdf"}, ErrorKind.INVALID_ARGUMENTS, ".."),
    ("pdf_add_page", {"path": "a.pdf", "output_path": "logo.png"}, ErrorKind.CONFLICT, "logo.png"),
    ("pdf_merge", {"files": ["a.pdf", "broken.pdf"], "output_path": "b.pdf"}, ErrorKind.REJECTED, "file 2"),
    ("pdf_split_pages", {"path": "a.pdf", "output_path": "x.pdf"}, ErrorKind.INVALID_ARGUMENTS, "pages"),
    ("pdf_fill_form", {"path": "a.pdf", "values": {"a": "b"}}, ErrorKind.NOT_FOUND, "no form"),
]  # fmt: skip


async def test_what_cannot_be_done_has_a_kind_and_changes_nothing(world: World) -> None:
    for path, data in {
        "a.pdf": pdf_of("one"),
        "secret.pdf": pdf_of("one", password="x"),
        "broken.pdf": b"%PDF-1.7 broken",
        "logo.png": png_of(),
        "huge.pdf": pdf_of("one").replace(b"300 400", b"300 14000"),
    }.items():
        await put(world, path, data)
    before = await world.files.list(HERE)
    for tool, arguments, kind, why in BAD:
        error = (await ended(world, tool, **arguments)).error
        assert (error.kind, why in error.message) == (kind, True), (tool, arguments, error)
    assert await world.files.list(HERE) == before
