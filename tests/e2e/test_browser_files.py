"""Files in the browser: attached, worked on by the agent, downloaded, taken back, kept in the studio."""

import base64
import io
import re
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pypdf
import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from foldline_testing.product.browser import WatchedPage
from foldline_testing.product.chat_page import ChatPage
from foldline_testing.product.stack import Stack
from foldline_testing.product.typing import write

pytestmark = pytest.mark.browser

NewPage = Callable[..., WatchedPage]

CSV = b"tea,price\nAssam,4.5\nDarjeeling,6\n"
ROWS = [["tea", "price"], ["Assam", 4.5], ["Darjeeling", 6], ["sum", "=SUM(B2:B3)"]]
BOOK = {"path": "tea.xlsx", "sheet": "Tea"}


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"tool_calls": [{"name": name, "arguments": arguments}]}


SCRIPT = {
    "rules": [
        {
            "when": {"user_contains": "make a report"},
            "turns": [
                call("file_read_text", path="tea.csv"),
                call("spreadsheet_write_range", path="tea.xlsx", values=ROWS),
                call(
                    "spreadsheet_set_format", path="tea.xlsx", range="B2:B4", number_format="0.00", bold=True
                ),
                call("spreadsheet_auto_filter", path="tea.xlsx"),
                call("spreadsheet_read_range", path="tea.xlsx", range="A1:B4"),
                call("pdf_add_page", path="tea.pdf", blocks=[{"heading": "Tea"}, {"table": ROWS[:3]}]),
                call("pdf_page_to_image", path="tea.pdf", page=1, output_path="tea.png"),
                call("image_crop", path="tea.png", x=0, y=0, width=200, height=100),
                call("image_convert", path="tea.png", format="jpeg", output_path="tea.jpg"),
                call("file_search", query="Darjeeling"),
                {"text": "Here is your report."},
            ],
        },
        {"when": {"user_contains": "in other words"}, "reply": {"text": "Seen again."}},
        {"reply": {"text": "Hello."}},
    ]
}


def downloaded(page: Page, name: str) -> bytes:
    with page.expect_download() as download:
        page.get_by_role("link", name=re.compile(re.escape(name))).last.click()
    return Path(download.value.path()).read_bytes()


def png(width: int, height: int) -> bytes:
    """A picture of two colours, whatever its size in few bytes."""
    packing = zlib.compressobj()
    line = b"\0" + b"\x0f" * ((width + 7) // 8)
    data = b"".join(packing.compress(line) for _ in range(height)) + packing.flush()
    parts = [
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)),
        (b"IDAT", data),
        (b"IEND", b""),
    ]
    chunks = (
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


PICTURE = png(64, 48)
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" onload="window.ran=1"><script>window.ran=1</script></svg>'
PAGE = b"<!doctype html><script>window.ran=1</script><img src=x onerror='window.ran=1'>"
HAND_OVER = """([how, files]) => {
  const transfer = new DataTransfer();
  for (const [name, type, data] of files) {
    const bytes = Uint8Array.from(atob(data), (one) => one.charCodeAt(0));
    transfer.items.add(new File([bytes], name, { type }));
  }
  const all = { bubbles: true, cancelable: true };
  const at = document.querySelector("#composer");
  if (how === "paste") at.dispatchEvent(new ClipboardEvent("paste", { ...all, clipboardData: transfer }));
  else for (const kind of ["dragover", "drop"])
    at.dispatchEvent(new DragEvent(kind, { ...all, dataTransfer: transfer }));
}"""


def hand_over(page: Page, how: str, *files: tuple[str, str, bytes]) -> None:
    """Paste or drop files into the composer: name, type by the name, bytes."""
    page.evaluate(
        HAND_OVER, [how, [[name, kind, base64.b64encode(data).decode()] for name, kind, data in files]]
    )


def to_files(page: Page) -> None:
    page.get_by_role("link", name=re.compile("^Studio")).click()
    page.get_by_role("navigation", name="Sections of the studio").get_by_role("link", name="Files").click()


def test_a_file_is_attached_worked_on_downloaded_and_taken_back(
    stack: Stack, new_page: NewPage, screenshots: Path
) -> None:
    watched = new_page(stack.url)
    page, chat = watched.page, ChatPage(watched.page, screenshots)
    chat.open(stack.link)
    page.get_by_label("Files to attach").set_input_files(
        {"name": "tea.csv", "mimeType": "text/csv", "buffer": CSV}
    )
    expect(page.get_by_role("list", name="Files to send")).to_contain_text("tea.csv")
    chat.say("make a report")
    expect(chat.answers.filter(has_text="Here is your report.")).to_be_visible()
    expect(chat.said.get_by_role("link", name=re.compile("tea.csv"))).to_be_visible()
    expect(page.get_by_role("list", name="Files made")).to_have_count(4)
    expect(page.locator(".tool-failed")).to_have_count(0)
    chat.shot("files made in a chat")

    book = openpyxl.load_workbook(io.BytesIO(downloaded(page, "tea.xlsx"))).active
    assert book is not None
    assert [[cell.value for cell in row] for row in book.iter_rows()] == ROWS
    assert (book["B3"].number_format, book["B3"].font.bold, book.auto_filter.ref) == ("0.00", True, "A1:B4")
    [sheet] = pypdf.PdfReader(io.BytesIO(downloaded(page, "tea.pdf"))).pages
    assert "Darjeeling" in sheet.extract_text()
    with Image.open(io.BytesIO(downloaded(page, "tea.jpg"))) as picture:
        assert (picture.format, picture.size) == ("JPEG", (200, 100))
    assert downloaded(page, "tea.csv") == CSV

    session = chat.session_id
    to_files(page)
    every = page.get_by_role("region", name="Files").get_by_role("listitem")
    listed = every.filter(has_text=re.compile(r"^tea\."))  # others of the agent may be there
    expect(listed).to_have_count(5)
    page.get_by_role("link", name=re.compile("^tea.csv")).click()
    shown = page.get_by_role("article", name="File")
    expect(shown.get_by_text("Darjeeling,6")).to_be_visible()
    chat.shot("a file in the studio")
    shown.get_by_role("button", name=re.compile("Give to all chats")).click()
    expect(shown.get_by_text("for all chats")).to_be_visible()

    page.goto(f"{stack.url}/#/s/{session}")
    chat.said.last.get_by_role("button", name=re.compile("^More about")).click()
    page.get_by_role("button", name=re.compile("^Rewind to before")).click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("group", name="Its files")).to_contain_text("tea.xlsx removed")
    chat.shot("files in a rewind")
    dialog.get_by_role("button", name="Rewind", exact=True).click()
    expect(dialog).to_be_hidden()
    to_files(page)
    expect(listed).to_have_count(1)
    assert watched.complaints == []


def test_pictures_are_seen_before_and_after_they_are_sent_and_never_run(
    stack: Stack, new_page: NewPage, screenshots: Path
) -> None:
    watched = new_page(stack.url)
    page, chat = watched.page, ChatPage(watched.page, screenshots)
    chat.open(stack.link)
    chat.say("hello")
    chat.settled()
    page.get_by_label("Files to attach").set_input_files(
        {"name": "chosen.png", "mimeType": "image/png", "buffer": PICTURE}
    )
    hand_over(page, "paste", ("image.png", "image/png", PICTURE))
    hand_over(
        page,
        "drop",
        ("dropped.png", "image/png", PICTURE),
        ("huge.png", "image/png", png(24_000, 24_000)),
        ("drawing.svg", "image/svg+xml", SVG),
        ("page.png", "image/png", PAGE),
    )
    cards = page.get_by_role("list", name="Files to send").get_by_role("listitem")
    expect(cards).to_have_count(6)
    expect(cards.filter(has_text="uploading")).to_have_count(0)
    shown = re.compile(r"^(chosen|image-[-\d]+|dropped)\.png")
    expect(cards.filter(has_text=shown).locator("img:not(.is-unseen)")).to_have_count(3)
    expect(cards.locator("img")).to_have_count(3)
    chat.shot("pictures to send")
    # After a reload they come from where they are now.
    page.reload()
    expect(cards.filter(has_text=shown).locator("img:not(.is-unseen)")).to_have_count(3)
    expect(cards.locator("img")).to_have_count(3)

    chat.say("what is in these?")
    chat.settled()
    sent = chat.said.last.get_by_role("list", name="Files").get_by_role("listitem")
    expect(sent).to_have_count(6)
    pictures = sent.filter(has_text=shown).locator("img:not(.is-unseen)")
    expect(pictures).to_have_count(3)
    expect(sent.locator("img")).to_have_count(3)
    assert pictures.first.evaluate("img => [img.naturalWidth, img.naturalHeight]") == [64, 48]
    chat.shot("pictures sent")
    for one in ("drawing.svg", "page.png", "chosen.png"):
        link = sent.get_by_role("link", name=re.compile(re.escape(one))).evaluate("one => one.href")
        headers = page.request.get(link).headers
        assert headers["content-disposition"].startswith("attachment")
        assert headers["content-security-policy"] == "sandbox; default-src 'none'"
        assert headers["x-content-type-options"] == "nosniff"
    assert page.evaluate("window.ran") is None
    page.set_viewport_size({"width": 390, "height": 800})
    chat.shot("pictures-sent-390")

    # Said in other words, with the same files: the fork has them as its own.
    first = chat.session_id
    chat.said.last.get_by_role("button", name="Edit", exact=True).click()
    editing = page.get_by_role("form", name="Edit the message")
    expect(editing.get_by_role("list", name="Files").get_by_role("listitem")).to_have_count(6)
    write(editing.get_by_role("textbox"), "in other words")
    editing.get_by_role("textbox").press("Enter")
    expect(chat.answers.last).to_contain_text("Seen again.")
    assert chat.session_id != first
    expect(page.get_by_role("group", name="Variant 2 of 2")).to_be_visible()
    expect(sent).to_have_count(6)
    expect(pictures).to_have_count(3)
    assert downloaded(page, "dropped.png") == PICTURE
    # What may be said without words may be said so again, and once more from there.
    chat.settled()
    chat.said.last.get_by_role("button", name="Edit", exact=True).click()
    write(editing.get_by_role("textbox"), "")
    editing.get_by_role("button", name="Send").click()
    expect(page.get_by_role("group", name="Variant 3 of 3")).to_be_visible()
    expect(sent).to_have_count(6)
    assert downloaded(page, "chosen.png") == PICTURE
    assert watched.complaints == []
