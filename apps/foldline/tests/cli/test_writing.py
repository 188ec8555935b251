"""What an agent says: Markdown on a terminal as soon as a block is whole, plain text for a pipe."""

import io
import json
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, cast

import pytest
from rich.console import Console, RenderableType
from rich.status import Status

from agent_contracts.api.calls import ToolCall
from foldline.cli.client import Gateway
from foldline.cli.sessions.turns import ChatPiece, ChatTurn
from foldline.cli.sessions.writing import Blocks, write

TEXT = """# Towns

Two of them:

- **Oslo**

  by a fjord
- Bergen

```python
x = 1

y = 2
```

Done."""


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_blocks_are_given_on_whole_however_the_text_comes(size: int) -> None:
    blocks = Blocks()
    given = [block for at in range(0, len(TEXT), size) for block in blocks.add(TEXT[at : at + size])]
    given += blocks.rest()
    assert "".join(given) == TEXT
    assert blocks.rest() == []
    code = next(one for one in given if "```python" in one)
    assert code.count("```") == 2
    towns = next(one for one in given if "Oslo" in one)
    assert "by a fjord" in towns
    assert "Bergen" in towns


def test_a_first_block_does_not_wait_for_the_end() -> None:
    blocks = Blocks()
    assert blocks.add("One.\n\nTwo goes") == []  # it may yet be of a list
    assert blocks.add(" on\n") == ["One.\n\n"]


def test_a_block_without_end_is_given_on_all_the_same() -> None:
    assert Blocks().add("```\n" + "x" * 30_000) != []


def written(*pieces: ChatPiece, terminal: bool) -> str:
    to = Console(file=io.StringIO(), width=60, force_terminal=terminal, color_system=None, emoji=False)
    write(pieces, to, "The agent works")
    assert isinstance(to.file, io.StringIO)
    return to.file.getvalue()


def test_a_terminal_shows_markdown_notes_apart_and_no_orders_of_the_agent() -> None:
    note = ChatPiece('\n· get_state {"key": "a"}\n')
    shown = written(
        ChatPiece("**Oslo** is", answer=True),
        note,
        ChatPiece(" cold\x1b]0;owned\x07", answer=True),
        terminal=True,
    )
    assert "**" not in shown
    assert "\x1b]0" not in shown
    assert shown.index("Oslo") < shown.index("· get_state") < shown.index("cold")


def test_a_pipe_gets_the_text_as_it_is() -> None:
    assert written(ChatPiece("**Oslo**\n\n- a", answer=True), ChatPiece("\n· x\n"), terminal=False) == (
        "**Oslo**\n\n- a\n· x\n"
    )


class Saying(Console):
    """Remembers what is said beside its spinner."""

    said: list[str]

    def status(self, status: RenderableType, **options: Any) -> Status:
        shown = super().status(status, **options)
        update, self.said = shown.update, [str(status)]

        def updated(status: RenderableType) -> None:
            self.said.append(str(status))
            update(status)

        shown.update = updated  # type: ignore[method-assign, assignment]
        return shown


class Streams:
    """A gateway whose client asks for the live events of one session, and for nothing else."""

    def __init__(self, *frames: tuple[str, dict[str, Any]]) -> None:
        self._frames = frames

    def follow(self, session_id: str, after: str, *, rows: bool) -> Iterator[SimpleNamespace]:
        assert rows
        return (SimpleNamespace(event=event, data=json.dumps(data)) for event, data in self._frames)


def message(address: str, text: str, **more: Any) -> tuple[str, Any]:
    of_answer: dict[str, Any] = {
        "model_call_id": None,
        "model": "m",
        "usage": None,
        "files": [],
        "tool_calls": [],
    }
    where = {"session_id": "s_1", "address": address, "sequence": int(address)}
    said = {"role": "assistant", "text": text, "created_at": "2026-01-31T12:00:00.000Z"}
    return "messages", {**where, **said, **of_answer, **more}


def call(asked: str, status: str, tool: str = "look", **more: Any) -> tuple[str, Any]:
    nothing = dict.fromkeys(ToolCall.__struct_fields__)
    ids = {"call_id": f"c{asked}", "tool": tool, "arguments": {"at": 1}, "outside": [], "as_sent": {}}
    return "tool_calls", {**nothing, **ids, "status": status, "request_address": asked, **more}


def session(status: str, **more: Any) -> tuple[str, Any]:
    who = {"id": "s_1", "agent_id": "a", "title": None, "model": None, "parent_id": None, "depth": 0}
    times = dict.fromkeys(("created_at", "active_at", "updated_at"), "2026-01-31T12:00:00.000Z")
    used = {"token_limit": 70, "usage": {"input": 1, "output": 1, "tokens": 88}, "error": None}
    return "sessions", {**who, **times, **used, "status": status, "last_sequence": 9, **more}


def happened(address: str, *rows: tuple[str, Any], type: str = "x") -> tuple[str, dict[str, Any]]:
    told = [{"table": table, "row": row} for table, row in rows]
    return "event", {"address": address, "type": type, "body": {}, "rows": told}


def followed(*frames: tuple[str, dict[str, Any]], after: str = "4", page: Any = None) -> tuple[ChatTurn, str]:
    """A turn that began after an event, and all that it printed."""
    door = Streams(*frames)
    door.get = lambda path, **more: page  # type: ignore[attr-defined]
    turn = ChatTurn(cast(Gateway, door), "s_1")
    turn.status, turn._after = "running", after
    return turn, "".join(piece.text for piece in turn.pieces())


def reading() -> Iterator[ChatPiece]:
    """A turn that is joined while its prompt is read, and then thinks."""
    piece = {"call_id": "m1", "attempt": 1, "index": 0, "text": ""}
    turn = ChatTurn(
        cast(
            Gateway,
            Streams(
                ("answer", {**piece, "prompt_read": 7}),
                ("delta", {**piece, "prompt_read": 40}),
                ("delta", {**piece, "thinking": "Hm"}),
                ("delta", {**piece, "index": 1, "text": "Hi."}),
                happened("5", message("5", "Hi.", model_call_id="m1"), session("running")),
                happened("6", session("idle")),
            ),
        ),
        "s_1",
    )
    turn.status = "running"
    return turn.pieces()


def test_how_much_of_the_prompt_is_read_stands_beside_the_spinner_until_the_model_begins() -> None:
    console = Saying(file=io.StringIO(), force_terminal=True, width=60)
    write(reading(), console, "The agent works.")
    works = "The agent works."
    assert console.said == [
        works,
        f"Reading the prompt, 7 %. {works}",
        f"Reading the prompt, 40 %. {works}",
        works,
    ]


def test_a_pipe_gets_nothing_of_it() -> None:
    out = io.StringIO()
    write(reading(), Console(file=out), "The agent works.")
    assert out.getvalue() == "Hi."


GONE = {"kind": "upstream", "message": "gone", "path": None, "retryable": False}


def test_rows_are_drawn_once_in_order_however_far_they_have_come() -> None:
    said, more = message("5", "I look."), message("9", "Found it.")
    failed = call("6", "failed", error=GONE, result_address="7")
    step_by_step = [
        happened("5", said),
        happened("6", call("6", "requested"), session("running")),
        happened("7", failed, session("running")),
        happened("9", more, session("running")),
        happened("9", said, failed, more, session("idle")),
    ]
    at_once = happened("9", session("idle"), failed, more, said)
    told = 'I look.\n· look {"at": 1}\n  ✗ upstream: gone\nFound it.'
    for frames in (step_by_step, [at_once]):
        turn, printed = followed(*frames)
        assert (printed, turn.answer, turn.status) == (told, "Found it.", "idle")


def test_what_was_there_before_the_turn_is_not_told_again() -> None:
    rated = message("3", "Long ago.", rating="up")
    _, printed = followed(happened("8", rated, call("4", "completed", result_address="4"), session("idle")))
    assert printed == ""


def test_calls_of_the_engine_and_those_that_never_ran_are_not_told() -> None:
    unknown = call("6", "failed", error=GONE, request_address=None, result_address="5")
    _, printed = followed(
        happened("8", call("7", "requested", runs_on="engine"), unknown, session("idle", queued=[]))
    )
    assert printed == ""


def test_a_session_whose_messages_nobody_has_read_yet_is_at_work() -> None:
    turn, printed = followed(
        happened("5", session("running", queued=["4"])), happened("8", message("8", "Hi."), session("idle"))
    )
    assert (printed, turn.status) == ("Hi.", "idle")


@pytest.mark.parametrize(
    ("row", "status", "told"),
    [
        (session("token_limit_reached"), "token_limit_reached", "limit of 70 is reached: 88 tokens are used"),
        (session("error", error={"kind": "internal", "message": "It broke."}), "error", "✗ It broke."),
        (session("completed"), "completed", ""),
        (message("8", "Hm", incomplete="length"), "running", "ends here, at the greatest length"),
        (message("8", "", incomplete="empty"), "running", "(the model gave an empty answer)"),
        (message("4", "Hi", role="user", refused="it is over"), "running", "✗ it is over"),
    ],
)
def test_how_it_ended_is_told(row: tuple[str, Any], status: str, told: str) -> None:
    turn, printed = followed(happened("8", row))
    assert turn.status == status
    assert told in printed


def test_where_nobody_can_tell_what_changed_the_session_is_read_again() -> None:
    page = {"items": [message("3", "Long ago.")[1], message("8", "Hi.")[1]], "session": session("idle")[1]}
    turn, printed = followed(("event", {"address": "8", "type": "x", "body": {}, "rows": None}), page=page)
    assert (printed, turn.status) == ("Hi.", "idle")
