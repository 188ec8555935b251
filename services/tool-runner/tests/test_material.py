"""Which tools bring material from outside whatever they are given. What was read in files names the files."""

from foldline_testing.tool_runner.world import all_tools

FROM_THE_WEB = {"fetch_url", "web_read", "web_search"}


def test_tools_that_read_pages_or_what_services_wrote_say_so() -> None:
    said = {tool.spec.name: tool.spec.source for tool in all_tools() if tool.spec.source is not None}
    assert said == {**dict.fromkeys(FROM_THE_WEB, "web"), "check_inbox": "wake"}
