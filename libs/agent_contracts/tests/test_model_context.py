"""What a call showed is recorded as what is new to it."""

import msgspec

from agent_contracts.model_context import ContextPart, ModelContext, digest_of, shown_after
from agent_contracts.named_blobs import parts_of_context


def test_the_first_call_records_all_that_it_showed() -> None:
    assert shown_after(None, [0]).beyond == (0,)


def test_a_call_records_what_is_new_to_it() -> None:
    first = shown_after(None, [0])
    second = shown_after(first, [0, 1, 2])
    assert (second.kept, second.beyond, second.count) == (1, (1, 2), 3)
    assert second.digest == digest_of([0, 1, 2])


def test_where_the_beginning_is_another_one_everything_is_new() -> None:
    before = shown_after(None, [0, 1, 2, 3])
    for messages in ([-1, 2, 3, 4], [0, 1], []):
        shown = shown_after(before, messages)
        assert (shown.kept, shown.beyond) == (0, tuple(messages))


def test_what_was_asked_for_besides_is_no_part_of_what_the_next_call_goes_on_from() -> None:
    warned = shown_after(None, [0, 1], "warning")
    assert shown_after(warned, [0, 1, 2]).beyond == (2,)


def test_every_blob_that_a_context_consists_of_is_named() -> None:
    context = ModelContext([ContextPart("prompt", "a"), ContextPart("notes", "b")], ["c", "d"], "e")
    assert list(parts_of_context(msgspec.json.encode(context))) == ["a", "b", "c", "d", "e"]
