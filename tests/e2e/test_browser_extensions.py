"""What extensions add, as a person sees it: a block in the chat, a condition of a rule, what is installed."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from foldline_testing.product.browser import WatchedPage
from foldline_testing.product.chat_page import ChatPage
from foldline_testing.product.installed_extension import install_example
from foldline_testing.product.looks import Looks
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.stack import Stack

pytestmark = pytest.mark.browser

NewPage = Callable[..., WatchedPage]
GAUGE = {"type": "gauge", "label": "Disk", "percent": 40}
NOTE = {"type": "markdown", "content": "How full it is:"}
CALL = {"tool_calls": [{"name": "render_blocks", "arguments": {"blocks": [NOTE, GAUGE]}}]}
SCRIPT = {"rules": [{"turns": [CALL, {"text": "Done."}]}]}


def test_a_block_is_drawn_in_a_frame_and_the_studio_knows_what_is_installed(
    new_page: NewPage, tmp_path: Path, screenshots: Path, axe: Path
) -> None:
    site = tmp_path / "site"
    env = [install_example(kind, site / kind)["PYTHONPATH"] for kind in ("block", "condition")]
    with (
        ModelServer(SCRIPT) as model,
        Stack(tmp_path / "data", env=model.environment() | {"PYTHONPATH": ":".join(env)}) as stack,
    ):
        chat = ChatPage(new_page(stack.url).page, screenshots)
        chat.open(stack.link)
        chat.say("show the disk")
        page = chat.page
        frame = page.frame_locator(".block-frame iframe")
        expect(frame.get_by_role("progressbar", name="Disk")).to_be_visible()
        expect(frame.get_by_text("40 %")).to_be_visible()
        Looks(page, [(390, "light"), (1200, "dark")], screenshots, axe).check("block-of-an-extension")
        page.get_by_role("button", name="Done", exact=True).click()
        expect(page.get_by_text("Dismissed.")).to_be_visible()

        page.goto(f"{stack.url}/#/studio/default/packs")
        extensions = page.get_by_role("region", name="Extensions")
        expect(extensions.get_by_role("listitem")).to_have_text(
            ["language (condition, foldline-language 1.0)", "gauge (block, foldline-gauge 1.0)"]
        )
