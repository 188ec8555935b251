"""The built-in demo: each thing to try makes its tool calls, or says which tools are missing."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from demo_model.loading import DEMO_SCRIPT, load
from foldline_testing.demo_model import assistant, made_calls, result, says, user

SCRIPT = load(DEMO_SCRIPT)
NOW = ("ask_user", "send_message", "set_state", "get_state", "list_state_keys", "delete_state")
LATER = (
    "render_blocks",
    *("list_tools", "create_tool", "update_tool"),
    *("list_ui_components", "create_ui_component", "update_ui_component"),
    *("list_functions", "list_libraries", "list_skills", "todo"),
    *("create_scheduled_task", "list_scheduled_tasks", "cancel_scheduled_task"),
    *("set_reminder", "spawn_session", "wait_for_sessions", "browser_navigate", "browser_extract_text"),
    "run_command",
)


@dataclass
class Agent:
    """An agent whose tools answer as the catalogue says, with nothing behind them but this object."""

    offered: Sequence[str] = NOW
    answer: Any = field(default_factory=lambda: {"answer": "A Monday", "from_options": True})
    state: dict[str, Any] = field(default_factory=dict)
    tools: list[str] = field(default_factory=list)
    components: list[str] = field(default_factory=list)
    tasks: list[dict[str, Any]] = field(default_factory=list)
    turns: list[list[tuple[str, dict[str, Any]]]] = field(default_factory=list)
    """The calls of each turn of the last talk."""

    def told(self, text: str) -> str:
        """Run a turn to its end as the engine would; the last text."""
        messages = [user(text)]
        self.turns = []
        for number in range(1, 10):
            said = says(SCRIPT, messages, [*self.offered, *self.tools])
            calls = [(call.name, json.loads(call.arguments)) for call in said.calls]
            if not calls:
                return said.text
            self.turns.append(calls)
            ids = [f"{number}-{index}" for index in range(len(calls))]
            messages.append(
                assistant(said.text, *((id_, *call) for id_, call in zip(ids, calls, strict=True)))
            )
            messages.extend(result(id_, self.run(*call)) for id_, call in zip(ids, calls, strict=True))
        raise AssertionError(f"{text!r} never ends")

    def run(self, name: str, arguments: dict[str, Any]) -> Any:
        match name, arguments:
            case "ask_user", {"question": str(), "options": list()}:
                return self.answer
            case "render_blocks", {"title": str(), "blocks": list()}:
                return self.answer
            case "send_message", {"text": str()}:
                return {"ok": True}
            case "set_state", {"key": key, "value": value}:
                self.state[key] = value
                return {"ok": True}
            case "get_state", {"key": key}:
                return {"value": self.state.get(key)}
            case "list_state_keys", {"prefix": prefix}:
                return {"keys": [key for key in self.state if key.startswith(prefix)]}
            case "delete_state", {"key": key}:
                return {"deleted": self.state.pop(key, None) is not None}
            case "list_tools", _:
                return {"tools": [{"name": tool, "description": "A tool."} for tool in self.tools]}
            case "create_tool", {"name": tool, "parameter_schema": {"type": "object"}, "code": str()}:
                if tool in self.tools:
                    return {"error": {"kind": "conflict", "message": "taken"}}
                self.tools.append(tool)
                return {"name": tool, "version": 1}
            case "update_tool", {"code": code} if "+ }" in code:
                return {"error": {"kind": "rejected", "message": "no code (line 2, column 44)"}}
            case "update_tool", {"name": tool}:
                return {"name": tool, "version": 2}
            case "celsius_to_fahrenheit", {"celsius": celsius}:
                return {"fahrenheit": celsius * 9 / 5 + 32}
            case "roll_dice", {"count": 3, "sides": 6}:
                return {"rolls": [1, 2, 3], "sum": 6}
            case "list_ui_components", _:
                found = [{"name": component, "description": "A page. It…"} for component in self.components]
                return {"components": found}
            case "list_functions", _:
                return {"functions": [{"name": "todo_items", "description": "The list."}]}
            case (("list_libraries" | "list_skills"), _):
                return {name.removeprefix("list_"): []}
            case "todo", {"add": [entry]}:
                return {"open": [{"id": 1, "text": entry}], "done": []}
            case (("create_ui_component" | "update_ui_component"), {"name": component, "code": str()}):
                self.components.append(component)
                return {"name": component, "version": 1}
            case "set_reminder", {"at": at, "message": str()}:
                return {"id": "r1", "at": at}
            case "create_scheduled_task", {"name": str(), "task": task, "cron": str()}:
                self.tasks.append({"id": f"t_{len(self.tasks)}", "task": task})
                return {"id": self.tasks[-1]["id"], "next_run": "2030-01-02T12:01:00Z"}
            case "list_scheduled_tasks", {"include_disabled": True}:
                return {"tasks": list(self.tasks)}
            case "cancel_scheduled_task", {"id": id_}:
                self.tasks = [one for one in self.tasks if one["id"] != id_]
                return {"deleted": True}
            case "spawn_session", {"task": task}:
                return {"id": "child-of-" + ("for" if " for " in task else "against")}
            case "wait_for_sessions", {"ids": ids}:
                return {"results": [{"id": id_, "status": "completed", "result": f"by {id_}"} for id_ in ids]}
            case "browser_navigate", {"url": url}:
                return {"url": url, "title": "A title", "status": 200}
            case "browser_extract_text", _:
                return {"text": "Words on\na page"}
            case "run_command", {"command": "date | tee today.txt"}:
                return {"stdout": "Thu Nov 26\n", "exit_code": 0}
        raise AssertionError(f"unexpected call {name}({arguments})")

    def called(self) -> list[list[str]]:
        """Names of the calls, turn by turn."""
        return [[name for name, _ in turn] for turn in self.turns]


def test_it_says_what_it_is_and_what_one_can_try() -> None:
    greeting = Agent().told("Hello!")
    assert "demo model" in greeting
    assert "no real model" in greeting
    for wish in (
        "ask me something",
        "remember that",
        "show progress",
        "rewind",
        "make a tool",
        "build a page",
    ):
        assert wish in greeting
    assert greeting.count("not in this installation yet") == 12
    assert "not in this installation yet" not in Agent([*NOW, *LATER]).told("hi")


def test_talk_is_answered_by_saying_that_it_is_a_script() -> None:
    answer = Agent().told("What is the meaning\nof life?")
    assert "> What is the meaning\n> of life?" in answer
    assert "script" in answer
    assert len(Agent().told("x" * 100_000)) < 2_000


@pytest.mark.parametrize(
    "wish",
    [
        *(
            "ask me something",
            "show me blocks",
            "remember that I like tea",
            "what do you remember",
            "forget tea",
            "show progress",
        ),
        *(
            "rewind",
            "make a tool",
            "build a page",
            "remind me in 10 seconds",
            "every minute say hello",
            "stop the schedules",
            "research with two helpers",
            "browse",
            "run a command",
        ),
        "[demo helper] find out",
    ],
)
def test_without_its_tools_each_wish_names_what_is_missing(wish: str) -> None:
    agent = Agent(offered=())
    answer = agent.told(wish)
    assert agent.turns == []
    assert "this installation doesn't have the tool" in answer


def test_ask_me_something_asks_with_options_and_thanks_for_the_answer() -> None:
    agent = Agent()
    assert "**A Monday**." in agent.told("Ask me something")
    assert agent.called() == [["ask_user"]]
    assert "A Monday" in agent.turns[0][0][1]["options"]
    free = Agent(answer={"answer": "My hair", "from_options": False}).told("ask me something")
    assert "**My hair**, in your own words." in free


def test_show_me_blocks_waits_for_the_form_and_tells_what_was_chosen() -> None:
    chosen = {"action": "submit", "data": {"town": "Piran", "nights": 2.0}}
    agent = Agent([*NOW, *LATER], answer=chosen)
    assert "**Piran**, 2 nights." in agent.told("Show me blocks")
    ((name, arguments),) = agent.turns[0]
    assert name == "render_blocks"
    assert [block["type"] for block in arguments["blocks"]] == ["markdown", "table", "chart", "form"]
    chosen["data"] = {"town": "Piran", "nights": None}
    assert "**Piran**. The form" in agent.told("show me blocks")
    agent.answer = {"action": "dismiss"}
    assert "You dismissed it" in agent.told("show me some blocks")


def test_what_is_remembered_can_be_asked_for_and_forgotten() -> None:
    agent = Agent()
    assert "Nothing yet" in agent.told("What do you remember?")
    assert "**my dog is called Rex**" in agent.told("Remember that my dog is called Rex.")
    assert agent.called() == [["set_state"], ["get_state"]]
    assert agent.state == {"memory/my-dog-is-called-rex": "my dog is called Rex"}
    agent.told("remember 私は猫が好き")
    recalled = agent.told("what do you remember")
    assert "- my dog is called Rex\n- 私は猫が好き\n" in recalled
    assert agent.called() == [["list_state_keys"], ["get_state", "get_state"]]
    assert "nothing about “zebras”" in agent.told("forget zebras")
    assert "`memory/my-dog-is-called-rex`" in agent.told("forget about Rex")
    agent.told("please forget everything.")
    assert agent.state == {}


def test_show_progress_makes_three_turns_of_three_calls_and_counts_its_runs() -> None:
    agent = Agent()
    assert "**1** time(s)" in agent.told("show progress")
    assert [len(turn) for turn in agent.called()] == [3, 3, 3]
    assert [turn.count("send_message") for turn in agent.called()] == [1, 1, 1]
    assert "**2** time(s)" in agent.told("show progress")
    assert agent.state["demo/progress"] == {"done": 3, "of": 3}


def test_rewind_leaves_two_writes_to_look_back_at() -> None:
    agent = Agent()
    assert "*blue*" in agent.told("rewind")
    assert agent.called() == [["set_state"], ["set_state"], ["get_state"]]
    assert [turn[0][1].get("value") for turn in agent.turns] == ["blue", "red", None]


def test_make_a_tool_writes_it_and_calls_it_and_can_do_so_again() -> None:
    agent = Agent([*NOW, *LATER])
    assert "**1, 2, 3**" in agent.told("make a tool")
    assert agent.called() == [["list_tools"], ["create_tool"], ["roll_dice"]]
    agent.told("Make me a tool, please")
    assert agent.called() == [["list_tools"], ["update_tool"], ["roll_dice"]]


def test_a_tool_that_converts_is_made_used_at_once_and_used_later() -> None:
    agent = Agent([*NOW, *LATER])
    wish = "make a tool that converts Celsius to Fahrenheit and use it"
    assert "**70.7 °F**" in agent.told(wish)
    assert agent.called() == [["create_tool"], ["celsius_to_fahrenheit"]]
    agent.told(wish)
    assert agent.called() == [["update_tool"], ["celsius_to_fahrenheit"]]
    assert "**212.0 °F**" in agent.told("What is 100 °C in Fahrenheit?")
    assert "make a tool" in Agent([*NOW, *LATER]).told("100 celsius in fahrenheit")


def test_a_tool_is_not_broken_but_can_be_spoiled() -> None:
    agent = Agent([*NOW, *LATER])
    assert "no converter yet" in agent.told("break the converter")
    agent.told("make a tool that converts Celsius to Fahrenheit and use it")
    assert "`update_tool`: no code (line 2, column 44)" in agent.told("Break the converter")
    assert "Version 2" in agent.told("spoil the converter")
    assert agent.called() == [["update_tool"], ["celsius_to_fahrenheit"]]


def test_build_a_page_stores_it_and_says_where_it_is() -> None:
    agent = Agent([*NOW, *LATER])
    assert "**Counter**, in a tab" in agent.told("build a page")
    assert agent.called() == [["list_ui_components"], ["create_ui_component"]]
    agent.told("build a page")
    assert agent.called()[1] == ["update_ui_component"]


@pytest.mark.parametrize("wish", ["what can you do already?", "What have you made?", "what did I begin with"])
def test_it_tells_what_the_agent_has_made_or_began_with(wish: str) -> None:
    agent = Agent([*NOW, *LATER], components=["To-do"])
    answer = agent.told(wish)
    assert len(agent.turns[0]) == 5
    assert "**Pages, for you**\n\n- `To-do`: A page\n" in answer
    assert "- `todo_items`: The list\n" in answer
    assert "Skills" not in answer


def test_what_is_put_on_the_list_is_told_with_the_rest() -> None:
    agent = Agent([*NOW, *LATER])
    assert "1. milk and eggs\n" in agent.told("Please put milk and eggs on my to-do list.")
    assert agent.turns == [[("todo", {"add": ["milk and eggs"]})]]
    assert "no tool `todo`" in Agent().told("add tea to the list")


@pytest.mark.parametrize(
    ("wish", "at"),
    [
        ("remind me in 10 seconds", "2030-01-02T12:00:10.000Z"),
        ("Remind me to eat in 2 hours", "2030-01-02T14:00:00.000Z"),
        ("remind me in a minute", "2030-01-02T12:01:00.000Z"),
        ("remind me", "2030-01-02T12:00:10.000Z"),
    ],
)
def test_remind_me_sets_a_reminder_for_then(wish: str, at: str) -> None:
    agent = Agent([*NOW, *LATER])
    assert at in agent.told(wish)
    assert agent.turns == [[("set_reminder", {"at": at, "message": f"[demo reminder] {wish}"})]]
    assert f"**Reminder:** {wish}" in agent.told(f"[demo reminder] {wish}")


@pytest.mark.parametrize(
    ("wish", "cron"),
    [("every minute say hello", "* * * * *"), ("Every morning tell me the news", "0 8 * * *")],
)
def test_every_minute_makes_a_schedule_and_stop_ends_those_of_the_demo_alone(wish: str, cron: str) -> None:
    agent = Agent(offered=LATER, tasks=[{"id": "t_mine", "task": "Water the plants"}])
    assert "2030-01-02T12:01:00Z" in agent.told(wish)
    ((name, arguments),) = agent.turns[0]
    assert (name, arguments["cron"]) == ("create_scheduled_task", cron)
    assert wish in agent.told(arguments["task"])
    assert "1 scheduled task less" in agent.told("stop the schedules")
    assert [one["id"] for one in agent.tasks] == ["t_mine"]
    assert "No schedule of this demo" in agent.told("stop the schedules")


def test_research_waits_for_two_helpers_which_report_back() -> None:
    agent = Agent([*NOW, *LATER])
    answer = agent.told("research cats with two helpers")
    assert "by child-of-for" in answer
    assert "by child-of-against" in answer
    assert agent.turns[1] == [("wait_for_sessions", {"ids": ["child-of-for", "child-of-against"]})]
    task = agent.turns[0][0][1]["task"]
    assert "cats" in task
    helper = says(SCRIPT, [user(task)], ["report_result"])
    assert [call.name for call in helper.calls] == ["report_result"]


def test_browse_opens_the_page_asked_for() -> None:
    agent = Agent([*NOW, *LATER])
    answer = agent.told("browse https://example.org/a?b=c please")
    assert "**A title** (https://example.org/a?b=c, status 200)" in answer
    assert "> Words on\n> a page" in answer
    agent.told("browse")
    assert agent.turns[0] == [("browser_navigate", {"url": "https://example.com/"})]


def test_run_a_command_shows_what_it_said() -> None:
    agent = Agent([*NOW, *LATER])
    assert "```\nThu Nov 26\n" in agent.told("Run a command, please")
    assert agent.called() == [["run_command"]]


def test_a_failed_call_is_told_as_it_is() -> None:
    error = {"error": {"kind": "expired", "message": "nobody answered in time", "retryable": False}}
    answer = Agent(answer=error).told("ask me something")
    assert "`ask_user`: nobody answered in time" in answer


def test_a_file_that_came_with_a_message_is_looked_at_and_nothing_is_remembered() -> None:
    sent = "remember this\n\n[Foldline] The user sent file f_1a: a/b c.csv (text/csv, 12 bytes)"
    asked = says(SCRIPT, [user(sent)], [*NOW, "file_info"])
    assert made_calls(asked) == [("file_info", {"file_id": "f_1a"})]
    looked = assistant("", ("c1", "file_info", {"file_id": "f_1a"}))
    said = says(SCRIPT, [user(sent), looked, result("c1", {"version": 1})], [*NOW, "file_info"])
    assert said.text.startswith("I have **a/b c.csv**: text/csv, 12 bytes, version 1.")
