"""The web UI as a person uses it: by what is on the screen, not by how it is made."""

import re
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from foldline_testing.product.browser import keep_look
from foldline_testing.product.typing import write

_SESSION = re.compile(r"#/s/([A-Za-z0-9_-]+)")


class ChatPage:
    """One page with the UI open. `screenshots` is where `shot` keeps what it looks like."""

    def __init__(self, page: Page, screenshots: Path) -> None:
        self.page = page
        self._screenshots = screenshots

    @property
    def composer(self) -> Locator:
        """Where one writes."""
        return self.page.get_by_role("textbox", name="Message", exact=True)

    @property
    def working(self) -> Locator:
        """What tells that the agent can be stopped: it works, or waits for an answer."""
        return self.page.get_by_role("button", name="Stop", exact=True)

    @property
    def live(self) -> Locator:
        """The answer that is being written."""
        return self.page.get_by_role("article", name="Agent, still writing")

    @property
    def answers(self) -> Locator:
        """What the agent has said."""
        return self.page.get_by_role("article", name="Agent", exact=True)

    @property
    def said(self) -> Locator:
        """What the user has said, sent or not."""
        return self.page.get_by_role("article", name="You", exact=True)

    @property
    def cards(self) -> Locator:
        """Tool calls."""
        return self.page.locator(".tool")

    @property
    def session_id(self) -> str:
        """The open chat's session, by the address."""
        found = _SESSION.search(self.page.url)
        assert found, f"no chat is open at {self.page.url}"
        return found[1]

    def open(self, url: str) -> None:
        """Go there, and wait until one can write."""
        self.page.goto(url)
        expect(self.composer).to_be_visible()

    def say(self, text: str) -> None:
        """Write and press Enter."""
        write(self.composer, text)
        self.composer.press("Enter")
        expect(self.said.filter(has_text=text).last).to_be_visible()

    def settled(self) -> None:
        """Wait until the agent is neither working nor waiting."""
        expect(self.working).to_be_hidden()

    def transcript(self) -> list[str]:
        """Everything in the conversation, in order, as text."""
        texts = self.page.locator(".transcript-content > *").all_inner_texts()
        return [" ".join(text.split()) for text in texts if text.strip()]

    def shows(self, transcript: list[str]) -> None:
        """Wait until this is the conversation: what belongs to a message may come after its text."""
        gap = r"\s*"
        words = [gap.join(["^", *map(re.escape, text.split()), "$"]) for text in transcript]
        shown = self.page.locator(".transcript-content > *").filter(has_text=re.compile(r"\S"))
        expect(shown).to_have_text([re.compile(one) for one in words], use_inner_text=True)

    def shot(self, name: str) -> None:
        """Keep what it looks like now, where that is wanted."""
        keep_look(self.page, self._screenshots / f"{name}.png")
