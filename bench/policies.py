"""What policy and provenance cost of a step, beside the same steps without them."""

import time
from collections.abc import Callable, Sequence
from functools import partial

import msgspec

from agent_contracts.ids import AgentId, CallId, SessionId, tool_call_id
from agent_contracts.json_value import Json
from agent_contracts.log.record.codec import RecordedEvent
from agent_contracts.log.record.records import StoredMessage, decode
from agent_contracts.outside import web
from agent_contracts.policies import Match, Policy, PolicyJudgement, Rule, Verdict
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import results
from agent_contracts.session_events.union import SessionEvent
from agent_contracts.tool_spec import Effect, RunsOn, ToolSpec
from agent_domain.policies.judgement import CompiledPolicies, judge
from agent_domain.policies.policy_request import Context, WebOrigin, request_of
from bench.conversation import Conversation, as_message
from bench.sampling import median
from bench.script import KILOBYTE
from bench.table import Figure, at_most
from model_caller.answers.gate import PolicyGate
from session_domain.domain.fold.evolve import evolve
from session_domain.domain.messages import SessionToolCall
from session_domain.domain.state import SessionState

GROUP = "policies"
_ID, _AGENT = SessionId("s_bench"), AgentId("default")
_HOSTS = 40
_MOST_MS = 0.15
_MOST_BYTES = 700
_TOOL = ToolSpec("fetch_url", "Fetch.", {"type": "object"}, "web", Effect.EXTERNAL, RunsOn.TOOLS)
_TOOLS = {_TOOL.name: _TOOL}


class Fetching(Conversation):
    """A session that fetches what each page names next: with verdicts and sources, or without."""

    def __init__(self, *, marked: bool) -> None:
        self._marked = marked
        self._pages = 0
        super().__init__(_ID)

    def asked(self, call_id: CallId) -> results.ResolvedCall:
        """The page that the last one named."""
        url = _url(self._pages)
        call = results.ResolvedCall(
            tool_call_id(call_id, 0), "call_1", _TOOL.name, {"url": url}, _TOOL.runs_on, _TOOL.effect
        )
        if not self._marked:
            return call
        judged = PolicyJudgement(Verdict.ALLOW, "It only reads from the web", 1)
        return msgspec.structs.replace(call, judged=judged, urls=(url,) if self._pages else ())

    def ran(self, call: SessionToolCall) -> results.ToolCallCompleted:
        """A kilobyte, and the next one."""
        self._pages += 1
        page: Json = {"text": f"{KILOBYTE} {_url(self._pages)}"}
        outside = (web(_url(self._pages)),) if self._marked else ()
        return results.ToolCallCompleted(call.call_id, page, "runner_1", duration_ms=1, outside=outside)


def measure(*, steps: int, rounds: int) -> list[Figure]:
    """Processor time of a step with all of it less that of one without, both in turn.

    With: stored, read and folded with its sources, looked up and judged by the model caller, and judged by
    the runner as the request leaves.
    """
    plain, marked = (_stored(Fetching(marked=marked).grow(4 * steps)) for marked in (False, True))
    figures = []
    for rules in (0, 200):
        policy = _policy(rules)
        took = []
        for _ in range(rounds):
            without = _processor_ms(partial(_fold, plain))
            took.append((_processor_ms(partial(_judged, marked, policy)) - without) / steps)
        note = f"{steps:,} steps of 1 KB from {_HOSTS} hosts; from {min(took):.3f} to {max(took):.3f}"
        name = f"a step with a policy of {rules} rules, and its sources"
        figures.append(Figure(GROUP, name, median(took), "ms more", at_most(_MOST_MS), note))
    more = (_bytes(marked) - _bytes(plain)) / steps
    note = f"sources, verdicts and known URLs of {_HOSTS} hosts, of which each step reads another"
    return [*figures, Figure(GROUP, "a step's record of it", more, "bytes more", at_most(_MOST_BYTES), note)]


def _bytes(messages: Sequence[StoredMessage]) -> int:
    return sum(len(one.data) for one in messages)


def _fold(messages: Sequence[StoredMessage]) -> None:
    state = SessionState(_ID)
    for one in messages:
        state = evolve(state, decode(one))


def _judged(messages: Sequence[StoredMessage], value: Json) -> None:
    state, policies = SessionState(_ID), CompiledPolicies()
    for one in messages:
        recorded: RecordedEvent[SessionEvent] = decode(one)
        match recorded.event:
            case results.ModelCallCompleted(tool_calls=calls):
                gate = PolicyGate(policies.of(_AGENT, 1, value, 1), Context((), state.outside), state)
                for call in calls:
                    gate.judged(call, _TOOLS)
            case ev.ToolCallRequested(tool=tool):
                asked = request_of(tool, _TOOL.family, "GET", WebOrigin("https", "a0.test", 443), "/")
                asked = msgspec.structs.replace(asked, known_url=True)
                judge(policies.of(_AGENT, 1, value, 1), asked, Context((), state.outside))
        state = evolve(state, recorded)


def _policy(number: int) -> Json:
    """Rules of each kind that people write: of tools, of hosts with and without a star, of paths."""
    rules = [
        Rule(Verdict.ASK, Match(tool=f"tool_{n}")) if n % 4 == 0
        else Rule(Verdict.ALLOW, Match(host=f"host{n}.test", method="GET")) if n % 4 == 1
        else Rule(Verdict.ASK, Match(host=f"*.host{n}.test", after_outside=True)) if n % 4 == 2
        else Rule(Verdict.DENY, Match(host="*", path=f"/secret/{n}/*"))
        for n in range(number)
    ]  # fmt: skip
    value: Json = msgspec.to_builtins(Policy("balanced", tuple(rules)))
    return value


def _url(page: int) -> str:
    return f"https://a{page % _HOSTS}.test/pages/{page}"


def _stored(recorded: Sequence[RecordedEvent[SessionEvent]]) -> list[StoredMessage]:
    messages = ((one.sequence, as_message(one)) for one in recorded)
    return [StoredMessage(sequence, one.subject, one.data, one.headers) for sequence, one in messages]


def _processor_ms(work: Callable[[], None]) -> float:
    began = time.process_time()
    work()
    return (time.process_time() - began) * 1000
