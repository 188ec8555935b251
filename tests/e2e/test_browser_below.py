"""The whole UI behind a reverse proxy that has put it below a path: nothing is asked for outside of it."""

import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from foldline_testing.gateway.proxy import below
from foldline_testing.product.browser import WatchedPage
from foldline_testing.product.chat_page import ChatPage
from foldline_testing.product.stack import Stack

pytestmark = pytest.mark.browser

NewPage = Callable[..., WatchedPage]


def test_one_logs_in_chats_and_looks_around_below_a_path(
    stack: Stack, new_page: NewPage, screenshots: Path
) -> None:
    with below(stack.url, "/foldline") as home:
        # What a page asks of another address is a complaint, and the test fails.
        watched = new_page(home)
        chat = ChatPage(watched.page, screenshots)
        chat.open(f"{home}login?{urlsplit(stack.link).query}")
        assert watched.page.url.startswith(home)
        chat.say("hello")
        expect(chat.answers).to_have_text(re.compile("You said: hello"))
        watched.page.reload()
        expect(chat.answers).to_have_text(re.compile("You said: hello"))
        watched.page.get_by_role("link", name=re.compile("^Studio")).click()
        expect(watched.page.get_by_text("Live", exact=True)).to_be_attached()
        assert watched.page.url.startswith(f"{home}#/studio/")
        watched.close()
