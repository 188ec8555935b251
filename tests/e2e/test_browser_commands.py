"""Commands as a person meets them: allowed in the chat, and seen afterwards in the studio, in *What ran*."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from foldline_testing.product.browser import WatchedPage
from foldline_testing.product.chat_page import ChatPage
from foldline_testing.product.looks import DESKTOP, PHONE, Look, Looks
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.replaying import every_session_replays
from foldline_testing.product.stack import Stack
from foldline_testing.product.studio_page import opened
from foldline_testing.product.typing import write

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

NewPage = Callable[..., WatchedPage]
TABLET = 768
LOOKS: list[Look] = [
    *((PHONE, scheme) for scheme in ("light", "dark")),
    *((TABLET, scheme) for scheme in ("light", "dark")),
    *((DESKTOP, scheme) for scheme in ("light", "dark")),
]
FIRST = "echo tea > kept.txt; echo no > gone.txt"
SECOND = "cat kept.txt; echo milk >> kept.txt; rm gone.txt; echo cup > made.txt; exit 3"
ENDLESS = "echo begun > begun.txt; sleep 300"


def runs(said: str, command: str, **more: Any) -> dict[str, Any]:
    call = {"name": "run_command", "arguments": {"command": command, **more}}
    return {"when": {"user_contains": said}, "turns": [{"tool_calls": [call]}, {"text": "That was it."}]}


SCRIPT = {
    "rules": [
        runs("lay the table", FIRST),
        runs("change it", SECOND),
        runs("wait", ENDLESS, timeout_s=2),
    ]
}


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    with (
        ModelServer(SCRIPT) as model,
        Stack(tmp_path_factory.mktemp("commands"), env=model.environment()) as started,
    ):
        yield started
        every_session_replays(started)


def ran(chat: ChatPage, message: str, command: str) -> None:
    """Say it; the card shows the command as it is typed, and nothing runs before the yes."""
    chat.say(message)
    card = chat.page.get_by_role("article", name="Allow this command?")
    expect(card.get_by_role("group", name="Exactly what runs")).to_have_text(command)
    card.get_by_role("button", name="Allow once", exact=True).click()
    expect(card).to_have_count(0)
    expect(chat.answers.last).to_contain_text("That was it.")
    chat.settled()


def listed(page: Page, command: str) -> Any:
    """The command's item."""
    return page.get_by_role("listitem").filter(has=page.get_by_text(command, exact=True))


def test_what_ran_is_listed_with_its_files_its_end_and_its_chat(
    own: Stack, new_page: NewPage, screenshots: Path, axe: Path
) -> None:
    watched = new_page(own.url)
    chat = ChatPage(watched.page, screenshots)
    chat.open(own.link)
    page = chat.page
    for message, command in (("lay the table", FIRST), ("change it", SECOND), ("wait", ENDLESS)):
        ran(chat, message, command)
    session = chat.session_id

    opened(own, page, "default", "commands")
    expect(page.get_by_role("region", name="What ran")).to_be_visible()
    changed = listed(page, SECOND)
    expect(changed).to_contain_text("Ended · exit code 3")
    changed.get_by_text("files of the workspace").click()
    for words in ("Changed kept.txt", "Deleted gone.txt", "Made made.txt"):
        expect(changed.get_by_role("listitem").filter(has_text=words)).to_have_count(1)
    late = listed(page, ENDLESS)
    expect(late).to_contain_text("Took too long")
    expect(late).to_contain_text("run_command")
    late.get_by_text("1 file of the workspace").click()
    expect(late.get_by_role("listitem").filter(has_text="Made begun.txt")).to_have_count(1)
    expect(late.get_by_role("link")).to_have_attribute("href", re.compile(f"/{session}/"))
    Looks(page, LOOKS, screenshots, axe).check("studio-what-ran")

    # Filters say what they leave: how it ended, a part of the command, of a file's path.
    ended = page.get_by_role("combobox", name="How it ended")
    ended.select_option(label="Took too long")
    expect(listed(page, SECOND)).to_have_count(0)
    expect(listed(page, ENDLESS)).to_have_count(1)
    ended.select_option(label="However it ended")
    write(page.get_by_role("searchbox", name="A part of a file's path"), "gone")
    page.get_by_role("button", name="Find").click()
    expect(listed(page, ENDLESS)).to_have_count(0)
    expect(listed(page, FIRST)).to_have_count(1)
    expect(listed(page, SECOND)).to_have_count(1)
    write(page.get_by_role("searchbox", name="A part of a file's path"), "nowhere")
    page.get_by_role("button", name="Find").click()
    expect(page.get_by_text("Nothing fits.")).to_be_visible()
    assert watched.complaints == []
