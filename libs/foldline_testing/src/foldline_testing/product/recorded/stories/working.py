"""Stories of tools: calls side by side, what goes wrong, what the agent makes for itself, long work."""

from typing import Any

from foldline_testing.product.recorded.player import Player
from foldline_testing.product.recorded.story import Story, call, calls, when

_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"n": {"type": "number"}},
    "required": ["n"],
    "additionalProperties": False,
}
_TOO_LARGE = 256 * 1024 + 1
"""Bytes."""
_SMALL_WINDOW = "openai/gpt-4"
"""A model that takes 8,192 tokens."""
_ROOMY = {"prompt_tokens": 900, "completion_tokens": 20}
_FULL = {"prompt_tokens": 6_800, "completion_tokens": 200}


def _each_in_turn(*messages: str, **more: Any) -> Any:
    """Says these, one after another, each when the one before was answered."""

    def play(play: Player) -> None:
        session = play.begin(messages[0], **more)
        play.settled(session)
        for text in messages[1:]:
            play.say(session, text)
            play.settled(session)

    return play


STORIES = (
    Story(
        "tool-calls",
        "Calls one after another and side by side; one acts outside.",
        (
            when(
                "work",
                calls(
                    call("selftest_sleep", ms=300),
                    call("selftest_sleep", ms=0),
                    text="Let me see.",
                ),
                calls(
                    call("set_state", key="count", value={"n": 1, "of": ["a", "ø"]}),
                    call("get_state", key="count"),
                    call("list_state_keys"),
                ),
                calls(call("selftest_external", note="once")),
                {"text": "Worked."},
            ),
        ),
        _each_in_turn("do the work", "and now?"),
    ),
    Story(
        "tools-on-demand",
        "Tools are found, and called through `call_tool` and by their names; one call of it is wrong.",
        (
            when(
                "clean up",
                calls(call("find_tools", query="which keys are there"), call("get_state", key="a")),
                calls(
                    {"name": "call_tool", "arguments": {"name": "delete_state", "arguments": {"key": "a"}}},
                    {"name": "call_tool", "arguments": {"name": "delete_stat", "arguments": {}}},
                    call("list_state_keys"),
                    text="There it is.",
                ),
                {"text": "Cleaned up."},
            ),
        ),
        _each_in_turn("clean up", "thanks"),
    ),
    Story(
        "large-result",
        "A result that is too large for the model: it reads both ends of it.",
        (when("a lot", calls(call("selftest_big", bytes=_TOO_LARGE)), {"text": "That was a lot."}),),
        _each_in_turn("fetch a lot"),
    ),
    Story(
        "tool-errors",
        "A tool that does not exist, arguments that are wrong, tools that fail.",
        (
            when(
                "all wrong",
                calls(
                    call("no_such_tool", a=1),
                    {"name": "set_state", "raw_arguments": '{"key": '},
                    call("set_state", key="lacks a value"),
                    text="Let me try.",
                ),
                calls(call("selftest_fail", how="rejected", message="this was refused")),
                calls(call("selftest_fail", how="permanent", kind="gone", message="this is gone")),
                calls(call("selftest_fail", how="bug", message="nobody expected this")),
                {"text": "That was all wrong."},
            ),
        ),
        _each_in_turn("do it all wrong"),
    ),
    Story(
        "asks-a-model",
        "A tool that asks a model itself: what it spends counts for the session.",
        (
            {
                "when": {"user_contains": "one word for a young fox"},
                "reply": {"text": "Kit.", "usage": {"prompt_tokens": 30, "completion_tokens": 3}},
            },
            when(
                "find the word",
                calls(call("llm_generate", prompt="Give one word for a young fox.")),
                {"text": "It is {{ result.llm_generate.text }}"},
            ),
        ),
        _each_in_turn("find the word"),
    ),
    Story(
        "own-tools",
        "The agent makes a tool, uses it, changes it, uses it again, and removes it.",
        (
            when(
                "make a tool",
                calls(
                    call(
                        "create_tool",
                        name="doubled",
                        description="Doubles a number.",
                        parameter_schema=_SCHEMA,
                        code="return { doubled: args.n * 2 }",
                    )
                ),
                calls(call("doubled", n=21)),
                calls(call("doubled", n="three")),
                {"text": "It works."},
            ),
            when(
                "change it",
                calls(call("update_tool", name="doubled", code="throw new RangeError('no more')")),
                calls(call("doubled", n=1)),
                calls(call("delete_tool", name="doubled")),
                {"text": "It is gone."},
            ),
        ),
        _each_in_turn("make a tool", "now change it", "what is left?"),
    ),
    Story(
        "self-made",
        "The agent changes what it is: its prompt, notes, notepad, functions, libraries, skills, pages.",
        (
            when(
                "build yourself",
                calls(
                    call("edit_system_prompt", operation="append", content="Be terse."),
                    call("edit_learned_notes", operation="append", content="Likes tea."),
                    call("write_notepad", content="1. dig"),
                    call("create_skill", name="digging", description="How to dig.", content="Dig deep."),
                    call(
                        "create_library", name="maths", description="Maths.", code="exports.sq = (n) => n * n"
                    ),
                    call(
                        "create_function",
                        name="half",
                        description="Half.",
                        parameter_schema=_SCHEMA,
                        code="return args.n / 2",
                    ),
                    call(
                        "create_ui_component",
                        name="Own card",
                        description="A card.",
                        code="export default () => <b>1</b>",
                    ),
                ),
                calls(call("run_sandbox_code", code="return require('maths').sq(12)")),
                {"text": "Built."},
            ),
        ),
        _each_in_turn("build yourself", "what are you now?"),
    ),
    Story(
        "tasks",
        "Tasks, one in the other: what was said in them is hidden behind a summary as they end.",
        (
            when(
                "two tasks",
                calls(call("begin_task", title="The outer task")),
                calls(call("set_state", key="outer", value=1), text="Outer work."),
                calls(call("begin_task", title="The inner task")),
                calls(call("set_state", key="inner", value=1), text="Inner work."),
                calls(call("end_task", summary="the inner work is done"), text="So much for that."),
                calls(call("begin_task", title="A task given up")),
                calls(call("cancel_task")),
                calls(call("end_task", summary="the outer work is done")),
                calls(call("end_task", summary="there is none")),
                {"text": "All done."},
            ),
        ),
        _each_in_turn("two tasks", "what do you remember?"),
    ),
    Story(
        "compaction",
        "The model's window fills: it is warned, writes its notepad, and older messages become a summary.",
        (
            {
                "when": {"user_contains": "Your context is almost full"},
                "reply": {"text": "I have written down what matters."},
            },
            {
                "when": {"user_contains": "Summarise the conversation above"},
                "reply": {"text": "We counted from one to eight."},
            },
            {
                "when": {"user_contains": "message 8"},
                "reply": {"text": "Eight, and full.", "usage": _FULL},
            },
            {
                "when": {"user_contains": "message"},
                "reply": {"text": "Counted: {{ last_user }}.", "usage": _ROOMY},
            },
        ),
        _each_in_turn(*(f"message {n}" for n in range(1, 11)), model=_SMALL_WINDOW),
    ),
)
"""In the order in which they are recorded."""
