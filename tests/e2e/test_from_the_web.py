"""From a question to a workbook: the agent searches the web, reads a page, downloads data and works on it."""

import io
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import msgspec
import openpyxl
import pytest

from foldline.cli.client import Gateway
from foldline.cli.sessions.turns import ChatTurn
from foldline_testing.product.command import Command
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.reading import messages
from foldline_testing.product.stack import Stack

CSV = "tea,price\nAssam,4.5\nDarjeeling,6\n"
PAGE = """<html><head><title>Tea prices</title></head><body><article><h1>Tea prices</h1>
<p>The prices of tea are published each month, and Darjeeling costs more than Assam this time.</p>
<p>All of them, for programs, are at HOME/tea.csv from the first of each month on.</p>
</article></body></html>"""


class Web(BaseHTTPRequestHandler):
    """A SearXNG that knows one page, that page, and its data."""

    def do_GET(self) -> None:
        """Answer."""
        home = f"http://{self.headers['Host']}"
        found = {"title": "Tea prices", "url": f"{home}/tea.html", "content": "What tea costs"}
        kind, text = {
            "/search": ("application/json", msgspec.json.encode({"results": [found]}).decode()),
            "/tea.html": ("text/html; charset=utf-8", PAGE.replace("HOME", home)),
            "/tea.csv": ("text/csv", CSV),
        }[self.path.partition("?")[0]]
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def web() -> Iterator[str]:
    """Where it answers."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Web) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


def script(home: str) -> dict[str, Any]:
    rows = [["tea", "price"], ["Assam", 4.5], ["Darjeeling", 6], ["sum", "=SUM(B2:B3)"]]
    calls = (
        ("web_search", {"query": "tea prices"}),
        ("web_read", {"url": f"http://{home}/tea.html"}),
        ("file_download", {"url": f"http://{home}/tea.csv"}),
        ("spreadsheet_read_range", {"path": "tea.csv"}),
        ("spreadsheet_write_range", {"path": "tea.xlsx", "values": rows}),
        ("file_search", {"query": "darjeeling", "ignore_case": True}),
    )
    turns = [{"tool_calls": [{"name": name, "arguments": given}]} for name, given in calls]
    return {"rules": [{"turns": [*turns, {"text": "Done."}]}]}


def test_what_was_found_on_the_web_becomes_a_workbook(web: str, tmp_path: Path) -> None:
    own = {"FOLDLINE_SEARXNG_URL": f"http://{web}", "FOLDLINE_EGRESS_PRIVATE_HOSTS": web}
    with ModelServer(script(web)) as model:
        env = model.environment() | own
        with Stack(tmp_path / "data", env=env) as stack, stack.gateway() as door:
            session = asked(door)
            calls = {call["tool"]: call for one in messages(door, session) for call in one["tool_calls"]}
            assert {tool: call["error"] for tool, call in calls.items() if call["error"]} == {}
            assert calls["web_search"]["result"]["results"][0]["url"] == f"http://{web}/tea.html"
            assert "Darjeeling costs more" in calls["web_read"]["result"]["content"]
            assert calls["spreadsheet_read_range"]["result"]["rows"][2] == ["Darjeeling", 6]
            found = {match["path"] for match in calls["file_search"]["result"]["matches"]}
            assert found == {"tea.csv", "tea.xlsx"}
            got = Command(stack.data_dir, tmp_path)("files", "get", "tea.xlsx", "--to", "tea.xlsx")
            assert got.code == 0, got.err
    sheet = openpyxl.load_workbook(io.BytesIO((tmp_path / "tea.xlsx").read_bytes())).active
    assert sheet is not None
    assert [cell.value for cell in sheet["B"]] == ["price", 4.5, 6, "=SUM(B2:B3)"]


def asked(door: Gateway) -> str:
    turn = ChatTurn(door, None)
    turn.say("What does tea cost?")
    for _ in turn.pieces():
        pass
    assert turn.answer == "Done."
    return turn.session_id
