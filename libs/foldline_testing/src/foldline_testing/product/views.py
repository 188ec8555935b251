"""Views on the real stack, one after another: each is checked, and kept as pictures if wanted."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

from foldline.cli.client import Gateway
from foldline_testing.product.browser import WatchedPage
from foldline_testing.product.chat_page import ChatPage
from foldline_testing.product.looks import Look, Looks
from foldline_testing.product.stack import Stack

WIDTHS = (380, 1024, 1440)
EVERY: list[Look] = [(width, scheme) for width in WIDTHS for scheme in ("light", "dark")]
SOME: list[Look] = [(380, "dark"), (1440, "light")]
LOOKS = EVERY if os.environ.get("SCREENSHOTS") else SOME


def calls(*named: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    """A turn of the scripted model: it calls these tools."""
    return {"tool_calls": [{"name": name, "arguments": arguments} for name, arguments in named]}


def rule(words: str, *turns: dict[str, Any]) -> dict[str, Any]:
    """What the scripted model does, turn by turn, once the user said these words."""
    return {"when": {"user_contains": words}, "turns": list(turns)}


class Views:
    """Goes from view to view, and collects what is wrong with each."""

    def __init__(self, stack: Stack, watched: WatchedPage, screenshots: Path, axe: Path) -> None:
        folder = screenshots / "views"
        folder.mkdir(exist_ok=True)
        self.stack = stack
        self.page: Page = watched.page
        self.forgive = watched.forgive
        self.chat = ChatPage(self.page, folder)
        self.wrong: list[str] = []
        self._folder, self._axe = folder, axe

    def go(self, place: str) -> None:
        """Go to an address of the page."""
        self.page.goto(f"{self.stack.url}/#{place}")

    def look(self, view: str, looks: Sequence[Look] = LOOKS) -> None:
        """Keep a picture in every look; remember the faults, and go on."""
        try:
            Looks(self.page, looks, self._folder, self._axe).check(view)
        except AssertionError as fault:
            self.wrong.append(str(fault))
            self.page.set_viewport_size({"width": 1440, "height": 820})

    def begin(self, door: Gateway, agent: str, title: str) -> str:
        """A new chat of the agent, open."""
        session = str(door.post("/sessions", {"agent_id": agent, "title": title})["id"])
        self.go(f"/s/{session}")
        expect(self.chat.composer).to_be_visible()
        return session
