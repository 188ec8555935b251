"""PDFs as a person has them made: a report with a table and a picture, and a form filled in."""

import io
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from pypdf import PdfReader

from foldline.cli.client import Gateway
from foldline_testing.product.command import Command
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.reading import messages
from foldline_testing.product.stack import Stack
from foldline_testing.tool_runner.pdf_samples import form_pdf, png_of

REPORT = {
    "path": "report.pdf",
    "blocks": [
        {"heading": "Prices"},
        {"table": [["What", "Price"], ["Tea", 1.5], ["Café", 20]]},
        {"image": "logo.png", "width": 100},
    ],
}
FORM = {"path": "form.pdf", "values": {"name": "Ann", "agreed": True}, "output_path": "filled.pdf"}
CALLS = (
    ("pdf_add_page", REPORT),
    ("pdf_fill_form", FORM),
    ("pdf_merge", {"files": ["report.pdf", "filled.pdf"], "output_path": "all.pdf"}),
    ("pdf_extract_text", {"path": "all.pdf"}),
    ("pdf_page_to_image", {"path": "all.pdf", "page": 1, "output_path": "page.png"}),
)
SCRIPT = {
    "rules": [
        {"when": {"user_contains": "page 1 of all.pdf"}, "reply": {"text": "Done."}},
        {
            "turns": [
                *({"tool_calls": [{"name": name, "arguments": given}]} for name, given in CALLS),
                {"text": "Done."},
            ],
        },
    ]
}


@pytest.fixture
def foldline(stack: Stack, tmp_path: Path) -> Command:
    """The command, in an empty folder."""
    return Command(stack.data_dir, tmp_path)


def test_a_report_and_a_filled_form_are_made_and_downloaded(
    foldline: Command, door: Gateway, model: ModelServer, tmp_path: Path
) -> None:
    (tmp_path / "logo.png").write_bytes(png_of())
    (tmp_path / "form.pdf").write_bytes(form_pdf())
    sent = foldline("send", "Make it", "--file", "logo.png", "--file", "form.pdf", "--json")
    assert (sent.code, sent.json["answer"]) == (0, "Done."), sent.err
    session = sent.json["session_id"]
    calls: list[dict[str, Any]] = [
        call for message in messages(door, session) for call in message["tool_calls"]
    ]
    assert [(call["tool"], call["status"]) for call in calls] == [(name, "completed") for name, _ in CALLS]

    for name in ("all.pdf", "page.png"):
        assert foldline("files", "get", name, "--session", session).code == 0
    data = (tmp_path / "all.pdf").read_bytes()
    reader = PdfReader(io.BytesIO(data))
    assert len(reader.pages) == 3
    assert len(reader.pages[0].images) == 1
    fields = reader.get_fields() or {}
    assert (fields["name"].value, fields["agreed"].value) == ("Ann", "/Yes")
    with pypdfium2.PdfDocument(data) as document:
        assert "Café 20" in document[0].get_textpage().get_text_bounded()
    assert (tmp_path / "page.png").read_bytes().startswith(b"\x89PNG")

    last = next(one for one in reversed(model.recording.requests) if len(one.messages) > 2 * len(CALLS))
    shown = [str(one["content"]) for one in last.messages if one["role"] == "tool"]
    framed = [one.startswith('<outside from="file') for one in shown]
    assert framed == [True] * len(CALLS), "each worked on what came from outside, or on what was made of it"
