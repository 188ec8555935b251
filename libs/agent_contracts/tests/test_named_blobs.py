"""Each event names its blobs, so that exports hold them and checks look for them."""

from collections.abc import Callable

import msgspec
import pytest

from agent_contracts.blob_ref import BlobRef, Excerpt
from agent_contracts.entities.entity import EntityKind, EntityWritten
from agent_contracts.entities.tool_answers import KeyedCall, ToolAnswer
from agent_contracts.event import Event
from agent_contracts.files import FileScope, FileValue, SentFile
from agent_contracts.ids import CallId
from agent_contracts.named_blobs import blobs_named_by
from agent_contracts.pictures import Picture
from agent_contracts.session_events.inputs import Renamed, UserMessage
from agent_contracts.session_events.results import (
    ModelCallCompleted,
    ModelCallFailed,
    ModelFailure,
    Thinking,
    ToolCallCompleted,
    Usage,
)

CALL = CallId("c_1")
FIRST, SECOND = "a" * 64, "b" * 64


def written(kind: EntityKind, value: msgspec.Struct) -> EntityWritten:
    return EntityWritten(kind, "n_1", msgspec.to_builtins(value), 1)


def test_what_a_model_saw_is_named_whether_it_answered_or_failed() -> None:
    answered = ModelCallCompleted(CALL, "hi", Usage(1, 1), "m", context=FIRST)
    failed = ModelCallFailed(CALL, ModelFailure.TIMEOUT, "late", "m", context=FIRST)
    assert list(blobs_named_by(answered)) == list(blobs_named_by(failed)) == [FIRST]


NAMING: dict[str, Callable[[], Event]] = {
    "a long thinking besides what was seen": lambda: ModelCallCompleted(
        CALL, "hi", Usage(1, 1), "m", context=FIRST, thinking=Thinking("a", whole=BlobRef(SECOND, 9))
    ),
    "two files of a message": lambda: UserMessage(
        "look",
        files=(
            SentFile("f_1", "a.txt", "text/plain", 3, 1, FIRST),
            SentFile("f_2", "b.txt", "text/plain", 3, 1, SECOND),
        ),
    ),
    "a large result and its picture": lambda: ToolCallCompleted(
        call_id=CALL,
        runner="r",
        result=None,
        excerpt=Excerpt("a", "c", BlobRef(FIRST, 3)),
        pictures=(Picture(SECOND, "image/png", 3, "a"),),
    ),
}


@pytest.mark.parametrize("event", NAMING.values(), ids=NAMING)
def test_an_event_that_holds_two_names_both(event: Callable[[], Event]) -> None:
    assert list(blobs_named_by(event())) == [FIRST, SECOND]


def test_a_file_and_the_large_answer_to_a_call_with_a_key_are_named() -> None:
    file = FileValue("a.txt", "text/plain", 3, FIRST, FileScope.AGENT, "upload")
    call = KeyedCall("f", "r", ToolAnswer(blob=BlobRef(SECOND, 3)))
    assert list(blobs_named_by(written(EntityKind.FILE, file))) == [FIRST]
    assert list(blobs_named_by(written(EntityKind.CALL, call))) == [SECOND]


@pytest.mark.parametrize(
    "event",
    [
        UserMessage("hi"),
        Renamed("a"),
        ModelCallCompleted(CALL, "hi", Usage(1, 1), "m", thinking=Thinking("a")),
        ToolCallCompleted(call_id=CALL, runner="r", result=1),
        written(EntityKind.CALL, KeyedCall("f", "r", ToolAnswer(1))),
        written(EntityKind.CALL, KeyedCall("f", "r")),
    ],
)
def test_what_holds_none_names_none(event: Event) -> None:
    assert list(blobs_named_by(event)) == []
