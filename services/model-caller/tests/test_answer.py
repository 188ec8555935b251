"""Answers are put together whatever way a provider cuts and numbers them."""

import json
from types import SimpleNamespace
from typing import Any

import pytest

from model_caller.answers import answer
from model_caller.answers.answer import (
    MAX_CHARACTERS,
    AnswerPiece,
    AnswerTooLarge,
    AskedCall,
    Assembly,
    ToolPiece,
)


def assembled(*pieces: ToolPiece) -> list[tuple[str, str, str]]:
    """The calls that these pieces, each in a chunk of its own, make."""
    assembly = Assembly()
    for piece in pieces:
        assembly.add(AnswerPiece(tools=(piece,)))
    return [(call.provider_id, call.name, call.arguments) for call in assembly.calls()]


def test_text_is_joined() -> None:
    assembly = Assembly()
    for text in ("Hel", "", "lo"):
        assembly.add(AnswerPiece(text))
    assert assembly.text == "Hello"
    assert assembly.calls() == ()


def test_arguments_in_pieces_are_joined() -> None:
    assert assembled(
        ToolPiece(0, "a", "get_state"), ToolPiece(0, arguments='{"key"'), ToolPiece(0, arguments=':"x"}')
    ) == [("a", "get_state", '{"key":"x"}')]


def test_interleaved_calls_are_kept_apart_by_their_index() -> None:
    assert assembled(
        ToolPiece(0, "a", "f", '{"n"'),
        ToolPiece(1, "b", "g", '{"m"'),
        ToolPiece(0, arguments=":1}"),
        ToolPiece(1, arguments=":2}"),
    ) == [("a", "f", '{"n":1}'), ("b", "g", '{"m":2}')]


def test_one_index_for_all_calls_is_told_apart_by_their_ids() -> None:
    assert assembled(ToolPiece(0, "a", "f", "{}"), ToolPiece(0, "b", "f", "{}")) == [
        ("a", "f", "{}"),
        ("b", "f", "{}"),
    ]


def test_one_index_and_no_ids_are_told_apart_by_names_after_arguments() -> None:
    assert assembled(ToolPiece(0, "", "f", "{}"), ToolPiece(0, "", "g", "{}")) == [
        ("", "f", "{}"),
        ("", "g", "{}"),
    ]


def test_the_same_call_twice_under_one_index_is_two_calls_where_their_ids_or_arguments_differ() -> None:
    one, other = ToolPiece(0, "call_1", "f", '{"a":1}'), ToolPiece(0, "call_2", "f", '{"a":1}')
    assert assembled(one, other) == [("call_1", "f", '{"a":1}'), ("call_2", "f", '{"a":1}')]
    assert assembled(one, one) == [("call_1", "f", '{"a":1}')], "said once more"
    unnamed = ToolPiece(0, "", "f", '{"a":1}')
    assert assembled(unnamed, unnamed) == [("", "f", '{"a":1}')] * 2


def test_one_id_for_two_indexes_is_two_calls() -> None:
    assert [name for _, name, _ in assembled(ToolPiece(0, "x", "f", "{}"), ToolPiece(1, "x", "g", "{}"))] == [
        "f",
        "g",
    ]


def test_no_index_at_all_goes_on_with_the_last_call() -> None:
    assert assembled(
        ToolPiece(None, "a", "f", '{"n":'),
        ToolPiece(None, arguments="1}"),
        ToolPiece(None, "b", "g", "{}"),
    ) == [("a", "f", '{"n":1}'), ("b", "g", "{}")]


def test_a_name_in_pieces_is_joined() -> None:
    assert assembled(ToolPiece(0, "a", "get_"), ToolPiece(0, "", "state"), ToolPiece(0, arguments="{}")) == [
        ("a", "get_state", "{}")
    ]


def test_a_name_that_is_repeated_with_every_piece_is_taken_once() -> None:
    assert assembled(
        ToolPiece(0, "a", "f"),
        ToolPiece(0, "a", "f", '{"n"'),
        ToolPiece(0, "a", "f", ":1}"),
        ToolPiece(0, "a", "f"),
    ) == [("a", "f", '{"n":1}')]


def test_an_id_that_comes_late_is_taken() -> None:
    assert assembled(ToolPiece(0, "", "f"), ToolPiece(0, "late", "", "{}")) == [("late", "f", "{}")]


def test_a_name_is_told_once_it_is_known_to_be_whole() -> None:
    assembly = Assembly()
    assembly.add(AnswerPiece(tools=(ToolPiece(0, "a", "get_"),)))
    assert assembly.names() == []
    assembly.add(AnswerPiece(tools=(ToolPiece(0, "", "state"), ToolPiece(1, "b", "g"))))
    assert assembly.names() == ["get_state"]
    assembly.add(AnswerPiece(tools=(ToolPiece(1, arguments="{"),)))
    assert assembly.names() == ["get_state", "g"]


def test_of_a_call_through_call_tool_the_real_name_is_told_once_it_is_known() -> None:
    assembly = Assembly()
    assembly.add(AnswerPiece(tools=(ToolPiece(0, "a", "call_tool", '{ "name" :'),)))
    assert assembly.names() == []
    assembly.add(AnswerPiece(tools=(ToolPiece(0, arguments=' "db_sch'),)))
    assert assembly.names() == []
    assembly.add(AnswerPiece(tools=(ToolPiece(0, arguments='ema", "arguments": {"name": "x"}}'),)))
    assert assembly.names() == ["db_schema"]
    assembly.add(AnswerPiece(tools=(ToolPiece(1, "b", "call_tool", '{"arguments": {"name": "x"}'),)))
    assert assembly.names() == ["db_schema"]
    assert assembly.names(ended=True) == ["db_schema", "call_tool"]
    assembly.add(AnswerPiece(tools=(ToolPiece(2, "c", "call_tool", "{}"), ToolPiece(3, "d", "ask"))))
    assert assembly.names() == ["db_schema", "call_tool", "call_tool"]
    assert assembly.names(ended=True) == ["db_schema", "call_tool", "call_tool", "ask"]


@pytest.mark.parametrize("piece", [AnswerPiece("x" * 1000), AnswerPiece(tools=(ToolPiece(0, "a"),) * 1000)])
def test_an_endless_answer_is_refused(piece: AnswerPiece) -> None:
    assembly = Assembly()
    for _ in range(MAX_CHARACTERS // 1000):
        assembly.add(piece)
    with pytest.raises(AnswerTooLarge):
        assembly.add(piece)


def test_a_call_without_a_name_is_still_a_call() -> None:
    assembly = Assembly()
    assembly.add(AnswerPiece(tools=(ToolPiece(0, "a", "", "{}"),)))
    assert assembly.calls() == (AskedCall("a", "", "{}"),)


def test_a_name_with_every_piece_makes_nobody_read_all_that_came_each_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A file of 100 KB took seconds, in which nothing else of the process ran."""
    read: list[str] = []

    def reading(text: str) -> Any:
        read.append(text)
        return json.loads(text)

    monkeypatch.setattr(answer, "json", SimpleNamespace(loads=reading))
    pieces = ['{"text": "', *["word "] * 1_000, '"}']
    assembly = Assembly()
    for piece in pieces:
        assembly.add(AnswerPiece(tools=(ToolPiece(0, "c1", "write_file", piece),)))
    assert [call.arguments for call in assembly.calls()] == ["".join(pieces)]
    assert sum(map(len, read)) < 10_000
