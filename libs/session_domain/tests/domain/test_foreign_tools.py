"""Foreign servers' tools in a request: few are sent, many are named, within bounds."""

from agent_contracts.tool_spec import Effect, RunsOn, ToolSpec
from session_domain.domain.shown.on_demand import MOST_FOREIGN_SENT, foreign, sent
from session_domain.domain.shown.profile import Profile


def tools(number: int, server: str = "github") -> tuple[ToolSpec, ...]:
    return tuple(
        ToolSpec(
            f"{server}__do_something_{one}", "Does it.", {}, f"mcp:{server}", Effect.EXTERNAL, RunsOn.MCP
        )
        for one in range(number)
    )


def test_few_are_sent_and_only_counted_in_the_prompt() -> None:
    profile = Profile("", "", tools(MOST_FOREIGN_SENT), "UTC", servers=("github",))
    assert sent(profile) == profile.tools
    assert foreign(profile) == "- github (family mcp:github): 40 tools"


def test_of_400_tools_the_prompt_has_names_within_2000_tokens() -> None:
    profile = Profile("", "", tools(400), "UTC", servers=("github",))
    assert [tool.name for tool in sent(profile)] == ["find_tools", "call_tool"]
    said = foreign(profile)
    assert "do_something_0, do_something_1" in said
    assert " more" in said
    assert len(said) < 2_000 * 3


def test_a_pinned_one_is_sent_and_a_server_without_tools_is_named() -> None:
    many = tools(41)
    profile = Profile("", "", many, "UTC", servers=("github", "notes"), pinned=(many[0].name,))
    assert [tool.name for tool in sent(profile)] == ["find_tools", "call_tool", many[0].name]
    assert "- notes (family mcp:notes): no tools" in foreign(profile)
