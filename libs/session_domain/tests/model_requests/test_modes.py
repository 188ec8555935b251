"""How much of its agent a sub-session is shown: by the mode in its first event."""

import json
from typing import Any

import msgspec
import pytest

from agent_contracts.tool_spec import Effect, RunsOn, ToolSpec
from foldline_testing.session_domain.story import says, story
from session_domain.domain.shown.profile import PackPrompt, PackText, Profile, ProfileEntry
from session_domain.model_requests.rendering import Renderings
from session_domain.model_requests.request import build_request, shown_to


def tool(name: str, *, for_workers: bool = False) -> ToolSpec:
    effect, where = Effect.PURE, RunsOn.TOOLS
    return ToolSpec(name, "Does it.", {"type": "object"}, "some", effect, where, for_workers=for_workers)


PROFILE = Profile(
    "Be kind.",
    "Notes of mine.",
    (tool("read_file", for_workers=True), tool("pulse")),
    "UTC",
    skills=(ProfileEntry("sailing"),),
    components=(ProfileEntry("Map"),),
    packs=(PackPrompt("wintermute", "Wintermute", "You have workers."),),
    texts=(PackText("memories", "Your memories", "Likes tea."),),
)
HIDDEN = ("Notes of mine.", "sailing", "Map", "Likes tea.")


def request(mode: Any) -> dict[str, Any]:
    told = story(100_000, mode=mode, parent_id="s_0", depth=1).given(says("hello"))
    shown = shown_to(told.state, PROFILE)
    built = build_request(Renderings().now(told.state, shown.timezone), shown, "m").as_sent()
    plain: dict[str, Any] = json.loads(msgspec.json.encode(built))
    return plain


def parts(mode: Any) -> tuple[str, list[str]]:
    built = request(mode)
    system = [one["content"] for one in built["messages"] if one["role"] == "system"]
    assert len(system) <= 1
    return system[0] if system else "", [one["function"]["name"] for one in built["tools"]]


@pytest.mark.parametrize("mode", [None, "full"])
def test_in_full_it_is_given_all_as_any_session(mode: str | None) -> None:
    system, _ = parts(mode)
    assert all(text in system for text in ("Be kind.", "You have workers.", *HIDDEN))
    assert "pulse" in system, "by name: it is found when it is needed"


def test_minimal_is_the_prompt_without_notes_skills_pages_and_memories() -> None:
    system, tools = parts("minimal")
    assert "Be kind." in system
    assert not any(text in system for text in HIDDEN)
    assert tools == ["read_file"]


def test_base_only_is_the_prompt_alone_and_none_is_no_prompt() -> None:
    assert parts("base_only") == ("Be kind.", ["read_file"])
    assert parts("none") == ("", ["read_file"])
    assert [one["role"] for one in request("none")["messages"]] == ["user"], "not an empty message"
