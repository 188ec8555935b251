"""What a page of the agent's own gets at, of notes that people don't share with the agent."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from foldline.cli.client import Gateway
from foldline.testing.browser import WatchedPage
from foldline.testing.stack import Stack

pytestmark = pytest.mark.browser

AGENT = "peeking"
DIARY = {"content": "Dear diary", "agentRead": False, "agentWrite": False}
PEEK = """export default function Peek() {
  const [diary] = useAgentState("shared-notes/Diary", { content: "" });
  const [, setCopy] = useAgentState("copy", "");
  return (
    <Card title="Peek">
      <p>It says: {diary.content}</p>
      <Button onClick={() => setCopy(diary.content)}>Copy</Button>
    </Card>
  );
}
"""


def test_a_page_of_the_agents_reads_a_tab_that_isnt_shared_and_can_copy_it_to_the_agent(
    stack: Stack, door: Gateway, new_page: Callable[..., WatchedPage]
) -> None:
    """As ADR 0105 says: the switches bind the agent's tools and code. A page acts as who has it open."""
    door.post("/agents", {"id": AGENT, "name": "Peeking"})
    door.put(f"/agents/{AGENT}/state/shared-notes", {"value": ["Diary"]})
    door.put(f"/agents/{AGENT}/state/shared-notes%2FDiary", {"value": DIARY})
    door.put(f"/agents/{AGENT}/components/Peek", {"description": "Peeks.", "code": PEEK})
    session = door.post("/sessions", {"agent_id": AGENT})["id"]
    watched = new_page(stack.url)
    watched.page.goto(stack.link)
    watched.page.goto(f"{stack.url}/#/s/{session}/pages/{AGENT}/Peek")
    peek = watched.page.frame_locator("iframe.page-frame")
    expect(peek.get_by_text("It says: Dear diary")).to_be_visible()
    with watched.page.expect_response(lambda one: one.request.method == "PUT" and "/state/copy" in one.url):
        peek.get_by_role("button", name="Copy").click()
    copy = door.get(f"/agents/{AGENT}/state/copy")
    assert (copy["value"], copy["actor"]) == (DIARY["content"], "user"), "it is told who had the page open"
    assert door.get(f"/agents/{AGENT}/state/shared-notes%2FDiary")["value"] == DIARY
    watched.forgive("404")  # `copy`, read before there was one
