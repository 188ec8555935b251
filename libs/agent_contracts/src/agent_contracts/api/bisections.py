"""Bisections."""

from typing import Annotated, Any

import msgspec

from agent_contracts.api.sessions import Model
from agent_contracts.api.wire import Number, RequestBody, ResponseBody
from agent_contracts.entities.bisections import BisectionStatus, Check
from agent_contracts.timestamp import Timestamp


class BisectCost(ResponseBody, frozen=True, kw_only=True):
    """What a bisection would cost at most. Each probe runs the check twice, and a third time if the two
    results differ."""

    events: int
    """Number of events of the agent to search among."""
    probes: int
    """The greatest number of probes: each tries the check against the agent as of one event."""
    least_runs: int
    """Number of runs if no two runs of a probe differ."""
    most_runs: int
    """Number of runs if they always differ."""
    tokens: int | None
    """Estimated tokens of `most_runs` runs, by the agent's recent turns. Null: it had none."""
    cost_micros: int | None
    """Estimated cost of `most_runs` runs, in millionths of a US dollar. Null: no price is known."""
    most_tokens: int
    """The upper bound of tokens: no run may use more than its `token_limit`."""


class BisectionRun(ResponseBody, frozen=True, kw_only=True):
    """One run of the check."""

    holds: bool
    """Whether the check held."""
    session_id: str | None
    """Id of the session that it ran in; null: the check calls a function."""
    answer: str
    """The beginning of the answer."""
    tokens: int
    """Tokens that the run used."""
    cost_micros: int | None


class BisectionProbe(ResponseBody, frozen=True, kw_only=True):
    """The check against the agent as of one event."""

    as_of_sequence: int
    """Number of the event as of which the agent is tried."""
    holds: bool | None
    """Whether the check held in most runs. Null: that is still open."""
    runs: list[BisectionRun]
    """The runs so far: two, or three if the first two differ."""


class SpoiltBy(ResponseBody, frozen=True, kw_only=True):
    """The event after which the check fails."""

    sequence: int
    """Number of that event in the log."""
    kind: str
    """Kind of the thing that it changed, such as `skill` or `prompt`."""
    name: str
    """Name of the thing that it changed."""
    deleted: bool
    """Whether the event deleted it."""
    session_id: str | None
    """Id of the session in which the agent did it; null: a person or a service did."""
    call_id: str | None
    """Id of the tool call that did it; null: no call did."""
    written_at: Timestamp
    """When it was written."""


class BisectionShown(ResponseBody, frozen=True, kw_only=True):
    """A search among the events of an agent for the one after which a check fails."""

    id: str
    """The id of the bisection."""
    status: BisectionStatus
    """How far the search is, or how it ended."""
    check: Check
    """The check, as it was asked for."""
    good: int
    """The search begins after this event, as of which the check held."""
    bad: int
    """The search ends at this event, as of which the check fails."""
    events: int
    """Number of events in between."""
    most_probes: int
    """The greatest number of probes that are needed."""
    probes: list[BisectionProbe]
    """The probes so far, in the order in which they were made."""
    tokens: int
    """Tokens that all runs used so far."""
    cost_micros: int | None
    probe_agent: str
    """Id of the agent that was made for the probes: their sessions are its own."""
    spoilt_by: SpoiltBy | None
    """The event that was found; null: none yet, or none at all."""
    reason: str | None
    """Why no event was found, in words; null: one was, or the search continues."""
    started_at: Timestamp
    """When the search began."""


class NewestBisection(ResponseBody, frozen=True, kw_only=True):
    """The agent's newest bisection."""

    bisection: BisectionShown | None
    """The bisection; null: the agent had none yet."""


TOKENS_A_RUN = 100_000
_Expected = Annotated[str, msgspec.Meta(max_length=1_000)]


class Bisect(RequestBody, frozen=True, kw_only=True):
    """A check, and where to search. Name either a message to `ask` or a `function` to call."""

    ask: Annotated[str, msgspec.Meta(max_length=20_000)] | None = None
    """The message to send in each run."""
    expect: _Expected | None = None
    """Text that the answer must contain; case is ignored."""
    expect_not: _Expected | None = None
    """Text that the answer must not contain; case is ignored."""
    regex: bool = False
    """Read `expect` and `expect_not` as regular expressions."""
    function: Annotated[str, msgspec.Meta(max_length=200)] | None = None
    """Name of the agent's function to call instead of a message; it must return true."""
    arguments: dict[str, Any] = msgspec.field(default_factory=dict)
    """The arguments of the function."""
    good: Number | None = None
    """Number of an event as of which the check holds. Left out: when the agent was made."""
    bad: Number | None = None
    """Number of an event as of which the check fails. Left out: now."""
    model: Model | None = None
    """Model of the runs: `provider/model`, or a chain of several, separated by commas. Left out: the
    agent's."""
    token_limit: Annotated[int, msgspec.Meta(ge=1_000, le=10_000_000)] = TOKENS_A_RUN
    """Tokens that each run may use."""
