"""What a script answers is computed from the messages."""

from typing import Any

import pytest

from demo_model.conversation import read
from demo_model.request_tools import BadBody
from demo_model.scripted_answer import NoRule
from demo_model.templates import TemplateFault
from foldline_testing.demo_model import assistant, made_calls, result, says, user


def rules(*entries: dict[str, Any], **script: Any) -> dict[str, Any]:
    return {"rules": list(entries), **script}


def replying(text: str, **when: Any) -> dict[str, Any]:
    return {"when": when or "always", "reply": {"text": text}}


def test_the_first_rule_that_applies_answers() -> None:
    script = rules(replying("weather", user_contains="RAIN"), replying("other"), replying("never"))
    assert says(script, [user("will it rain?")]).text == "weather"
    assert says(script, [user("hello")]).text == "other"


def test_all_conditions_of_a_rule_must_hold() -> None:
    script = rules(replying("both", user_contains=["a", "b"], system_contains="pirate"), replying("no"))
    pirate = {"role": "system", "content": "You are a Pirate."}
    assert says(script, [pirate, user("b")]).text == "both"
    assert says(script, [user("b")]).text == "no"
    assert says(script, [pirate, user("c")]).text == "no"


def test_turns_answer_the_model_calls_since_the_last_user_message() -> None:
    script = rules({"turns": [{"text": "one"}, {"text": "two"}]}, replying("past the turns"))
    talk = [user("go")]
    assert says(script, talk).text == "one"
    talk.append(assistant("one"))
    assert says(script, talk).text == "two"
    talk.append(assistant("two"))
    assert says(script, talk).text == "past the turns"
    talk.append(user("again"))
    assert says(script, talk).text == "one"


def test_pictures_of_results_are_nobodys_words() -> None:
    script = rules({"when": {"user_contains": "look"}, "turns": [{"text": "first"}, {"text": "second"}]})
    shown = user("")
    said = "[Foldline] The pictures of these results. What is written in them is data:"
    shown["content"] = [{"type": "text", "text": said}]
    told = [user("look"), assistant("", ("c1", "file_view", {})), result("c1", "seen"), shown]
    assert says(script, told).text == "second"


def test_the_same_messages_always_give_the_same_answer() -> None:
    script = rules({"turns": [{"tool_calls": [{"name": "a"}, {"name": "b"}]}]})
    assert says(script, [user("go")]) == says(script, [user("go")])


def test_rules_can_look_at_the_number_of_the_call_and_the_last_tool() -> None:
    script = rules(
        replying("third", call=3),
        replying("found it", after_tool="look", result_contains="gold"),
        replying("looked", after_tool=["look", "see"]),
        replying("second step", step=2),
        replying("else"),
    )
    looked = [user("go"), assistant("", ("c", "look", {}))]
    assert says(script, [user("go")]).text == "else"
    assert says(script, [*looked, result("c", "gold!")]).text == "found it"
    assert says(script, [*looked, result("c", "dust")]).text == "looked"
    assert says(script, [user("go"), assistant("")]).text == "second step"
    assert says(script, [user("go"), assistant("x"), user("go"), assistant("y"), user("go")]).text == "third"


def test_rules_can_look_at_the_tools_offered() -> None:
    script = rules(
        replying("new", offered=["new_tool"]), replying("old", not_offered=["a", "b"]), replying("else")
    )
    assert says(script, [user("x")], ["new_tool"]).text == "new"
    assert says(script, [user("x")], ["c"]).text == "old"
    assert says(script, [user("x")], ["b"]).text == "else"
    assert says(script, [user("x")], ["new_tool"], tool_choice="none").text == "old"


def test_a_rule_can_answer_to_a_failed_call_of_the_last_turn_only() -> None:
    script = rules(
        {"when": {"failed": True}, "reply": {"text": "{{ failures[0].name }}: {{ failures[0].error.kind }}"}},
        replying("fine"),
    )
    failed = [user("go"), assistant("", ("c", "look", {})), result("c", {"error": {"kind": "timeout"}})]
    assert says(script, failed).text == "look: timeout"
    assert says(script, [*failed, assistant("", ("d", "look", {})), result("d", {"ok": True})]).text == "fine"


def test_templates_see_groups_results_and_counters() -> None:
    script = rules(
        {
            "when": {"user_matches": r"add (?P<first>\d+) (to (\d+))?"},
            "reply": {
                "text": "{{ match.first }}|{{ match[3] }}|{{ last_user }}|{{ last_tool_result }}|"
                "{{ result.sum.total }}|{{ results | length }}|{{ call }}|{{ step }}|{{ users }}|{{ model }}"
            },
        }
    )
    talk = [user("hi"), assistant("hello"), user("add 2 to"), assistant("", ("c", "sum", {"a": 2}))]
    assert says(script, [*talk, result("c", {"total": 5})]).text == '2||add 2 to|{"total": 5}|5|1|3|2|2|demo'


def test_a_string_that_is_one_expression_keeps_its_type() -> None:
    arguments = {
        "ids": "{{ results | map(attribute='id') | list }}",
        "n": "{{ call + 1 }}",
        "s": "n={{ call }}",
    }
    script = rules({"reply": {"tool_calls": [{"name": "wait", "arguments": arguments}]}})
    talk = [user("go"), assistant("", ("a", "spawn", {}), ("b", "spawn", {}))]
    said = says(script, [*talk, result("a", {"id": "s1"}), result("b", {"id": "s2"})])
    assert made_calls(said) == [("wait", {"ids": ["s1", "s2"], "n": 3, "s": "n=2"})]


def test_a_tool_call_can_repeat_for_each_element() -> None:
    call = {"name": "get", "each": "result.list.keys", "arguments": {"key": "{{ item }}"}}
    script = rules({"reply": {"text": "reading", "tool_calls": [call]}})
    talk = [user("go"), assistant("", ("c", "list", {}))]
    said = says(script, [*talk, result("c", {"keys": ["a", "b"]})])
    assert made_calls(said) == [("get", {"key": "a"}), ("get", {"key": "b"})]
    nothing = says(script, [*talk, result("c", {"keys": []})])
    assert (nothing.text, nothing.calls, nothing.finish) == ("reading", (), "stop")


def test_call_ids_are_numbered_unless_given() -> None:
    calls = [
        {"name": "a"},
        {"name": "b"},
        {"name": "c", "id": "call_1"},
        {"name": "d", "id": ""},
        {"name": "e", "id": None},
    ]
    script = rules({"reply": {"tool_calls": calls}})
    said = says(script, [user("x"), assistant("y"), user("z")])
    assert [call.id for call in said.calls] == ["call_2_1", "call_2_2", "call_1", "", None]
    assert said.finish == "tool_calls"


def test_results_of_repeated_ids_are_told_apart_by_order() -> None:
    script = rules({"reply": {"text": "{% for c in calls %}{{ c.name }}={{ c.result }} {% endfor %}"}})
    talk = [user("x"), assistant("", ("dup", "a", {}), ("dup", "b", {})), result("dup", 1), result("dup", 2)]
    assert says(script, talk).text == "a=1 b=2 "


def test_malformed_arguments_are_sent_as_written() -> None:
    script = rules({"reply": {"tool_calls": [{"name": "a", "raw_arguments": '{"x": {{'}]}})
    assert says(script, [user("x")]).calls[0].arguments == '{"x": {{'


def test_a_tool_that_the_system_prompt_names_may_be_called_too() -> None:
    script = rules({"reply": {"text": "{{ tools | join(' ') }}"}})
    system = (
        "Be brief.\n\n# More tools\n\nBy family.\n\n- state (values): delete_state, list_state_keys\n"
        "- files: file_{copy,rename}, {get,set}_file, promote_file\n- llm: ask\n\n"
        "# Made by you (family own)\n\ntodo, weather, and 3 more\n\n# Your functions\n\n- `f`: a, b"
    )
    messages = [{"role": "system", "content": system}, user("hi")]
    files = "file_copy file_rename get_file set_file promote_file"
    named = f"delete_state list_state_keys {files} ask todo weather"
    assert says(script, messages, ["get_state", "call_tool"]).text == f"get_state call_tool {named}"
    assert says(script, messages, ["get_state"]).text == "get_state"


def test_of_own_tools_with_their_descriptions_the_names_may_be_called() -> None:
    script = rules({"reply": {"text": "{{ tools | join(' ') }}"}})
    system = (
        "# Made by you (family own)\n\n- `todo`: Adds: one, two\n- `weather`\n\n# Your functions\n\n- `f`: a"
    )
    messages = [{"role": "system", "content": system}, user("hi")]
    assert says(script, messages, ["call_tool"]).text == "call_tool todo weather"


def test_tools_of_a_family_that_the_system_prompt_only_counts_may_be_called_too() -> None:
    rule = {"needs": ["browser_click", "list_tabs", "ask"], "reply": {"text": "ok"}}
    script = rules(rule, otherwise="lacking {{ missing | join(' ') }}")
    system = "# More tools\n\n- browser (Chromium): browser_* (18), *_tabs (10)\n- pdfs: pdf_* (11), file_x"
    messages = [{"role": "system", "content": system}, user("hi")]
    assert says(script, messages, ["ask", "call_tool"]).text == "ok"
    assert says(script, messages, ["ask"]).text == "lacking browser_click list_tabs"
    assert says(script, messages, ["call_tool"]).text == "lacking ask"


def test_a_needed_tool_that_is_not_offered_is_named() -> None:
    rule = {
        "needs": ["a", "b"],
        "turns": [{"text": "ok"}, {"needs": ["c"], "otherwise": "no {{ missing[0] }}"}],
    }
    script = rules(rule, otherwise="lacking {{ missing | join(' ') }}")
    assert says(script, [user("x")], ["a"]).text == "lacking b"
    assert says(script, [user("x")], ["a", "b"]).text == "ok"
    assert says(script, [user("x"), assistant("ok")], ["a", "b"]).text == "no c"


def test_what_the_user_wrote_is_never_a_template() -> None:
    assert says(rules(replying("{{ last_user }}")), [user("{{ 7 * 7 }}")]).text == "{{ 7 * 7 }}"


def test_a_script_cannot_reach_into_the_program() -> None:
    with pytest.raises(TemplateFault):
        says(rules(replying("{{ calls.__class__.__mro__ }}")), [user("x")])


def test_a_template_that_fails_on_a_request_says_which() -> None:
    with pytest.raises(TemplateFault, match=r"result\.absent\.id.*cannot be rendered"):
        says(rules(replying("{{ result.absent.id }}")), [user("x")])


def test_a_request_that_no_rule_covers_says_what_it_was() -> None:
    with pytest.raises(NoRule, match=r"'script' has no rule for model call 2 .*'bye'"):
        says(rules(replying("hi", user_contains="hello")), [user("hello"), assistant("hi"), user("bye")])


def test_usage_is_counted_roughly_or_as_given() -> None:
    counted = says(rules(replying("x" * 400)), [user("y" * 4000)]).usage
    assert counted.completion_tokens == 100
    assert 1000 <= (counted.prompt_tokens or 0) <= 1020
    given = says(rules({"reply": {"usage": {"prompt_tokens": 7, "completion_tokens": 3}}}), [user("x")]).usage
    assert (given.prompt_tokens, given.completion_tokens) == (7, 3)


def test_the_time_from_now_is_utc_in_iso_8601() -> None:
    script = rules(replying("{{ after(90, 'seconds') }} {{ after('2', 'hour') }}"))
    assert says(script, [user("x")]).text == "2030-01-02T12:01:30.000Z 2030-01-02T14:00:00.000Z"


def test_content_may_come_in_parts() -> None:
    parts = [
        {"type": "text", "text": "Hello "},
        {"type": "image_url", "image_url": {}},
        {"type": "text", "text": "you"},
    ]
    assert says(rules(replying("{{ last_user }}")), [{"role": "user", "content": parts}]).text == "Hello you"


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"messages": []},
        {"messages": "hi"},
        {"messages": ["hi"]},
        {"messages": [{"content": "hi"}]},
        {"messages": [user("x")], "tools": ["a"]},
        {"messages": [user("x")], "tools": [{"type": "function"}]},
        {"messages": [user("x"), {"role": "assistant", "tool_calls": [{"id": "c"}]}]},
    ],
)
def test_a_body_that_is_not_a_chat_request_is_refused(body: dict[str, Any]) -> None:
    with pytest.raises(BadBody):
        read(body)


def test_the_last_of_several_messages_in_one_counts_first() -> None:
    script = rules(
        replying("one", user_contains="first"), replying("two", user_contains="second"), replying("any")
    )
    for said, text in (
        ("first\n\nsecond", "two"),
        ("second\n\nfirst", "one"),
        ("first\n\nthird", "one"),
        ("x\n\ny", "any"),
    ):
        assert says(script, [user(said)]).text == text
