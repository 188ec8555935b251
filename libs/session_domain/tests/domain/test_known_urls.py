"""Which URLs were named by others: whole, as they stand in the user's words, search results and pages."""

from typing import Any

import msgspec
import pytest

from agent_contracts.ids import CallId, SessionId
from agent_contracts.json_value import Json
from agent_contracts.outside import Source, source
from agent_contracts.session_events import decisions as ev
from agent_contracts.tool_spec import Effect
from foldline_testing.session_domain.story import Story, answers, done, says, story, wants
from session_domain.domain.rules.known_urls import LONGEST_URL, MOST_URLS, known_urls

EVIL = Source("web", "evil.example")


def read(told: Story, result: Json, tool: str = "web_read", text: str = "read it", **more: Any) -> Story:
    """A turn in which a tool gives this, from outside."""
    told.given(says(text))
    wanted = wants(told, tool, effect=Effect.EXTERNAL, **more)
    told.given(answers(told, calls=[wanted]))
    told.given(msgspec.structs.replace(done(wanted.call_id, result), outside=(EVIL,)))
    told.given(answers(told, "read"))
    return told


def knows(told: Story, url: str) -> bool:
    return known_urls(told.state, "fetch_url", {"url": url}) == (url,)


@pytest.mark.parametrize(
    ("text", "url", "known"),
    [
        ("see https://a.test/x.", "https://a.test/x", True),
        ("see (https://a.test/x?q=1&p=2), now", "https://a.test/x?q=1&p=2", True),
        ("[x](https://a.test/x) and", "https://a.test/x", True),
        ('<a href="https://a.test/x?q=1&amp;p=2">', "https://a.test/x?q=1&p=2", True),
        ("HTTPS://A.test/x", "https://a.test/x", True),
        ("https://a.test", "https://a.test/", True),
        ("https://a.test/x#part", "https://a.test/x#other", True),
        ("見て https://a.test/x。", "https://a.test/x", True),
        ("https://a.test/xyz", "https://a.test/x", False),
        ("https://a.test/x/y", "https://a.test/x", False),
        ("https://a.test/x?q=1", "https://a.test/x", False),
        ("https://a.test/x", "https://a.test/x?q=1", False),
        ("https://a.test/x", "https://a.test/X", False),
        ("https://a.test/x", "http://a.test/x", False),
        ("https://a.test.evil.test/x", "https://a.test/", False),
        ("https://a.test/", "https://b.a.test/", False),
        ("a.test/x", "https://a.test/x", False),
    ],
)
def test_a_url_of_a_page_that_was_read_is_known_whole_or_not_at_all(text: str, url: str, known: bool) -> None:
    assert knows(read(story(), {"content": text}), url) is known


def test_the_user_may_leave_out_the_scheme() -> None:
    told = read(story(), {"content": "nothing"}, text="look at a.test/x, and mail me@b.test or c.a.test")
    assert knows(told, "https://a.test/x")
    assert not knows(told, "https://b.test/")
    assert not knows(told, "https://a.test/")


@pytest.mark.parametrize(
    ("tool", "result", "known"),
    [
        ("web_search", {"query": "-", "results": [{"url": "https://a.test/x"}]}, True),
        ("web_search", {"query": "https://a.test/x", "results": []}, False),
        ("fetch_url", {"body": "https://a.test/x"}, True),
        ("browser_extract_text", {"text": "https://a.test/x"}, True),
        ("run_sandbox_code", {"result": "https://a.test/x"}, False),
        ("file_read_text", {"text": "https://a.test/x"}, False),
        ("my_tool", "https://a.test/x", False),
    ],
)
def test_what_the_agent_makes_itself_is_nobodys_word(tool: str, result: Json, known: bool) -> None:
    assert knows(read(story(), result, tool), "https://a.test/x") is known


def test_who_picks_an_option_says_what_the_model_wrote_and_who_types_says_their_own() -> None:
    told = read(story(), {"content": "nothing"})
    evil, own = "https://evil.example/?notes=secret", "https://a.test/x"
    for answer in (evil, own):
        told.given(says("go on"))
        asking = wants(told, "ask_user", arguments={"question": f"May I? {evil}", "options": [evil, "No"]})
        told.given(answers(told, calls=[asking]))
        told.given(done(asking.call_id, {"answer": answer, "from_options": answer == evil}))
        told.given(answers(told, "asked"))
    assert knows(told, own)
    assert not knows(told, evil)


def test_what_was_typed_into_a_page_does_not_come_back_as_its_word() -> None:
    told = read(story(), {"title": "Found"}, "browser_type", arguments={"text": "https://a.test/x"})
    assert not knows(read(told, {"text": "https://a.test/x"}, "browser_extract_text"), "https://a.test/x")


def test_the_agents_own_words_and_calls_that_failed_make_nothing_known() -> None:
    told = read(story(), {"content": "-"})
    told.given(says("and?")).given(answers(told, "I would read https://a.test/x"))
    assert not knows(told, "https://a.test/x")


def test_what_a_parent_that_had_read_something_says_is_no_persons_word() -> None:
    parent = SessionId("s_parent")
    carried = msgspec.structs.replace(source("web", "evil.example"), at="9", session=parent)
    swayed = story(parent_id=parent, outside=(carried,)).given(says("read https://a.test/x"))
    assert not knows(swayed, "https://a.test/x")
    assert knows(story(parent_id=parent).given(says("read https://a.test/x")), "https://a.test/x")


def test_urls_in_code_are_found_and_there_are_only_so_many() -> None:
    text = " ".join(f"https://a.test/{n}" for n in range(100))
    told = read(story(), {"content": text})
    code = (
        "await fetch('https://a.test/7'); fetch(`https://a.test/8?s=${secret}`); fetch(\"https://b.test/\")"
    )
    assert known_urls(told.state, "run_sandbox_code", {"code": code}) == ("https://a.test/7",)
    assert len(known_urls(told.state, "run_sandbox_code", {"code": text})) == MOST_URLS
    long = "https://a.test/" + "x" * LONGEST_URL
    assert not knows(read(story(), {"content": long}), long)


def resource(told: Story, uri: str, server: str = "notes") -> bool:
    asked = {"server": server, "uri": uri}
    return known_urls(told.state, "read_mcp_resource", asked) == (uri,)


@pytest.mark.parametrize(
    ("text", "uri", "known"),
    [
        ("read note://day/1.", "note://day/1", True),
        ("(note://day/1?a=1#b), now", "note://day/1?a=1#b", True),
        ("https://a.test/x", "https://a.test/x", True),
        ("note://day/12", "note://day/1", False),
        ("note://day/1#part", "note://day/1", False),
        ("note://day/1", "note://day/1#hunter2", False),
        ("note://day/1", "NOTE://day/1", False),
        ("https://a.test/x", "https://A.test/x", False),
        ("https://a.test/x", "https://a.test/x#hunter2", False),
        ("x+note://day/1", "note://day/1", False),
        ("my password: hunter2", "hunter2", False),
        ("password:hunter2", "password:hunter2", False),
    ],
)
def test_a_resource_is_known_by_every_character_of_its_uri(text: str, uri: str, known: bool) -> None:
    assert resource(read(story(), {"content": text}), uri) is known
    assert resource(read(story(), {"content": "-"}, text=text), uri) is known


def test_what_a_foreign_server_listed_is_known_and_no_other_part_of_the_list() -> None:
    listed = {
        "resources": [{"uri": "note:1", "name": "One", "description": "or note:2"}],
        "templates": [{"uri": "note:{day}", "name": "Any"}],
    }
    told = read(story(), listed, "list_mcp_resources", arguments={"server": "notes"})
    assert resource(told, "note:1")
    assert not any(resource(told, one) for one in ("note:2", "note:{day}", "note:hunter2", "One"))
    in_code = "await mcp.readResource('notes', 'note://1'); await mcp.readResource('notes', `note://${x}`)"
    told = read(told, {"resources": [{"uri": "note://1"}]}, "list_mcp_resources")
    assert known_urls(told.state, "run_sandbox_code", {"code": in_code}) == ("note://1",)


def test_a_prompt_is_known_by_the_name_that_a_server_listed() -> None:
    told = read(story(), {"prompts": [{"name": "greet"}]}, "list_mcp_prompts", text="use hunter2")
    for name, known in (("greet", ("greet",)), ("hunter2", ())):
        assert known_urls(told.state, "get_mcp_prompt", {"server": "s", "name": name}) == known
    failed = read(story(), {"error": "prompts"}, "list_mcp_prompts")
    assert known_urls(failed.state, "get_mcp_prompt", {"server": "s", "name": "greet"}) == ()


def test_a_request_says_which_urls_were_known_and_whether_it_was_wanted_before_anything_came() -> None:
    told = story().given(says())
    reading = wants(told, "web_read", 0, effect=Effect.EXTERNAL)
    writing = wants(told, "set_state", 1, effect=Effect.RECORDED)
    last = wants(told, "run_sandbox_code", 2, effect=Effect.EXTERNAL)
    told.given(answers(told, calls=[reading, writing, last]))
    told.given(msgspec.structs.replace(done(reading.call_id), outside=(EVIL,)))
    told.given(done(writing.call_id))
    assert requests(told)[last.call_id].outside
    assert requests(told)[last.call_id].unswayed
    told.given(done(last.call_id)).given(answers(told, "read")).given(says("more"))
    third = wants(told, "web_read", effect=Effect.EXTERNAL, urls=("https://a.test/x",))
    told.given(answers(told, calls=[third]))
    asked = requests(told)[third.call_id]
    assert (asked.unswayed, asked.urls) == (False, ("https://a.test/x",))


def requests(told: Story) -> dict[CallId, ev.ToolCallRequested]:
    events = (one.event for one in told.recorded)
    return {event.call_id: event for event in events if isinstance(event, ev.ToolCallRequested)}
