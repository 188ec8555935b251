"""Bisections."""

from typing import Annotated, Any

import msgspec

from agent_contracts.api.sessions import Model
from agent_contracts.api.wire import Number, RequestBody, ResponseBody
from agent_contracts.entities.bisections import BisectionStatus, Check
from agent_contracts.timestamp import Timestamp


class BisectCost(ResponseBody, frozen=True, kw_only=True):
    """The cost of a bisection of `events` events: the greatest number of probes and runs. Each probe runs the
    check twice, and a third time if the two results differ.

    `tokens` and `cost_micros` (millionths of a US dollar) are an estimate for `most_runs`, by what a turn of
    this agent took lately; null: nobody knows. `most_tokens` bounds it: no run may use more than its limit.
    """

    events: int
    probes: int
    least_runs: int
    most_runs: int
    tokens: int | None
    cost_micros: int | None
    most_tokens: int


class BisectionRun(ResponseBody, frozen=True, kw_only=True):
    """One run of the check: whether it held, in which session, and the beginning of the answer."""

    holds: bool
    session_id: str | None
    answer: str
    tokens: int
    cost_micros: int | None


class BisectionProbe(ResponseBody, frozen=True, kw_only=True):
    """The check against the agent as of event `as_of_sequence`; `holds` is null while that is open."""

    as_of_sequence: int
    holds: bool | None
    runs: list[BisectionRun]


class SpoiltBy(ResponseBody, frozen=True, kw_only=True):
    """The event after which the check fails: what it wrote (or `deleted`), who did, and when."""

    sequence: int
    kind: str
    name: str
    deleted: bool
    session_id: str | None
    call_id: str | None
    written_at: Timestamp


class BisectionShown(ResponseBody, frozen=True, kw_only=True):
    """A bisection: the search among `events` of the agent after `good` and up to `bad`. At most `most_probes`
    are needed, in the order of `probes`. `spoilt_by` is what was found, `reason` why nothing was.

    `check` is as it was asked for. `probe_agent` has the probes' sessions.
    """

    id: str
    status: BisectionStatus
    check: Check
    good: int
    bad: int
    events: int
    most_probes: int
    probes: list[BisectionProbe]
    tokens: int
    cost_micros: int | None
    probe_agent: str
    spoilt_by: SpoiltBy | None
    reason: str | None
    began_at: Timestamp


class NewestBisection(ResponseBody, frozen=True, kw_only=True):
    """The agent's newest bisection; null: it had none yet."""

    bisection: BisectionShown | None


TOKENS_A_RUN = 100_000
_Expected = Annotated[str, msgspec.Meta(max_length=1_000)]


class Bisect(RequestBody, frozen=True, kw_only=True):
    """The check, and where to search. Either `ask` a message, whose answer must contain `expect` and must not
    contain `expect_not` (case is ignored; with `regex`, both are regular expressions), or call a `function`
    of the agent with `arguments`, which must return true.

    It held after event `good` (left out: when the agent was made), and fails after `bad` (left out: now).
    Each run may use `token_limit` tokens.
    """

    ask: Annotated[str, msgspec.Meta(max_length=20_000)] | None = None
    expect: _Expected | None = None
    expect_not: _Expected | None = None
    regex: bool = False
    function: Annotated[str, msgspec.Meta(max_length=200)] | None = None
    arguments: dict[str, Any] = msgspec.field(default_factory=dict)
    good: Number | None = None
    bad: Number | None = None
    model: Model | None = None
    token_limit: Annotated[int, msgspec.Meta(ge=1_000, le=10_000_000)] = TOKENS_A_RUN
