"""A question of `foldline chat`: an answer may be one of its options, by number."""

from collections.abc import Iterator

import pytest
from rich.prompt import Prompt

from agent_contracts.json_value import Json
from foldline.cli.sessions import chat

SHOW: dict[str, Json] = {"kind": "ask_user", "question": "Which?", "options": ["red", "green", "blue"]}


@pytest.mark.parametrize(
    ("typed", "answer"),
    [("1", "red"), ("2", "green"), ("3", "blue"), ("0", "0"), ("4", "4"), ("-1", "-1"), ("teal", "teal")],
)
def test_the_number_of_an_option_is_that_option_and_anything_else_is_what_it_says(
    monkeypatch: pytest.MonkeyPatch, typed: str, answer: str
) -> None:
    lines: Iterator[str] = iter(["", "  ", typed])
    monkeypatch.setattr(Prompt, "ask", lambda *_, **__: next(lines))
    assert chat._answer(SHOW) == {"answer": answer}


def test_without_options_a_number_is_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Prompt, "ask", lambda *_, **__: "1")
    assert chat._answer({"kind": "ask_user", "question": "How many?"}) == {"answer": "1"}
