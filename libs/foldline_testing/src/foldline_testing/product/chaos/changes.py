"""Calls that each change one thing of the agent: asked for, killed over, and counted from outside."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from agent_contracts.entities.entity import EntityKind
from agent_contracts.log.record.codec import RecordedEvent
from agent_contracts.log.subjects import consumer_of
from agent_contracts.session_events.decisions import ToolCallRequested
from agent_contracts.session_events.results import ToolCallCompleted, ToolCallFailed
from agent_contracts.tool_spec import RunsOn
from foldline_testing.product.chaos import invariants
from foldline_testing.product.chaos.client import PersistentClient
from foldline_testing.product.chaos.conversation import replay_agrees
from foldline_testing.product.chaos.follower import Follower
from foldline_testing.product.chaos.log_view import LogView
from foldline_testing.product.stack import Stack

AGENT = "default"
TABLES = (
    "CREATE TABLE noted (id INTEGER PRIMARY KEY, name, noise, at)",
    "CREATE TABLE counter (n, noise, at)",
    "INSERT INTO counter VALUES (0, 0, 0)",
)
INSERT = "INSERT INTO noted (name, noise, at) VALUES (?, random(), datetime('now'))"
COUNT = "UPDATE counter SET n = n + 1, noise = random(), at = strftime('%f', 'now')"
_LOOK_S = 0.02
_DEATH = re.compile(r"process\.died.*exit_code=-9.*service=runner")


def script() -> dict[str, Any]:
    """The model's part: it calls the tool that a message names, with what the message says."""
    name = "{{ match.1 }}"
    made = {
        "name": name,
        "description": "For a test.",
        "parameter_schema": {"type": "object"},
        "code": "return 1",
    }
    return {
        "rules": [
            _calls(r"^create_tool (\w+)$", {"name": "create_tool", "arguments": made}),
            _calls(r"^set_state (\w+)$", {"name": "set_state", "arguments": {"key": name, "value": name}}),
            _calls(r"^insert (\w+)$", _sql(INSERT, name)),
            _calls(r"^count (\w+)$", _sql(COUNT)),
            _calls(
                r"^write (\w+) (\d+)$",
                {**_sql(INSERT, name), "each": "range(match.2 | int) | list"},
                {**_sql(COUNT), "each": "range(match.2 | int) | list"},
            ),
            _calls(
                r"^order (\w+)$",
                _sql(f"CREATE TABLE {name} (n, noise)"),
                _sql(f"INSERT INTO {name} VALUES (1, random())"),
                _sql(f"UPDATE {name} SET n = n + 1"),
                _sql(f"SELECT n FROM {name}"),
                {"name": "set_state", "arguments": {"key": name, "value": 1}},
                {"name": "get_state", "arguments": {"key": name}},
                {"name": "set_state", "arguments": {"key": name, "value": 2}},
            ),
            _calls(r"^ask (\d+) (.+)$", {**_sql("{{ match.2 }}"), "each": "range(match.1 | int) | list"}),
        ]
    }


def _calls(words: str, *calls: dict[str, Any]) -> dict[str, Any]:
    return {"when": {"user_matches": words}, "turns": [{"tool_calls": [*calls]}, {"text": "Done."}]}


def _sql(sql: str, *params: str) -> dict[str, Any]:
    return {"name": "db_sql", "arguments": {"sql": sql, "params": [*params]}}


@dataclass(frozen=True)
class Turn:
    """A session of one turn, once it settled: its events, and what of the invariants is broken."""

    session_id: str
    events: Sequence[RecordedEvent[Any]]
    broken: tuple[str, ...]

    @property
    def results(self) -> list[ToolCallCompleted | ToolCallFailed]:
        """How its calls ended, in the order in which they did."""
        endings = (ToolCallCompleted, ToolCallFailed)
        return [one.event for one in self.events if isinstance(one.event, endings)]

    @property
    def took_s(self) -> list[float]:
        """From each call's request to its result, by the log's times."""
        asked: dict[str, datetime] = {}
        took = []
        for one in self.events:
            at = datetime.fromisoformat(one.envelope.time)
            match one.event:
                case ToolCallRequested(call_id=call_id):
                    asked[call_id] = at
                case ToolCallCompleted(call_id=call_id) | ToolCallFailed(call_id=call_id):
                    took.append((at - asked[call_id]).total_seconds())
        return took


async def tell_turn(client: PersistentClient, view: LogView, text: str, patience_s: float = 90) -> Turn:
    """Say it in a new session, wait until that settles, and check it. `TimeoutError` if it doesn't."""
    session_id, ack = await client.create(text, text[:60])
    async with Follower(client, session_id) as follower:
        await follower.until_settled(session_id, ack.sequence, patience_s)
    events = await view.events(session_id)
    broken = [
        *invariants.acked_is_in_the_log(events, [ack]),
        *invariants.each_call_has_one_result(events),
        *invariants.each_decision_saw_everything_before(events),
        *await replay_agrees(session_id, events, client),
    ]
    return Turn(session_id, events, tuple(f"{text}: {what}" for what in broken))


def out_of_order(turn: Turn) -> list[str]:
    """What of an `order` turn's calls went another way than one after another."""
    failed = [str(one.error) for one in turn.results if isinstance(one, ToolCallFailed)]
    results = {one.call_id: one.result for one in turn.results if isinstance(one, ToolCallCompleted)}
    given: list[Any] = [results[call_id] for call_id in sorted(results)]
    if failed or len(given) != 7:
        return [f"{turn.session_id}: {len(given)} of 7 calls succeeded, failed: {failed}"]
    read = {"rows": given[3]["rows"], "state": given[5]["value"]}
    wanted = {"rows": [[2]], "state": 1}
    return [] if read == wanted else [f"{turn.session_id}: read {read}, not {wanted}"]


async def times_made(turn: Turn, view: LogView, tool: str, name: str) -> int:
    """How often the change that the turn's only call asked for is in the log."""
    match tool:
        case "create_tool":
            return await view.writes(AGENT, name, EntityKind.TOOL)
        case "set_state":
            return await view.writes(AGENT, name)
        case _:
            written = await view.database_writes(AGENT)
            return sum(one.event.session_id == turn.session_id for one in written)


async def until_nothing_is_in_hand(view: LogView, patience_s: float = 60) -> None:
    """Return when the runners have acknowledged every call: what a killed one had was delivered again."""
    async with asyncio.timeout(patience_s):
        while await view.in_hand(consumer_of(RunsOn.TOOLS)):  # noqa: ASYNC110 — others acknowledge
            await asyncio.sleep(_LOOK_S)


def runners_killed(stack: Stack) -> int:
    """How many runner processes ended by SIGKILL so far, by what the supervisor saw."""
    return len(_DEATH.findall(stack.log))
