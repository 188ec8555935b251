"""One turn as a command sees it: say something, then follow the live events until the session settles."""

import json
import uuid
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import msgspec

from agent_contracts.api.calls import ToolCall
from agent_contracts.api.messages import Message
from agent_contracts.api.sessions import SessionNow
from agent_contracts.entities.agent_texts import DEFAULT_AGENT
from agent_contracts.errors import Rejected
from agent_contracts.json_value import Json
from agent_contracts.log.address import parse_address
from agent_contracts.log.record.codec import type_of
from agent_contracts.session_events.decisions import ToolQuarantined
from agent_contracts.sessions.open_questions import ANSWERED_BY_WORDS, kind_of
from agent_contracts.sessions.rendering import WAITS_FOR_NOBODY
from agent_contracts.sessions.session_view import FoldedCall, SessionView
from agent_contracts.tool_spec import RunsOn
from foldline.cli.client import Gateway
from foldline.cli.uploads import LocalFile, send_files

_QUARANTINED = type_of(ToolQuarantined)
"""Told by its event alone: no row of the session says so."""
_FURTHER = 1_000_000
"""How many tokens more are proposed where a session reached its limit."""
_INCOMPLETE = {
    "stopped": "stopped here",
    "cancelled": "broken off here",
    "token_limit": "broken off here, at the token limit",
    "failed": "broken off here: the model's server failed",
    "repetition": "broken off here: the model repeated itself",
    "length": "the answer ends here, at the greatest length that the model gives",
    "content_filter": "the provider's content filter ended the answer here",
}


class ChatPiece(NamedTuple):
    """Something to print: the agent's words, which are Markdown, or a note about what happens. A
    `passing` one says what goes on until the next; an empty one, that it is over."""

    text: str
    answer: bool = False
    passing: bool = False


class CallQuestion(NamedTuple):
    """A call that waits for a person, what it shows them, what it runs with, and how many others wait."""

    call_id: str
    show: dict[str, Json]
    arguments: dict[str, Json]
    others: int = 0


def question_among(calls: Sequence[FoldedCall], preferred: str | None = None) -> CallQuestion | None:
    """The call that a person is to answer next: the preferred one, else the first; None where none waits."""
    waiting = [one for one in calls if one.status == "pending" and _waits_for_person(one)]
    if not waiting:
        return None
    one = next((call for call in waiting if call.call_id == preferred), waiting[0])
    return CallQuestion(one.call_id, one.show or {}, one.arguments, len(waiting) - 1)


def _waits_for_person(call: FoldedCall) -> bool:
    return call.show is not None and kind_of(call.show) not in WAITS_FOR_NOBODY


def how_it_goes_on(retry_at: str | None, session_id: str) -> str:
    """What a person can do about a turn that failed."""
    again = f"Your message is safe. Try again: foldline retry {session_id}, or send another message."
    if retry_at is None:
        return again
    moment = datetime.fromisoformat(retry_at).astimezone()
    return f"{again} It retries automatically at {moment:%H:%M:%S} at the latest."


def _asked_again(retrying: dict[str, Any]) -> ChatPiece:
    if retrying.get("model"):
        return ChatPiece(f"\n… asking {retrying['model']}: {retrying['reason']}\n")
    which = f"{retrying['attempt']} of {retrying['attempts']}"
    return ChatPiece(f"\n… asking again, {which}, in {retrying['in_s']:g} s: {retrying['reason']}\n")


def thinking_of(effort: str | None, budget: int | None) -> dict[str, Json] | None:
    """How much the model of a session is to think, as the API takes it; None: nobody said."""
    wanted: dict[str, Json] = {"effort": effort, "budget": budget}
    return {name: value for name, value in wanted.items() if value is not None} or None


class ChatTurn:
    """Speaks in one session (a new one of `agent_id`, asking `model`, if None is given) and follows it."""

    def __init__(
        self,
        door: Gateway,
        session_id: str | None,
        agent_id: str | None = None,
        model: str | None = None,
        thinking: dict[str, Json] | None = None,
    ) -> None:
        self._door = door
        chosen = {"agent_id": agent_id, "model": model, "thinking": thinking}
        self._chosen = {name: value for name, value in chosen.items() if value is not None}
        self.session_id = session_id or ""
        self.status = "idle"
        self.answer = ""
        self.failure: str | None = None
        self.question: CallQuestion | None = None
        self.queued = False
        """Whether the last message waits until the question has its answer."""
        self._after = "0"
        self._asked: str | None = None
        self.streams = True
        """Whether an answer is shown as it comes, also where it may turn out to be thinking."""
        self._streamed: tuple[str, int] | None = None
        self._shown = ""
        self._reads = False
        self._told: set[tuple[str, str]] = set()

    def say(self, text: str) -> None:
        """Post a message; sent twice by mistake it counts once."""
        key = uuid.uuid4().hex
        if self.session_id:
            self._post({"text": text}, key)
        else:
            self.status, self.failure = "running", None
            created = self._door.post("/sessions", {"message": text, **self._chosen}, key)
            self.session_id, self._after = created["id"], str(created["last_sequence"])

    def say_with(self, text: str, files: Sequence[LocalFile]) -> None:
        """Send files and say something of them; where there is no session yet, it is begun for them."""
        if not self.session_id:
            self.session_id = self._door.post("/sessions", {**self._chosen}, uuid.uuid4().hex)["id"]
        stored = send_files(self._door, files, {"session_id": self.session_id})
        self._post({"text": text, "files": [one.file_id for one in stored]}, uuid.uuid4().hex)

    def think(self) -> None:
        """Have the model of a session that is there already think as much as was chosen, from now on."""
        if self.session_id and "thinking" in self._chosen:
            change = {"thinking": self._chosen["thinking"]}
            self._door.patch(f"/sessions/{self.session_id}", change, uuid.uuid4().hex)

    def look(self) -> None:
        """Find out whether the session waits for a person already."""
        self._wait_for_person(self._state())

    def _look_whether_queued(self) -> None:
        """A message answers a question that waits alone. While anything else waits, it is read after that."""
        state = self._state()
        alone = len(state.open_calls) == 1 and kind_of(state.open_calls[0].show) in ANSWERED_BY_WORDS
        self.question = None
        self.queued = not alone and self._wait_for_person(state)

    def _wait_for_person(self, state: SessionView) -> bool:
        found = question_among(state.open_calls) if state.status == "waiting_for_input" else None
        if found is not None:
            self.question, self.status = found, "waiting_for_input"
        return found is not None

    def prompts(self) -> dict[str, Any]:
        """Those of the MCP servers of whoever answers here, and the servers that are silent."""
        agent = self._chosen.get("agent_id", DEFAULT_AGENT)
        if self.session_id:
            agent = self._door.get(f"/sessions/{self.session_id}")["agent_id"]
        found: dict[str, Any] = self._door.get(f"/agents/{agent}/mcp-prompts")
        return found

    def say_prompt(self, server: str, name: str, arguments: dict[str, str]) -> None:
        """Say what a prompt of a server says. `Rejected` where it can't be had: nothing was said then."""
        if not self.session_id:
            self.session_id = self._door.post("/sessions", {**self._chosen}, uuid.uuid4().hex)["id"]
        chosen = {"server": server, "name": name, "arguments": arguments}
        self._post({"prompt": chosen}, uuid.uuid4().hex)

    def _post(self, message: dict[str, Any], key: str) -> None:
        posted = self._door.post(f"/sessions/{self.session_id}/messages", message, key)
        self._after, self.status, self.failure = str(posted["sequence"]), "running", None
        self._look_whether_queued()

    def retry(self) -> None:
        """Retry the last turn if it failed. `Rejected` where it didn't."""
        state = self._door.get(f"/sessions/{self.session_id}/state")
        if state["failed_turn"] is None:
            raise Rejected("Its last turn did not fail: there is nothing to retry", kind="nothing_failed")
        posted = self._door.post(f"/sessions/{self.session_id}:retry", None, uuid.uuid4().hex)
        self._after, self.status, self.failure = str(posted["sequence"]), "running", None

    def stop(self) -> None:
        """Have the agent stop; it says so by becoming idle."""
        self._door.post(f"/sessions/{self.session_id}:interrupt", None, uuid.uuid4().hex)

    def answer_call(self, call_id: str, response: Json) -> None:
        """Answer the call that waits."""
        body = {"call_id": call_id, "response": response}
        posted = self._door.post(f"/sessions/{self.session_id}/tool-responses", body, uuid.uuid4().hex)
        self._after = str(posted["sequence"])
        self.question, self.status = None, "running"

    def end_hand_over(self, call_id: str, *, done: bool) -> None:
        """Give a browser back that was handed over."""
        path = f"/sessions/{self.session_id}/calls/{call_id}/browser:end"
        self._after = str(self._state().last_sequence)
        self._door.post(path, {"done": done})
        self.question, self.status = None, "running"

    def _state(self) -> SessionView:
        return self._door.read(f"/sessions/{self.session_id}/state", SessionView)

    def wait(self) -> None:
        """Somebody ends the open call elsewhere."""
        self.question, self.status = None, "running"

    def pieces(self) -> Iterator[ChatPiece]:
        """What to print, as it comes, until the session waits for a person or has ended."""
        began = parse_address(self._after).end
        for message in self._door.follow(self.session_id, self._after, rows=True):
            if message.event == "delta":
                yield from self._delta(json.loads(message.data))
                continue
            if message.event == "answer":
                so_far = json.loads(message.data)
                yield from [_asked_again(so_far["retrying"])] if so_far.get("retrying") else []
                yield from self._reading(so_far)
            if message.event != "event":
                continue
            event = json.loads(message.data)
            self._after = event["address"]
            if event["type"] == _QUARANTINED:
                yield ChatPiece(f"\n! {event['body']['message']}\n")
            yield from self._changed(self._read_again() if event["rows"] is None else event["rows"], began)
            if self.status != "running":
                return

    def _delta(self, delta: dict[str, Any]) -> Iterator[ChatPiece]:
        attempt = (delta["call_id"], delta["attempt"])
        if attempt != self._streamed:
            self._streamed, self._shown = attempt, ""
        if delta.get("retrying"):
            yield _asked_again(delta["retrying"])
        yield from self._reading(delta)
        if delta.get("was_thinking") and self._shown:
            self._shown = ""
            yield ChatPiece("\n(What it wrote so far was thinking, and is not part of the answer.)\n")
        if delta.get("text") and self.streams:
            self._shown += delta["text"]
            yield ChatPiece(delta["text"], answer=True)

    def _reading(self, told: dict[str, Any]) -> Iterator[ChatPiece]:
        """How much of the prompt the model's server has read, until the first word."""
        read = told.get("prompt_read")
        if read is not None or self._reads:
            yield ChatPiece("" if read is None else f"Reading the prompt, {read} %", passing=True)
        self._reads = read is not None

    def _changed(self, rows: Sequence[dict[str, Any]], began: int) -> Iterator[ChatPiece]:
        """Print what is new in these rows since the turn began. A row may come more than once, and may be
        several steps ahead of the last one."""
        found: dict[str, list[Any]] = {"messages": [], "tool_calls": [], "sessions": []}
        for one in rows:
            found[one["table"]].append(one["row"])
        drawn: list[Message | ToolCall] = [
            *msgspec.convert(found["messages"], list[Message]),
            *msgspec.convert(found["tool_calls"], list[ToolCall]),
        ]
        for row in sorted(drawn, key=_place):
            yield from self._said(row, began) if isinstance(row, Message) else self._ran(row, began)
        for session in msgspec.convert(found["sessions"], list[SessionNow]):
            yield from self._stands(session)

    def _said(self, message: Message, began: int) -> Iterator[ChatPiece]:
        if message.role == "assistant" and self._is_new(message.address, began):
            self.answer = message.text
            yield from self._rest_of(message)
            yield from _why_incomplete(message)
        if message.refused is not None and (message.address, "refused") not in self._told:
            self._told.add((message.address, "refused"))
            self.failure = message.refused
            yield ChatPiece(f"\n✗ {message.refused}\n")

    def _is_new(self, address: str | None, began: int, what: str = "") -> bool:
        """Whether it happened since then, and nobody was told."""
        if address is None or parse_address(address).place <= began or (address, what) in self._told:
            return False
        self._told.add((address, what))
        return True

    def _ran(self, call: ToolCall, began: int) -> Iterator[ChatPiece]:
        if call.runs_on != RunsOn.ENGINE and self._is_new(call.request_address, began, call.call_id):
            if call.tool == "send_message":
                yield ChatPiece(f"\n{call.arguments.get('text', '')}\n", answer=True)
            else:
                yield ChatPiece(f"\n· {call.tool} {json.dumps(call.arguments, ensure_ascii=False)}\n")
        failed = call.request_address is not None and call.status == "failed"
        if failed and call.error is not None and self._is_new(call.result_address, began, call.call_id):
            yield ChatPiece(f"  ✗ {call.error.kind}: {call.error.message}\n")
        if call.status == "pending" and (call.show or {}).get("kind") not in WAITS_FOR_NOBODY:
            self._asked = call.call_id

    def _stands(self, session: SessionNow) -> Iterator[ChatPiece]:
        """Where the session stands now: whether the turn is over, and how."""
        match session.status:
            case "waiting_for_input":
                # Of several calls that wait, the others are still open when one has had its answer.
                self.question = question_among(self._state().open_calls, self._asked)
                if self.question is not None:
                    self.status = "waiting_for_input"
            case "idle":
                self.status = "idle"
                if (failed := session.failed_turn) is not None:
                    self.failure = failed.message
                    how = how_it_goes_on(failed.retry_at, self.session_id)
                    yield ChatPiece(f"\n✗ {failed.message}\n{how}\n")
            case "token_limit_reached":
                self.status = "token_limit_reached"
                limit, used = session.token_limit, session.usage.tokens
                yield ChatPiece(f"\nThe token limit of {limit:,} is reached: {used:,} tokens are used.\n")
                yield ChatPiece(f"Go on: foldline continue {self.session_id} {used + _FURTHER}\n")
            case "completed":
                self.status = "completed"
            case "error":
                self.status = "error"
                if session.error is not None:
                    self.failure = session.error.message
                    yield ChatPiece(f"\n✗ {session.error.message}\n")

    def _read_again(self) -> list[dict[str, Any]]:
        """The newest rows, where the gateway couldn't tell which of them an event changed."""
        place = f"/sessions/{self.session_id}/messages"
        page = self._door.get(place, min_sequence=parse_address(self._after).sequence)
        calls = [call for one in page["items"] for call in one["tool_calls"]]
        tables = {"messages": page["items"], "tool_calls": calls, "sessions": [page["session"]]}
        return [{"table": name, "row": row} for name, rows in tables.items() for row in rows]

    def _rest_of(self, said: Message) -> Iterator[ChatPiece]:
        """What the recorded answer has beyond what was streamed; deltas are best effort."""
        text, shown = said.text, self._shown
        streamed = self._streamed is not None and self._streamed[0] == said.model_call_id
        complete = streamed and text.startswith(shown)
        yield ChatPiece(text[len(shown) :] if complete else f"\n\n{text}" if shown else text, answer=True)
        self._streamed, self._shown = None, ""


def _place(drawn: Message | ToolCall) -> int:
    address = drawn.address if isinstance(drawn, Message) else drawn.request_address
    return 0 if address is None else parse_address(address).place


def _why_incomplete(said: Message) -> Iterator[ChatPiece]:
    """Why the answer isn't a whole one, if it isn't."""
    if said.incomplete == "empty":
        yield ChatPiece("(the model gave an empty answer)")
    elif said.incomplete is not None:
        words = f": “{said.cut_words}”" if said.cut_words else ""
        yield ChatPiece(f"\n({_INCOMPLETE[said.incomplete]}{words})")
