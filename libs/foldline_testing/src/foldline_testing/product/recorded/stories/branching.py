"""Stories of several sessions, and of going back: sub-sessions, rewinds, forks."""

from foldline_testing.product.recorded.player import MAIN, Player
from foldline_testing.product.recorded.story import Story, call, calls, when

_PARTS = ["conversation", "agent", "database"]


def _sub_sessions(play: Player) -> None:
    session = play.begin("ask two helpers")
    state = play.until(session, lambda now: len(now["children"]) == 2)
    for number, child in enumerate(state["children"], 1):
        play.keep(child["child_id"], f"child-{number}")
    asking = play.sessions["child-2"]
    play.settled(asking, "waiting_for_input")
    play.look(session)
    play.answer(asking, {"answer": "green", "from_options": False})
    play.settled(asking, "completed")
    play.settled(session)


def _question_beside_helper(play: Player) -> None:
    session = play.begin("ask and wait")
    state = play.until(session, lambda now: len(now["children"]) == 1)
    child = play.keep(state["children"][0]["child_id"], "child-1")
    play.until(session, lambda now: now["status"] == "waiting_for_input")
    play.say(session, "this is read later")
    play.settled(child, "completed")
    play.until(session, lambda now: len(now["open_calls"]) == 1)
    play.look(session)
    play.say(session, "green")
    play.settled(session)


def _archived_with_helper(play: Player) -> None:
    session = play.begin("start a helper that asks")
    state = play.until(session, lambda now: len(now["children"]) == 1)
    child = play.keep(state["children"][0]["child_id"], "child-1")
    play.settled(session)
    play.settled(child, "waiting_for_input")
    play.do(session, "archive")
    play.settled(session, "completed")
    play.settled(child, "completed")
    play.until(session, lambda now: now["children"][0]["status"] == "completed")
    play.settled(session, "completed")


def _painted(play: Player) -> tuple[str, int]:
    """A session that painted a wall white, then red; and the last event of the first turn."""
    session = play.begin("paint wall white")
    play.settled(session)
    white = play.last(session)
    play.say(session, "paint wall red")
    play.settled(session)
    return session, white


def _rewind(play: Player) -> None:
    session, white = _painted(play)
    play.do(session, "rewind", to=white, parts=_PARTS)
    play.settled(session)
    play.say(session, "what colour is it?")
    play.settled(session)


def _rewind_undone(play: Player) -> None:
    session, white = _painted(play)
    play.change(session, thinking={"effort": "low"})
    red = play.last(session)
    play.do(session, "rewind", to=white, parts=_PARTS)
    play.settled(session)
    play.say(session, "paint wall blue")
    play.settled(session)
    play.do(session, "rewind", to=red, parts=_PARTS)
    play.settled(session)
    play.say(session, "what colour is it?")
    play.settled(session)
    play.do(session, "rewind", to=white, parts=["agent"])
    play.settled(session)


def _files(play: Player) -> None:
    session = play.begin("make two files")
    made = play.settled(session)["last_sequence"]
    play.say(session, "swap the files")
    play.settled(session)
    play.do(session, "rewind", to=made, parts=["files"])
    play.settled(session)
    play.send(session, "what does it say?", "tea.txt")
    play.settled(session)


def _fork(play: Player) -> None:
    session, white = _painted(play)
    forked = play.do(session, "fork", at=white, message="paint wall green", title="Another way")
    fork = play.keep(forked["id"], "fork")
    play.settled(fork)
    play.say(fork, "what colour is it?")
    play.settled(fork)
    of_the_fork = play.do(fork, "fork", at=play.last(fork), message="and now?")
    play.settled(play.keep(of_the_fork["id"], "fork-of-the-fork"))


def _fork_in_a_turn(play: Player) -> None:
    session = play.begin("paint twice")
    play.settled(session)
    first = play.last_of(session, "tool_call_completed")
    requested = play.last_of(session, "tool_call_requested")
    live = play.do(session, "replay", mode="live", at=requested)
    assert live["fork_sequence"] < first, "there was a point of rest before the second call"
    play.settled(play.keep(live["id"], "live"))
    assert MAIN in play.sessions


def _unreported(play: Player) -> None:
    session = play.begin("a helper that keeps it to itself")
    state = play.settled(session)
    [child] = state["children"]
    play.keep(child["child_id"], "helper")
    play.settled(child["child_id"], "completed")


_PAINT = {
    "when": {"user_matches": r"paint (?P<key>\S+) (?P<value>white|red|blue|green)"},
    "turns": [
        calls(call("set_state", key="{{ match.key }}", value="{{ match.value }}")),
        {"text": "Painted."},
    ],
}
_SPAWNED = "{{ results | selectattr('id', 'defined') | map(attribute='id') | list }}"
_ASKS = when(
    "[asks]",
    calls(call("ask_user", question="Which colour?")),
    calls(call("report_result", result="{{ result.ask_user.answer }}"), call("set_state", key="k", value=1)),
)

STORIES = (
    Story(
        "sub-sessions",
        "Two helpers: one reports, one asks the user first. The parent waits for both.",
        (
            when(
                "[reports]",
                calls(call("write_notepad", content="2. rest")),
                calls(call("report_result", result="found tea")),
            ),
            _ASKS,
            when(
                "two helpers",
                calls(call("write_notepad", content="1. dig")),
                calls(call("spawn_session", task="[reports] look for tea", copy_notepad=True)),
                calls(call("spawn_session", task="[asks] look for paint", token_limit=50_000)),
                calls(call("wait_for_sessions", ids=_SPAWNED)),
                calls(call("wait_for_sessions", ids=["c_none"])),
                {"text": "Both have ended."},
            ),
        ),
        _sub_sessions,
    ),
    Story(
        "question-beside-helper",
        "A session waits for a helper and for an answer: once the helper is done, a message is the answer.",
        (
            when(
                "[slow]",
                calls(call("selftest_sleep", ms=3_000)),
                calls(call("report_result", result="done")),
            ),
            when(
                "ask and wait",
                calls(call("spawn_session", task="[slow] work")),
                calls(
                    call("ask_user", question="Which colour?"),
                    call("wait_for_sessions", ids=_SPAWNED),
                ),
                {"text": "{{ result.ask_user.answer }}, and all is done."},
            ),
        ),
        _question_beside_helper,
    ),
    Story(
        "unreported",
        "A helper that only says its result is asked for it once, and then ended; one with too few tokens to "
        "be asked is refused.",
        (
            when("[says]", {"text": "There was tea."}),
            {"when": {"user_contains": "Call `report_result` now"}, "reply": {"text": "As I said: tea."}},
            when(
                "helper that keeps it",
                calls(call("spawn_session", task="[says] look for tea", token_limit=10)),
                calls(call("spawn_session", task="[says] look for tea")),
                calls(call("wait_for_sessions", ids=_SPAWNED)),
                {"text": "It said something."},
            ),
        ),
        _unreported,
    ),
    Story(
        "archived-with-helper",
        "A session is archived while its helper waits for an answer: both end.",
        (
            _ASKS,
            when("helper that asks", calls(call("spawn_session", task="[asks] wait")), {"text": "It waits."}),
        ),
        _archived_with_helper,
    ),
    Story("rewind", "Back to the first turn, with what the agent changed.", (_PAINT,), _rewind),
    Story(
        "rewind-undone",
        "Back, on another way, and forward again to where it was; then the agent's part alone.",
        (_PAINT,),
        _rewind_undone,
    ),
    Story(
        "files",
        "Files are made, change places, go back, and one is sent with a message and read.",
        (
            when(
                "make two files",
                calls(
                    call("file_create", path="tea.txt", text="Assam\n"),
                    call("file_create", path="notes/coffee.txt", text="Arabica\n"),
                ),
                calls(call("file_write_text", path="tea.txt", text="Darjeeling\n", append=True)),
                {"text": "Made."},
            ),
            when(
                "swap the files",
                calls(
                    call("file_rename", path="tea.txt", new_path="between.txt"),
                    call("file_rename", path="notes/coffee.txt", new_path="tea.txt"),
                    call("file_rename", path="between.txt", new_path="notes/coffee.txt"),
                    call("file_copy", path="tea.txt", new_path="copy.txt"),
                    call("file_read_text", path="missing.txt"),
                ),
                {"text": "Swapped."},
            ),
            when(
                "what does it say",
                calls(call("file_read_text", path="tea.txt"), call("file_search", query="arabica")),
                {"text": "Read."},
            ),
        ),
        _files,
    ),
    Story("fork", "Another way from the first turn, and a fork of that fork.", (_PAINT,), _fork),
    Story(
        "fork-in-a-turn",
        "A fork in the middle of a turn: its next model call really happens.",
        (
            when(
                "paint twice",
                calls(call("set_state", key="wall", value="white")),
                calls(call("set_state", key="wall", value="red")),
                {"text": "Painted twice."},
            ),
        ),
        _fork_in_a_turn,
    ),
)
"""In the order in which they are recorded."""
