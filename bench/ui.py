"""The web UI in Chromium, beside a whole Foldline: how long a person waits for what is on the screen.

Times are of the page's own clock, from what a person does until it is drawn. `longest task` is the longest
time for which the page could not answer (the Long Tasks API, which tells of 50 ms and more); what of it is
the page's own is its processor time, by Chromium's trace.
"""

import asyncio
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, expect

from agent_contracts.ids import SessionId
from bench.conversation import Conversation
from bench.log_server import fill, log_server
from bench.markdown_answer import markdown_answer
from bench.page_tasks import processor_times, traced
from bench.sampling import median, percentile
from bench.scripted_model import scripted_model
from bench.table import Figure, at_most
from foldline_testing.product.browser import WatchedPage, chromium
from foldline_testing.product.stack import Stack
from foldline_testing.product.typing import write

GROUP = "ui"
_LONG = SessionId("s_long")
_PATIENCE_MS = 120_000
_END = "This is the end of it."
_FLOOD = """export default function Flood() {
  const flood = () => setInterval(() => {
    for (let n = 0; n < 100; n += 1) parent.postMessage('{"kind":"alive"}', "*");
  }, 10);
  return <Button onClick={flood}>Flood</Button>;
}
"""
_TASKS = """() => {
  window.tasks = [];
  new PerformanceObserver((list) => {
    for (const { duration, startTime } of list.getEntries()) window.tasks.push([duration, startTime]);
  }).observe({ type: "longtask" });
}"""
_DRAWN = """const drawn = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
const until = async (met) => { while (!met()) await drawn(); };
"""
_OPEN = f"""async ([address, words]) => {{
  {_DRAWN}
  const began = performance.now();
  location.hash = address;
  await until(() => document.querySelector(".transcript")?.innerText.includes(words));
  await drawn();
  return performance.now() - began;
}}"""
_SCRUB = f"""async ([stops, keys]) => {{
  {_DRAWN}
  const slider = document.querySelector("[role=slider]");
  const panel = () => document.querySelector("#moment-panel");
  const times = [];
  for (let stop = 0; stop < stops; stop += 1) {{
    const began = performance.now();
    const moved = new Promise((heard) => addEventListener("hashchange", heard, {{ once: true }}));
    slider.dispatchEvent(new KeyboardEvent("keydown", {{ key: keys, bubbles: true }}));
    await moved;  // The page heard it first, and began to read.
    await until(() => panel()?.getAttribute("aria-busy") === "false");
    times.push(performance.now() - began);
  }}
  return times;
}}"""
# The page looks for itself: Playwright's own look at what is on it takes longer than what is measured.
_ANSWERED = """async (words) => {
  const until = async (met) => { while (!met()) await new Promise((done) => setTimeout(done, 100)); };
  await until(() => document.querySelector(".is-live"));
  const began = performance.now();
  const last = () => document.querySelector(".message-agent:not(.is-live)")?.lastElementChild;
  await until(() => last()?.previousElementSibling?.lastElementChild?.textContent.includes(words));
  await new Promise((done) => setTimeout(done, 1000));
  const seconds = (performance.now() - began) / 1000;
  const tasks = window.tasks.filter(([, start]) => start > began).map(([duration]) => duration);
  return { seconds, tasks };
}"""
_ANSWERS = """async () => {
  // How late a click is answered, at any time until the flood is stopped and a second beyond.
  window.late = [];
  window.stoppedAfter = null;
  const began = performance.now();
  const channel = new MessageChannel();
  let asked = performance.now();
  channel.port1.onmessage = () => {
    const now = performance.now();
    window.late.push(now - asked);
    const stopped = [...document.querySelectorAll("[role=alert]")]
      .some((one) => one.innerText.includes("was stopped"));
    if (stopped) window.stoppedAfter ??= now - began;
    setTimeout(() => { asked = performance.now(); channel.port2.postMessage(0); }, 5);
  };
  channel.port2.postMessage(0);
}"""

_STOPPED = f"""async () => {{
  {_DRAWN}
  await until(() => window.stoppedAfter !== null);
}}"""


async def measure(folder: Path, *, events: int, stops: int, sections: int, rounds: int) -> list[Figure]:
    """One session of so many events, and an answer of so many sections that is streamed."""
    data = folder / "data"
    async with log_server(data / "nats") as connection:
        story = Conversation(_LONG)
        story.grow(events)
        last = await fill(connection, 0, story.end(_END))
    script = {
        "rules": [
            {"when": {"user_contains": "flood"}, "turns": [_shown(_FLOOD), {"text": "Over."}]},
            {
                "reply": {
                    "text": markdown_answer(sections) + f"\n{_END}",
                    "pace": {"size": 40, "delay": 0.004},
                }
            },
        ]
    }
    with scripted_model(folder, script) as model:
        stack = Stack(data, env=model, python=sys.executable)
        await asyncio.to_thread(stack.start)
        try:
            return await asyncio.to_thread(_in_browser, stack, last, stops, rounds, folder)
        finally:
            await asyncio.to_thread(stack.stop)


def _in_browser(stack: Stack, last: int, stops: int, rounds: int, folder: Path) -> list[Figure]:
    expect.set_options(timeout=_PATIENCE_MS)
    with chromium() as browser:
        watched = WatchedPage(browser, stack.url, width=1440)
        page = watched.page
        page.goto(stack.link)
        expect(page.get_by_role("textbox", name="Message", exact=True)).to_be_visible()
        with stack.gateway() as door:
            while int(door.get(f"/sessions/{_LONG}")["last_sequence"]) < last:
                time.sleep(0.5)  # the tables read what was there before the start
        figures = [
            *_opening(page, stack.url, rounds, last),
            *_scrubbing(page, stops),
            *_streaming(browser, page, folder / "trace.json"),
            *_flooded(page),
        ]
        watched.close()
        return figures


def _opening(page: Page, home: str, rounds: int, events: int) -> list[Figure]:
    warm = []
    for _ in range(rounds):
        warm.append(float(page.evaluate(_OPEN, [f"#/s/{_LONG}", _END])))
        page.goto(f"{home}/#/")
        expect(page.get_by_role("heading", name="Foldline")).to_be_visible()
    return [Figure(GROUP, "a session opened p50", median(warm), "ms", at_most(1_000), f"{events:,} events")]


def _scrubbing(page: Page, stops: int) -> list[Figure]:
    page.evaluate("hash => { location.hash = hash }", f"#/s/{_LONG}/history")
    slider = page.get_by_role("slider", name="The moment shown")
    expect(slider).to_have_attribute("aria-valuetext", "Now")
    expect(slider).not_to_have_attribute("aria-valuemax", "0")
    expect(page.locator("#moment-panel[aria-busy=false]")).to_be_visible()
    page.evaluate(_SCRUB, [5, "ArrowLeft"])
    times = [float(one) for one in page.evaluate(_SCRUB, [stops, "ArrowLeft"])]
    note = f"{stops:,} stops of one event; 40 ms of each is the rest before anything is read"
    return [
        Figure(GROUP, "a stop of the scrubber p50", median(times), "ms", at_most(100), note),
        Figure(GROUP, "a stop of the scrubber p95", percentile(times, 0.95), "ms"),
    ]


def _streaming(browser: Browser, page: Page, trace: Path) -> list[Figure]:
    page.evaluate("location.hash = '#/'")
    composer = page.get_by_role("textbox", name="Message", exact=True)
    expect(page.get_by_role("heading", name="Foldline")).to_be_visible()
    with traced(browser, page, trace):
        page.evaluate(_TASKS)
        write(composer, "tell me all")
        composer.press("Enter")
        found: dict[str, Any] = page.evaluate(_ANSWERED, _END)
    tasks, taken = [float(one) for one in found["tasks"]], processor_times(trace)
    length = int(page.evaluate("document.querySelector('.transcript').innerText.length"))
    note = f"{length:,} characters on the screen, {found['seconds']:.0f} s"
    return [
        Figure(
            GROUP,
            "streaming: longest task, processor time",
            max(taken, default=0.0),
            "ms",
            at_most(100),
            note,
        ),
        Figure(GROUP, "streaming: tasks over 100 ms of it", sum(one > 100 for one in taken), "", at_most(0)),
        Figure(
            GROUP, "streaming: longest task", max(tasks, default=0.0), "ms", None, "others' work is in it"
        ),
    ]


def _flooded(page: Page) -> list[Figure]:
    page.evaluate("location.hash = '#/'")
    composer = page.get_by_role("textbox", name="Message", exact=True)
    expect(page.get_by_role("heading", name="Foldline")).to_be_visible()
    write(composer, "flood")
    composer.press("Enter")
    button = page.frame_locator("iframe").get_by_role("button", name="Flood")
    expect(button).to_be_visible()
    page.wait_for_timeout(1_000)
    page.evaluate(_ANSWERS)
    button.click()
    page.evaluate(_STOPPED)
    page.wait_for_timeout(1_000)
    found: dict[str, Any] = page.evaluate("({ late: window.late, stopped: window.stoppedAfter })")
    late = [float(one) for one in found["late"]]
    return [
        Figure(GROUP, "10,000 messages a second from a frame: stopped after", float(found["stopped"]), "ms"),
        Figure(GROUP, "the shell answers meanwhile, at the latest", max(late), "ms", at_most(100)),
    ]


def _shown(code: str) -> Mapping[str, Any]:
    return {"tool_calls": [{"name": "render_and_wait", "arguments": {"code": code}}]}
