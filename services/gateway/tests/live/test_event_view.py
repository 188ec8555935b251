"""Whatever stands in the log can be shown: as JSON, at any depth."""

import json

import msgspec
import pytest

from agent_contracts.ids import AgentId, SessionId
from agent_contracts.log.record.codec import type_of
from agent_contracts.log.record.records import StoredMessage, split
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.nesting import DEEPEST
from agent_contracts.session_events.inputs import UserMessage
from gateway.live.event_view import event_view

SUBJECT = SessionKey(AgentId("a"), SessionId("s_1")).input(type_of(UserMessage))
EVENT = '[1795768805057,{"actor":"user","by":"/gateway","event":{"type":"user_message","text":"hi","x":%s}}]'


@pytest.mark.parametrize("levels", [1, DEEPEST - 1, DEEPEST, 900, 1_100, 100_000])
@pytest.mark.parametrize("nested", ["[]", '{"a":}'])
def test_a_field_that_nobody_knows_may_be_nested_as_deep_as_it_likes(levels: int, nested: str) -> None:
    opening, closing = nested[:-1], nested[-1]
    deep = opening * levels + ("1" if closing == "}" else "") + closing * levels
    (message,) = split(StoredMessage(5, SUBJECT, (EVENT % deep).encode(), {"Nats-Msg-Id": "e1"}))
    shown = json.loads(msgspec.json.encode(event_view(message)))
    assert shown["sequence"] == 5
    assert ("x" in shown["body"]) is (levels < DEEPEST)
    assert ("unreadable" in shown["body"]) is (levels >= DEEPEST)
    assert (shown["problem"] is None) is (levels < DEEPEST)
