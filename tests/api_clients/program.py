"""Says something, allows what the agent asks for, and reads the turn, with a generated client."""

# mypy: disable-error-code="import-not-found"

import json
import os

from foldline_client import AuthenticatedClient
from foldline_client.api.events import list_events
from foldline_client.api.messages import get_turn, post_message
from foldline_client.api.sessions import answer_approval, create_session
from foldline_client.models import (
    AnswerApproval,
    AnswerApprovalDecision,
    BecameIdleRecord,
    CreateSession,
    PostMessage,
    Session,
    Turn,
)

client = AuthenticatedClient(base_url=os.environ["FOLDLINE_URL"], token=os.environ["FOLDLINE_TOKEN"])
session = create_session.sync(client=client, body=CreateSession())
assert isinstance(session, Session)
turn = post_message.sync(session.id, client=client, body=PostMessage(text="Write it down"), wait=30)
assert isinstance(turn, Turn)
tools = [approval.tool for approval in turn.approvals]
for approval in turn.approvals:
    answer_approval.sync(
        approval.id, client=client, body=AnswerApproval(decision=AnswerApprovalDecision.ONCE)
    )
turn = get_turn.sync(session.id, turn.id, client=client, wait=30)
assert isinstance(turn, Turn)
events = list_events.sync(session.id, client=client)
ended = any(isinstance(event, BecameIdleRecord) for event in events.items)
print(json.dumps({"tools": tools, "status": turn.status, "answer": turn.answer, "ended": ended}))
