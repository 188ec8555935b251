"""The studio's room of scheduled tasks: made by the form, steered, run, and followed to the chat it began."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from foldline.cli.client import Gateway
from foldline_testing.product.browser import WatchedPage
from foldline_testing.product.looks import Looks
from foldline_testing.product.stack import Stack
from foldline_testing.product.typing import write

pytestmark = pytest.mark.browser

NewPage = Callable[..., WatchedPage]

AGENT = "planner"
SCRIPT = {"rules": [{"when": {"user_contains": "news"}, "reply": {"text": "Nothing is new."}}]}
_MOMENT = r"1 Jan \d{4}, 07:30"


def opened(stack: Stack, page: Page) -> None:
    page.goto(stack.link)
    page.get_by_role("link", name=re.compile("^Studio")).click()
    page.goto(f"{stack.url}/#/studio/{AGENT}/schedules")
    expect(page.get_by_text("No tasks yet.")).to_be_visible()


def test_a_task_is_made_paused_run_followed_and_edited(
    stack: Stack, door: Gateway, new_page: NewPage, screenshots: Path, axe: Path
) -> None:
    door.post("/agents", {"id": AGENT, "name": "Planner", "starters": False})
    watched = new_page(stack.url)
    page = watched.page
    looks = Looks(page, [(390, "light"), (390, "dark"), (1280, "light"), (1280, "dark")], screenshots, axe)
    opened(stack, page)

    # The next times are those of what is written, and a wrong expression is named, before anything is saved.
    page.get_by_role("button", name="New task").click()
    form = page.get_by_role("form", name="New scheduled task")
    write(form.get_by_label("Name"), "The news of the year")
    write(form.get_by_label("Task", exact=True), "tell me the news")
    write(form.get_by_label("Timezone"), "Asia/Kathmandu")
    cron = form.get_by_label("When (cron)")
    write(cron, "0 25 * * *")
    expect(form.get_by_role("alert")).to_contain_text("hour")
    expect(cron).to_have_attribute("aria-invalid", "true")
    watched.forgive("422")
    form.get_by_role("button", name="Save").click()
    expect(form.get_by_role("button", name="Save")).to_be_enabled()
    expect(form.get_by_role("alert")).to_contain_text("hour")
    assert door.get(f"/agents/{AGENT}/schedules")["items"] == []
    watched.forgive("422")
    looks.check("schedules-wrong")
    write(cron, "30 7 1 1 *")
    coming = form.get_by_role("region", name="Next times").get_by_role("listitem")
    expect(coming).to_have_count(5)
    expect(coming.first).to_have_text(re.compile(_MOMENT))
    expect(form.get_by_role("alert")).to_have_count(0)
    looks.check("schedules-new")
    form.get_by_role("button", name="Save").click()

    # It is shown as it was stored, and is paused and let go on.
    task = page.get_by_role("article", name="Scheduled task")
    expect(task.get_by_role("heading", name="The news of the year")).to_be_visible()
    [made] = door.get(f"/agents/{AGENT}/schedules")["items"]
    assert (made["cron"], made["timezone"], made["enabled"]) == ("30 7 1 1 *", "Asia/Kathmandu", True)
    next_times = task.get_by_role("region", name="Next times")
    expect(next_times.get_by_text(re.compile(_MOMENT))).to_have_count(5)
    task.get_by_role("button", name="Pause").click()
    expect(task.get_by_text("paused", exact=True)).to_be_visible()
    expect(next_times).to_have_count(0)
    assert door.get(f"/agents/{AGENT}/schedules/{made['id']}")["enabled"] is False
    task.get_by_role("button", name="Resume").click()
    expect(task.get_by_text("paused", exact=True)).to_have_count(0)
    expect(next_times).to_be_visible()

    # Run by hand: its row comes to its end by itself, and leads to the chat.
    task.get_by_role("button", name="Run now").click()
    run = task.get_by_role("region", name="Runs").get_by_role("listitem")
    expect(run).to_have_count(1)
    expect(run).to_contain_text("Succeeded", timeout=30_000)
    expect(run).to_contain_text("by hand")
    looks.check("schedules-task")
    [ran] = door.get(f"/agents/{AGENT}/schedules/{made['id']}/runs")["items"]
    run.get_by_role("link").click()
    expect(page).to_have_url(re.compile(rf"#/s/{re.escape(ran['session_id'])}$"))
    expect(page.get_by_text("Nothing is new.", exact=True)).to_be_visible()

    # Edited, it is another version; the list says when it runs now.
    page.goto(f"{stack.url}/#/studio/{AGENT}/schedules/{made['id']}")
    task.get_by_role("button", name="Edit").click()
    form = page.get_by_role("form", name="Edit The news of the year")
    expect(form.get_by_label("When (cron)")).to_have_value("30 7 1 1 *")
    write(form.get_by_label("Name"), "The news of the day")
    write(form.get_by_label("When (cron)"), "0 6 * * mon-fri")
    looks.check("schedules-edit")
    form.get_by_role("button", name="Save").click()
    expect(task.get_by_role("heading", name="The news of the day")).to_be_visible()
    changed = door.get(f"/agents/{AGENT}/schedules/{made['id']}")
    assert (changed["name"], changed["cron"]) == ("The news of the day", "0 6 * * MON-FRI")
    assert changed["version"] > made["version"]
    task.get_by_role("link", name="All tasks and reminders").click()
    row = page.get_by_role("region", name="Scheduled tasks").get_by_role("listitem")
    expect(row).to_contain_text("At 06:00 on Monday through Friday (Asia/Kathmandu)")
    expect(row).to_contain_text("Last: succeeded")
    looks.check("schedules")
