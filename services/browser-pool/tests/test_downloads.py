"""Downloads of a context are bounded, by what Chromium tells of them."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from browser_pool.contexts.downloads import ContextDownloads
from browser_pool.limits import DOWNLOADS


class Told:
    """A DevTools session: keeps what it was sent."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, Any]] = []

    async def send(self, method: str, arguments: Any) -> None:
        self.sent.append((method, arguments["guid"]))


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def downloads(tmp_path: Path, told: Told, monkeypatch: pytest.MonkeyPatch) -> ContextDownloads:
    made = ContextDownloads(tmp_path)
    monkeypatch.setattr(made, "_session", told)
    return made


async def test_more_than_may_be_under_way_are_cancelled_and_said_once(
    downloads: ContextDownloads, told: Told
) -> None:
    for number in range(DOWNLOADS + 2):
        downloads._begins({"guid": f"g{number}", "suggestedFilename": f"{number}.txt", "url": "https://a/"})
    await asyncio.gather(*downloads._cancelling)
    assert downloads.count == DOWNLOADS
    assert told.sent == [("Browser.cancelDownload", f"g{DOWNLOADS + extra}") for extra in range(2)]
    assert downloads.notes == [f"more than {DOWNLOADS} downloads at a time"]


async def test_one_that_was_stored_makes_room_for_another(downloads: ContextDownloads, told: Told) -> None:
    for number in range(DOWNLOADS):
        downloads._begins({"guid": f"g{number}"})
    downloads._progress({"guid": "g0", "state": "completed", "receivedBytes": 1})
    downloads.forget(downloads.over()[0])
    downloads._begins({"guid": "later"})
    assert (downloads.count, told.sent) == (DOWNLOADS, [])
