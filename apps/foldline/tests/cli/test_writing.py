"""What an agent says: Markdown on a terminal as soon as a block is whole, plain text for a pipe."""

import io
import json
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, cast

import pytest
from rich.console import Console, RenderableType
from rich.status import Status

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

    def follow(self, session_id: str, after: str) -> Iterator[SimpleNamespace]:
        return (SimpleNamespace(event=event, data=json.dumps(data)) for event, data in self._frames)


def reading() -> Iterator[ChatPiece]:
    """A turn that is joined while its prompt is read, and then thinks."""
    piece = {"call_id": "m1", "attempt": 1, "index": 0, "text": ""}
    whole = {"call_id": "m1", "text": "Hi.", "finish_reason": "stop"}
    turn = ChatTurn(
        cast(
            Gateway,
            Streams(
                ("answer", {**piece, "prompt_read": 7}),
                ("delta", {**piece, "prompt_read": 40}),
                ("delta", {**piece, "thinking": "Hm"}),
                ("delta", {**piece, "index": 1, "text": "Hi."}),
                (
                    "event",
                    {"address": "5", "type": "foldline.session.model_call_completed.v1", "body": whole},
                ),
                ("event", {"address": "6", "type": "foldline.session.became_idle.v1", "body": {}}),
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
