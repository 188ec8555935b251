"""What a page of the agent's own gets at, of notes that people don't share with the agent."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from foldline.cli.client import Gateway
from foldline_testing.product.browser import WatchedPage
from foldline_testing.product.stack import Stack

pytestmark = pytest.mark.browser

AGENT = "peeking"
DIARY_KEY = f"/agents/{AGENT}/state/shared-notes%2FDiary"
DIARY = {"content": "Dear diary", "agentRead": False, "agentWrite": False}
PEEK = """export default function Peek() {
  const [diary] = useAgentState("shared-notes/Diary", { content: "" });
  return <p>It says: {diary.content}.</p>;
}
"""


def test_a_page_of_the_agents_reads_a_tab_only_once_it_is_shared_and_the_packs_own_page_any(
    stack: Stack, door: Gateway, new_page: Callable[..., WatchedPage]
) -> None:
    """As ADR 0105 says: what people don't share with the agent, its pages don't get either."""
    door.post("/agents", {"id": AGENT, "name": "Peeking"})
    door.put(f"/agents/{AGENT}/packs", {"packs": ["protoagent"]})
    door.put(f"/agents/{AGENT}/state/shared-notes", {"value": ["Diary"]})
    door.put(DIARY_KEY, {"value": DIARY})
    door.put(f"/agents/{AGENT}/components/Peek", {"description": "Peeks.", "code": PEEK})
    session = door.post("/sessions", {"agent_id": AGENT})["id"]
    watched = new_page(stack.url)
    page, peek = watched.page, watched.page.frame_locator("iframe.page-frame")
    page.goto(stack.link)
    page.goto(f"{stack.url}/#/s/{session}/pages/{AGENT}/Peek")
    expect(page.get_by_text('The notes in "Diary" are not shared with the agent')).to_be_visible()
    expect(peek.get_by_text("It says: .")).to_be_visible()
    door.put(DIARY_KEY, {"value": {**DIARY, "agentRead": True}})
    expect(peek.get_by_text("It says: Dear diary.")).to_be_visible()
    door.put(DIARY_KEY, {"value": DIARY})
    expect(peek.get_by_text("It says: .")).to_be_visible()

    page.goto(f"{stack.url}/#/s/{session}/pages/{AGENT}/Notes")
    expect(peek.get_by_label("Notes in Diary")).to_have_value("Dear diary")
    code = door.get(f"/agents/{AGENT}/components/Notes")["definition"]["code"]
    changed = {"description": "Notes.", "code": f"{code}\n// changed"}
    door.put(f"/agents/{AGENT}/components/Notes", changed)
    page.reload()
    expect(page.get_by_text('The notes in "Diary" are not shared with the agent')).to_be_visible()
    expect(peek.get_by_label("Notes in Diary")).to_have_value("")
