"""What a page's main thread is busy with, by Chromium's own trace."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page

_CATEGORIES = ["toplevel", "devtools.timeline"]
_MAIN = "CrRendererMain"
_TASK = ("RunTask", "ThreadControllerImpl::RunTask")


@contextmanager
def traced(browser: Browser, page: Page, file: Path) -> Iterator[None]:
    """Writes to the file what the browser does meanwhile."""
    browser.start_tracing(page=page, path=file, categories=_CATEGORIES)
    try:
        yield
    finally:
        browser.stop_tracing()


def processor_times(file: Path) -> list[float]:
    """Processor time (ms) of each task of the busiest page: what others do on the machine is not in it."""
    events: list[dict[str, Any]] = json.loads(file.read_bytes())["traceEvents"]
    mains = {
        (event["pid"], event["tid"])
        for event in events
        if event["name"] == "thread_name" and event["args"]["name"] == _MAIN
    }
    taken: dict[tuple[int, int], list[float]] = {main: [] for main in mains}
    for event in events:
        if event["name"] in _TASK and (event["pid"], event["tid"]) in taken:
            taken[event["pid"], event["tid"]].append(event.get("tdur", 0) / 1000)
    return max(taken.values(), key=sum, default=[])
